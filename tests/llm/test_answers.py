"""Chunks and answers are read as vendors send them; what does not fit says where."""

from contextlib import suppress
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.llm.answers import ChunkReader, finish_of, read_answer
from weft.llm.errors import ModelError, OffProtocolError, RateLimitedError
from weft.llm.types import Completion, Delta, Finish, Target, ToolDelta, ToolRequest, Usage

TARGET = Target("acme", "m1", "http://127.0.0.1/v1", "openai_compatible")
USAGE = {"prompt_tokens": 10, "completion_tokens": 5}


def chunk(delta: Any = None, reason: Any = None, **more: Any) -> dict[str, Any]:
    return {"id": "c1", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **more}


def read(raw: Any) -> Delta | None:
    return ChunkReader(TARGET).read(raw if isinstance(raw, bytes) else orjson.dumps(raw))


READ: list[tuple[Any, Delta | None]] = [
    (chunk({"content": "Hi"}), Delta("Hi")),
    (chunk({"role": "assistant", "content": ""}), None),
    (chunk({"role": "assistant", "content": None}), None),
    (chunk({}), None),
    (chunk(None), None),
    (chunk({"content": [{"type": "text", "text": "H"}, {"type": "text", "text": "i"}]}), Delta("Hi")),
    (chunk({"content": "Hi"}, "stop"), Delta("Hi", finish=Finish.STOP)),
    (chunk({"content": "Hi"}, ""), Delta("Hi")),
    (chunk({"content": "Hi"}, "null"), Delta("Hi")),
    (chunk({}, "length", usage=USAGE), Delta(usage=Usage(10, 0, 0, 5), finish=Finish.LENGTH)),
    (chunk({"reasoning_content": "Hm", "content": None}), Delta(reasoning="Hm")),
    (chunk({"reasoning": "Hm", "content": ""}), Delta(reasoning="Hm")),
    (chunk({"content": "Hi"}, usage=None), Delta("Hi")),
    ({"choices": [], "usage": USAGE}, Delta(usage=Usage(10, 0, 0, 5))),
    ({"usage": USAGE}, Delta(usage=Usage(10, 0, 0, 5))),
    ({"choices": [], "prompt_filter_results": []}, None),
    ({"choices": None, "usage": USAGE}, Delta(usage=Usage(10, 0, 0, 5))),
    (
        {"choices": [{"delta": {}, "finish_reason": "stop", "usage": USAGE}]},
        Delta("", "", (), Usage(10, 0, 0, 5), Finish.STOP),
    ),
    (
        chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}}]}),
        Delta(tools=(ToolDelta(0, "a", "f", "{"),)),
    ),
    (chunk({"tool_calls": None, "content": "Hi"}), Delta("Hi")),
]


@pytest.mark.parametrize(("raw", "expected"), READ)
def test_a_chunk_is_read(raw: Any, expected: Delta | None) -> None:
    """INFRA-2: one shape, whatever the vendor sends."""
    assert read(raw) == expected


OFF: list[tuple[Any, str]] = [
    (b"{oops", "$"),
    (b"[]", "$"),
    (b'"text"', "$"),
    (b"", "$"),
    ({}, "$.choices"),
    ({"message": "who knows"}, "$.choices"),
    ({"choices": ["Hi"]}, "$.choices[0]"),
    ({"choices": {"delta": {}}}, "$.choices[0]"),
    (chunk("Hi"), "$.choices[0].delta"),
    (chunk({"content": 7}), "$.choices[0].delta.content"),
    (chunk({"content": ["Hi"]}), "$.choices[0].delta.content"),
    (chunk({"reasoning_content": {"a": 1}}), "$.choices[0].delta.reasoning_content"),
]


@pytest.mark.parametrize(("raw", "path"), OFF)
def test_a_chunk_that_does_not_fit_says_where(raw: Any, path: str) -> None:
    """INFRA-2: path, expected, found."""
    with pytest.raises(OffProtocolError) as caught:
        read(raw)
    assert caught.value.path == path
    assert caught.value.expected in caught.value.detail


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", Finish.STOP),
        ("length", Finish.LENGTH),
        ("tool_calls", Finish.TOOL_CALLS),
        ("function_call", Finish.TOOL_CALLS),
        ("content_filter", Finish.CONTENT_FILTER),
        ("sensitive", Finish.CONTENT_FILTER),
        ("insufficient_system_resource", Finish.BROKEN),
        ("something new", Finish.STOP),
        (None, None),
        ("", None),
    ],
)
def test_a_reason_to_stop_is_one_of_ours(reason: Any, finish: Finish | None) -> None:
    """INFRA-2: DeepSeek's lack of resources is a broken answer, not a whole one."""
    assert finish_of(reason) is finish


def test_an_error_object_is_raised_as_the_error_it_is() -> None:
    """INFRA-3: also in mid-stream, where there is no status."""
    with pytest.raises(RateLimitedError):
        read({"error": {"code": 429, "message": "slow down"}})
    with pytest.raises(RateLimitedError):
        read_answer(TARGET, b'{"error": {"code": 429, "message": "slow down"}}')


def whole(message: Any, reason: Any = "stop", **more: Any) -> bytes:
    return orjson.dumps({"id": "c1", "choices": [{"message": message, "finish_reason": reason}], **more})


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (whole({"content": "Hi"}, usage=USAGE), Completion("Hi", usage=Usage(10, 0, 0, 5))),
        (b"\n\n  " + whole({"content": "Hi"}), Completion("Hi")),
        (whole({"content": None, "reasoning_content": "Hm"}), Completion("", reasoning="Hm")),
        (whole({"content": "Hi"}, "length"), Completion("Hi", finish=Finish.LENGTH)),
        (whole({"content": "Hi"}, None), Completion("Hi")),
        (
            whole({"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {"x": 1}}}]}),
            Completion("", (ToolRequest("a", "f", '{"x":1}'),), finish=Finish.TOOL_CALLS),
        ),
    ],
)
def test_a_whole_answer_is_read(raw: bytes, expected: Completion) -> None:
    """INFRA-2: the same typed result without streaming."""
    assert read_answer(TARGET, raw) == expected


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (b"<html>", "$"),
        (b"[]", "$"),
        (b"{}", "$.choices[0]"),
        (b'{"choices": []}', "$.choices[0]"),
        (b'{"choices": [{"text": "Hi"}]}', "$.choices[0].message"),
        (b'{"choices": [{"message": {"content": 7}}]}', "$.choices[0].message.content"),
    ],
)
def test_a_whole_answer_that_does_not_fit_says_where(raw: bytes, path: str) -> None:
    """INFRA-2: path, expected, found."""
    with pytest.raises(OffProtocolError) as caught:
        read_answer(TARGET, raw)
    assert caught.value.path == path


NAMES = [
    "id",
    "choices",
    "delta",
    "message",
    "content",
    "tool_calls",
    "function",
    "arguments",
    "usage",
    "index",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=25,
)


@given(JSON)
def test_nothing_a_vendor_sends_raises_anything_but_our_errors(raw: Any) -> None:
    """INFRA-2: an answer off protocol is a clear error, never a crash."""
    for attempt in (lambda: read(orjson.dumps(raw)), lambda: read_answer(TARGET, orjson.dumps(raw))):
        with suppress(ModelError):
            attempt()
