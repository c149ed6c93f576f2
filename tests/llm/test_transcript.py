"""Bytes of a stream become deltas, and in the end it is known whether they were the whole answer."""

from dataclasses import replace
from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.llm.errors import AnswerTooLargeError, BrokenStreamError, ModelError, OffProtocolError
from weft.llm.fold import Fold
from weft.llm.transcript import Transcript, together
from weft.llm.types import AnswerLimits, Completion, Delta, Finish, Target, ToolDelta, Usage

TARGET = Target("acme", "m1", "http://127.0.0.1/v1", "openai_compatible")


def event(text: str = "", reason: str | None = None) -> bytes:
    choice = {"delta": {"content": text}, "finish_reason": reason}
    return b"data: " + orjson.dumps({"choices": [choice]}) + b"\n\n"


def play(
    *pieces: bytes, target: Target = TARGET, content_type: str = "text/event-stream"
) -> tuple[Completion, ModelError | None]:
    transcript, fold = Transcript(target), Fold()
    transcript.open(content_type)
    for piece in pieces:
        for delta in transcript.feed(piece) or []:
            fold.add(delta)
        if transcript.over:
            break
    for delta in transcript.end():
        fold.add(delta)
    return fold.completion(), transcript.verdict()


def test_an_answer_with_a_reason_is_whole() -> None:
    """INFRA-3: with or without [DONE]."""
    for end in (b"", b"data: [DONE]\n\n", b"data: [DONE]"):
        answer, problem = play(event("Hel"), event("lo", "stop"), end)
        assert (answer, problem) == (Completion("Hello"), None)


def test_done_without_a_reason_is_a_reason() -> None:
    """INFRA-3: the vendor says that it is done, only not why; and its consumer learns it too."""
    answer, problem = play(event("Hello"), b"data: [DONE]\n\n")
    assert (answer, problem) == (Completion("Hello"), None)


@pytest.mark.parametrize("last", [b"", b"data: ", event(" wor")[:-9]])
def test_an_answer_without_an_end_is_broken_and_carries_what_arrived(last: bytes) -> None:
    """FLOW-7: a stream that breaks ends as a marked, incomplete answer."""
    answer, problem = play(event("Hello"), last)
    assert isinstance(problem, BrokenStreamError | OffProtocolError)
    assert problem.partial == answer == Completion("Hello", finish=Finish.BROKEN)
    assert not problem.retry_safe


def test_nothing_at_all_is_broken_and_safe_to_retry() -> None:
    """INFRA-3: nobody has seen a piece of it."""
    for pieces in ((), (b"data: [DONE]\n\n",), (event("", None),)):
        _, problem = play(*pieces)
        assert isinstance(problem, BrokenStreamError)
        assert problem.partial is None
        assert problem.retry_safe


def test_a_page_instead_of_a_stream_points_to_the_address() -> None:
    """INFRA-2: a wrong base_url often answers 200 with a web page."""
    _, problem = play(b"<html>Welcome</html>", content_type="text/html; charset=utf-8")
    assert isinstance(problem, BrokenStreamError)
    assert "text/html" in problem.detail
    assert "base_url" in problem.detail


def test_a_vendor_out_of_resources_leaves_a_broken_answer() -> None:
    """INFRA-3: DeepSeek ends a stream so when it is overloaded."""
    _, problem = play(event("Hel"), event("", "insufficient_system_resource"), b"data: [DONE]\n\n")
    assert isinstance(problem, BrokenStreamError)
    assert "resources" in problem.detail


def test_what_came_before_an_error_is_passed_on_first() -> None:
    """INFRA-3: in one network read or in several."""
    transcript = Transcript(TARGET)
    deltas = transcript.feed(event("Hel") + b'data: {"error": {"message": "out"}}\n\n' + event("lo"))
    assert deltas == [Delta("Hel")]
    assert transcript.over
    problem = transcript.verdict()
    assert problem is not None
    assert problem.partial == Completion("Hel", finish=Finish.BROKEN)


def test_a_comment_is_no_event() -> None:
    """INFRA-3: a vendor that only keeps the line alive has not begun to answer."""
    transcript = Transcript(TARGET)
    assert transcript.feed(b": keep-alive\n\n") is None
    assert not transcript.began
    assert transcript.feed(event("")) == []
    assert transcript.began


def test_an_answer_past_its_limit_is_cut_off() -> None:
    """SEC-4: a clear error, with what had arrived until then."""
    target = replace(TARGET, limits=AnswerLimits(line=1000, answer=500))
    _, problem = play(*[event("0123456789")] * 100, target=target)
    assert isinstance(problem, AnswerTooLargeError)
    assert "500 bytes" in problem.detail
    assert problem.partial is not None
    assert 0 < len(problem.partial.text) < 100
    assert not problem.retry_safe


@pytest.mark.parametrize("size", [1, 50, 5000])
def test_a_line_past_its_limit_is_cut_off(size: int) -> None:
    """SEC-4: however slowly it comes."""
    stream = event("x" * 2000)
    pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
    _, problem = play(*pieces, target=replace(TARGET, limits=AnswerLimits(line=1000)))
    assert isinstance(problem, AnswerTooLargeError)
    assert "one line" in problem.detail


def test_one_json_object_instead_of_a_stream_is_an_answer_too() -> None:
    """INFRA-2: some vendors do not stream with tools, and answer whole."""
    body = orjson.dumps({"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]})
    answer, problem = play(body[:20], body[20:], content_type="application/json; charset=utf-8")
    assert (answer, problem) == (Completion("Hello"), None)
    _, problem = play(b'{"error": {"message": "no"}}', content_type="application/json")
    assert problem is not None
    _, problem = play(b"", content_type="application/json")
    assert isinstance(problem, BrokenStreamError)


@given(st.lists(st.text(), max_size=8), st.integers(1, 60))
def test_any_text_survives_any_cut(texts: list[str], size: int) -> None:
    """FLOW-7: every character arrives once."""
    stream = b"".join(event(text) for text in texts) + event("", "stop") + b"data: [DONE]\n\n"
    answer, problem = play(*(stream[start : start + size] for start in range(0, len(stream), size)))
    assert problem is None
    assert answer.text == "".join(texts)


_DELTAS = st.one_of(
    st.text(min_size=1, max_size=3).map(Delta),
    st.text(min_size=1, max_size=3).map(lambda thought: Delta(reasoning=thought)),
    st.builds(Delta, text=st.text(max_size=2), reasoning=st.text(max_size=2), finish=st.just(Finish.STOP)),
    st.builds(Delta, text=st.text(max_size=2), tools=st.just((ToolDelta(0, "a", "t", "{}"),))),
    st.builds(Delta, text=st.just("x"), usage=st.just(Usage(1, output=2))),
)


@given(st.lists(_DELTAS, max_size=12))
def test_words_that_came_together_are_one_and_nothing_else_changes(deltas: list[Delta]) -> None:
    """FLOW-7: who follows a stream is told once of what came at once; the answer and its order are the same."""
    joined = together(deltas)
    before, after = Fold(), Fold()
    for delta in deltas:
        before.add(delta)
    for delta in joined:
        after.add(delta)
    assert after.completion() == before.completion()
    rich = [each for each in deltas if each.tools or each.usage or each.finish]
    assert [each for each in joined if each.tools or each.usage or each.finish] == rich
    for one, next_one in pairwise(joined):
        alike = bool(one.text) == bool(next_one.text)
        assert one in rich or next_one in rich or not alike
