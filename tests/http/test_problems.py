"""Every error becomes a problem (RFC 9457): a status, a stable code, what is wrong, where, and the request's id."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from tests.http.conftest import Logged
from tests.http.probe import ask, probe
from weft.accounts.errors import KeyRefusedError
from weft.kit import errors
from weft.profiles.errors import UnknownSettingsVersionError

RAISED = [
    (errors.CallerError("no"), 400, "bad_request"),
    (KeyRefusedError("no"), 401, "key_refused"),
    (errors.ForbiddenError("no"), 403, "forbidden"),
    (errors.NotFoundError("no"), 404, "not_found"),
    (errors.ConflictError("no"), 409, "conflict"),
    (errors.TooLargeError("no"), 413, "too_large"),
    (UnknownSettingsVersionError(7, [1, 2]), 422, "unknown_settings_version"),
    (errors.TooManyError("no", retry_after=1.2), 429, "rate_limited"),
    (errors.WorldError("no"), 503, "unavailable"),
    (errors.OperatorError("no"), 500, "misconfigured"),
]


def raises(error: Exception) -> Any:
    def work() -> None:
        raise error

    return probe(work)


@pytest.mark.parametrize(("error", "status", "code"), RAISED, ids=[type(error).__name__ for error, _, _ in RAISED])
async def test_each_class_of_error_has_its_status(error: errors.WeftError, status: int, code: str) -> None:
    """DESIGN 4 and 7: errors are classed by who acts, and told as problem details."""
    answer = await ask(raises(error), "GET", "/work/1")
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert UUID(told.pop("request_id"))
    assert told == {
        "type": "about:blank",
        "status": status,
        "code": code,
        "title": type(error).title,
        "detail": error.detail,
    } | ({"field": error.field} if error.field else {})


async def test_who_must_wait_is_told_how_long_and_never_too_short() -> None:
    """SEC-2: keys are rate-limited, and say when to come back."""
    answer = await ask(raises(errors.TooManyError("wait", retry_after=1.2)), "GET", "/work/1")
    assert answer.headers["retry-after"] == "2"


async def test_who_is_not_known_is_told_how_to_be() -> None:
    """SEC-2: callers show a key."""
    answer = await ask(raises(errors.UnauthenticatedError("who")), "GET", "/work/1")
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_a_value_that_is_not_valid_is_named_by_its_path() -> None:
    """DESIGN 7: the field path where there is one."""
    answer = await ask(probe(), "POST", "/body", json={"count": "x", "inner": {"a": "y"}})
    told = answer.json()
    assert (answer.status_code, told["code"], told["field"]) == (422, "invalid", "count")
    assert [problem["field"] for problem in told["errors"]] == ["count", "inner.a"]
    assert told["detail"].startswith("count: ")


async def test_a_path_made_to_fill_the_answer_is_cut() -> None:
    """SEC-4: past a limit, a clear error."""
    answer = await ask(probe(), "POST", "/body", json={"count": 1, "inner": {"a" * 1500: "y"}})
    assert answer.status_code == 422
    assert len(answer.json()["field"]) <= 201


async def test_what_was_refused_is_told_in_text_that_can_be_sent() -> None:
    """Issue 1, bad input: lone surrogates and NUL characters."""
    answer = await ask(
        probe(),
        "POST",
        "/body",
        content=b'{"count":1,"inner":{"\\ud800\\u0000":"y"}}',
        headers={"content-type": "application/json"},
    )
    assert answer.status_code == 422
    assert answer.json()["field"] == "inner." + "\ufffd" * 4


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [("GET", "/nowhere", 404, "not_found"), ("DELETE", "/body", 405, "method_not_allowed")],
)
async def test_an_address_or_method_that_is_not_there_is_a_problem_too(
    method: str, path: str, status: int, code: str
) -> None:
    """DESIGN 7: errors are problem details."""
    answer = await ask(probe(), method, path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.headers.get("allow") == "POST") == (status == 405)


async def test_what_nobody_foresaw_is_told_without_its_details(logged: Logged) -> None:
    """Issue 1: problem details; the log has what the caller must not see, under the id that the caller has."""
    answer = await ask(raises(RuntimeError("the password is swordfish")), "GET", "/work/1")
    told = answer.json()
    assert (answer.status_code, told["code"]) == (500, "internal")
    assert "swordfish" not in answer.text
    assert answer.headers["x-request-id"] == told["request_id"]
    crash, _ = logged()
    assert (crash["event"], crash["request_id"]) == ("request_crashed", told["request_id"])
    assert "swordfish" in crash["exception"]


async def test_half_an_answer_is_not_mended_with_a_problem() -> None:
    """A caller must be able to tell a broken stream from a whole one."""
    with pytest.raises(RuntimeError, match="broken in the middle"):
        await ask_raw(probe(), "/stream")


async def ask_raw(app: Any, path: str) -> None:
    """The application as a server calls it."""
    sent = []

    async def receive() -> Any:
        await asyncio.Event().wait()  # nothing comes, and nobody hangs up

    async def send(message: Any) -> None:
        sent.append(message["type"])

    scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b""}
    try:
        await app(scope, receive, send)
    finally:
        assert sent == ["http.response.start", "http.response.body"]
