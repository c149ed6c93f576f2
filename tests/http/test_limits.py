"""Bodies that are too large, too deep, or no JSON at all are refused before anything reads them."""

import json
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from tests.http.probe import LIMIT, ask, probe
from weft.http.limits import MAX_BODY_DEPTH, LimitBody, deeper_than
from weft.kit.errors import TooLargeError

JSON = {"content-type": "application/json"}


async def parts(*sizes: int) -> AsyncIterator[bytes]:
    for size in sizes:
        yield b" " * size


def refused_as_too_large(answer: httpx.Response) -> bool:
    return (answer.status_code, answer.json()["code"]) == (413, "too_large") and bool(answer.json()["request_id"])


async def test_a_body_announced_as_too_large_is_refused_unread() -> None:
    """SEC-4: a limit on the body, and past it a clear error."""
    read = []

    async def body() -> AsyncIterator[bytes]:
        read.append(1)
        yield b" "

    answer = await ask(probe(), "POST", "/body", content=body(), headers=JSON | {"content-length": str(LIMIT + 1)})
    assert refused_as_too_large(answer)
    assert answer.headers["connection"] == "close"
    assert "WEFT_MAX_BODY_BYTES" in answer.json()["detail"]
    assert read == []


async def test_a_body_that_grows_too_large_is_refused_on_the_way() -> None:
    """SEC-4: whether it announces its length or not."""
    answer = await ask(probe(), "POST", "/body", content=parts(LIMIT, 1), headers=JSON)
    assert refused_as_too_large(answer)


async def test_a_body_just_within_the_limit_is_taken() -> None:
    """SEC-4: the limit is the limit."""
    content = b'{"count":1}'.ljust(LIMIT)
    assert (await ask(probe(), "POST", "/body", content=content, headers=JSON)).status_code == 200
    assert refused_as_too_large(await ask(probe(), "POST", "/body", content=content + b" ", headers=JSON))


async def test_an_answer_under_way_is_not_followed_by_a_second_one() -> None:
    """A body that breaks the limit while its answer streams breaks the stream."""
    sent = []

    async def answers_before_it_has_read(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await receive()

    async def receive() -> Message:
        return {"type": "http.request", "body": b" " * (LIMIT + 1)}

    async def send(message: Message) -> None:
        sent.append(message["type"])

    with pytest.raises(TooLargeError):
        await LimitBody(answers_before_it_has_read, LIMIT)({"type": "http", "headers": []}, receive, send)
    assert sent == ["http.response.start"]


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
async def test_json_nested_too_deep_is_refused(opening: bytes) -> None:
    """SEC-4: every input has a limit of depth."""
    answer = await ask(probe(), "POST", "/body", content=opening * (MAX_BODY_DEPTH + 1), headers=JSON)
    assert refused_as_too_large(answer)
    assert f"{MAX_BODY_DEPTH} levels" in answer.json()["detail"]


def test_depth_is_counted_outside_of_strings_only() -> None:
    nested = json.dumps({"a": "[{" * 100 + '\\"' + "[" * 100, "b": [[[]]]}).encode()
    assert not deeper_than(4, nested)
    assert deeper_than(3, nested)


def test_depth_is_not_the_number_of_brackets() -> None:
    assert not deeper_than(2, b"[" + b"[]," * 500 + b"[]]")
    assert deeper_than(2, b"[" + b"[]," * 500 + b"[[]]]")


def test_a_string_that_never_ends_hides_nothing_before_it() -> None:
    assert deeper_than(2, b'[[["' + b"[" * 50)
    assert not deeper_than(5, b'[[["' + b"[" * 50)


@pytest.mark.parametrize(
    ("content", "status", "says"),
    [
        (b'{"count":', 400, "not JSON: Expecting value at character 9"),
        (b"\xff\xfe\xff", 400, "JSON in UTF-8"),
        (b"[" * 60, 400, "not JSON"),
        (b"null", 422, "body"),
        (b"[]", 422, "body"),
        (b"", 422, "body"),
        (b'{"count":NaN}', 422, "count"),
        (b'{"count":1e999}', 422, "count"),
    ],
)
async def test_what_is_no_valid_json_is_the_callers_error(content: bytes, status: int, says: str) -> None:
    """Issue 1, bad input: a clear error, never a 5xx."""
    answer = await ask(probe(), "POST", "/body", content=content, headers=JSON)
    assert answer.status_code == status
    assert says in answer.json()["detail"]


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""])
async def test_a_body_of_another_content_type_is_refused_as_such(content_type: str) -> None:
    """Issue 1, bad input; a form that a foreign page may send without asking is never read as JSON."""
    headers = {"content-type": content_type} if content_type else {}
    answer = await ask(probe(), "POST", "/body", content=b'{"count":1}', headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert content_type in answer.json()["detail"]


async def test_how_the_content_type_is_written_changes_no_limit() -> None:
    """SEC-4: a content type is the same in capitals, and so is the limit of depth."""
    capitals = {"content-type": "Application/JSON"}
    answer = await ask(probe(), "POST", "/body", content=b"[" * (MAX_BODY_DEPTH + 1), headers=capitals)
    assert refused_as_too_large(answer)
