"""Deltas add up to the whole answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.llm.fold import Fold
from weft.llm.types import Completion, Delta, Finish, ToolDelta, ToolRequest, Usage


def fold(*deltas: Delta) -> Completion:
    folded = Fold()
    for delta in deltas:
        folded.add(delta)
    return folded.completion()


def test_text_reasoning_tools_usage_and_finish_add_up() -> None:
    """INFRA-3: one shape whatever the stream."""
    answer = fold(
        Delta(reasoning="Hm"),
        Delta(reasoning="."),
        Delta("Let "),
        Delta("me look."),
        Delta(tools=(ToolDelta(0, "a", "f", "{"), ToolDelta(1, "b", "g"))),
        Delta(tools=(ToolDelta(1, arguments="[]"), ToolDelta(0, arguments="}"))),
        Delta(finish=Finish.TOOL_CALLS),
        Delta(usage=Usage(10, 0, 0, 5)),
    )
    calls = (ToolRequest("a", "f", "{}"), ToolRequest("b", "g", "[]"))
    assert answer == Completion("Let me look.", calls, "Hm.", Usage(10, 0, 0, 5), Finish.TOOL_CALLS)


def test_a_later_usage_replaces_an_earlier_one() -> None:
    """LED-7: vendors that report on every chunk report totals; adding them up would book them many times."""
    assert fold(Delta("a", usage=Usage(10, 0, 0, 1)), Delta("b", usage=Usage(10, 0, 0, 2))).usage == Usage(10, 0, 0, 2)


@pytest.mark.parametrize(
    ("finish", "expected"),
    [
        (None, Finish.BROKEN),
        (Finish.STOP, Finish.TOOL_CALLS),
        (Finish.LENGTH, Finish.LENGTH),
        (Finish.CONTENT_FILTER, Finish.CONTENT_FILTER),
    ],
)
def test_why_it_stopped(finish: Finish | None, expected: Finish) -> None:
    """INFRA-3: several vendors say `stop` when they mean tool calls; no word at all is a broken stream."""
    assert fold(Delta(tools=(ToolDelta(0, "a", "f", "{}"),), finish=finish)).finish is expected


def test_a_piece_of_a_call_that_nobody_began_is_kept() -> None:
    """INFRA-3: a fold takes deltas from anywhere."""
    answer = fold(Delta(tools=(ToolDelta(4, arguments="{}"),)))
    assert answer.tool_calls[0].arguments == "{}"
    assert answer.tool_calls[0].id


def test_only_what_a_reader_would_see_counts_as_something() -> None:
    """INFRA-3: a retry is safe until then."""
    folded = Fold()
    folded.add(Delta(usage=Usage(1, 0, 0, 1), finish=Finish.STOP))
    assert folded.empty
    folded.add(Delta(tools=(ToolDelta(0, "a"),)))
    assert not folded.empty


@given(st.lists(st.tuples(st.text(), st.text())))
def test_nothing_is_lost(pieces: list[tuple[str, str]]) -> None:
    """FLOW-7: the folded text is what was streamed, character by character."""
    answer = fold(*(Delta(text, reasoning) for text, reasoning in pieces))
    assert answer.text == "".join(text for text, _ in pieces)
    assert answer.reasoning == "".join(reasoning for _, reasoning in pieces)
