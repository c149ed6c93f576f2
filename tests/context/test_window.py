"""The stepped window: what is guaranteed, never more than twice that, and a beginning that seldom moves."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.context.blocks import conversation, pair, said
from weft.context.conversation import TEXTS, Stored
from weft.context.window import History, shrunk, window, window_start

guarantees = st.integers(1, 20)


def texts_in(rows: tuple[Stored, ...]) -> int:
    return sum(row.kind in TEXTS for row in rows)


@given(st.integers(0, 3000), guarantees)
def test_size_is_between_what_is_guaranteed_and_twice_that(texts: int, guaranteed: int) -> None:
    """SKILL-1, SKILL-2"""
    shown = texts - window_start(texts, guaranteed)
    assert min(texts, guaranteed) <= shown <= 2 * guaranteed


@given(st.integers(0, 3000), guarantees)
def test_start_never_goes_back(texts: int, guaranteed: int) -> None:
    """SKILL-10"""
    assert window_start(texts, guaranteed) <= window_start(texts + 1, guaranteed)


@given(st.lists(st.sampled_from(TEXTS), max_size=70), guarantees)
def test_any_sequence_of_texts_keeps_the_bounds(kinds: list[str], guaranteed: int) -> None:
    """SKILL-1, SKILL-2: also where two users' texts follow each other, after a turn that failed."""
    rows = [Stored(str(at), kind, "x") for at, kind in enumerate(kinds)]  # type: ignore[arg-type]
    seen = window(History([*rows, Stored("now", "user_input", "?")]), guaranteed)
    assert min(len(rows), guaranteed) <= texts_in(seen.earlier) <= 2 * guaranteed
    assert seen.earlier == tuple(rows[seen.start :])


@pytest.mark.parametrize(("guaranteed", "most"), [(5, 80), (10, 40)])
def test_start_moves_seldom(guaranteed: int, most: int) -> None:
    """SKILL-10: over 200 turns; a sliding window moves 195 and 190 times."""
    starts = [window(History(conversation(turns)), guaranteed).start for turns in range(201)]
    assert sum(one != other for one, other in pairwise(starts)) <= most


@given(st.integers(0, 60), st.sampled_from([5, 10]), st.integers(0, 12))
def test_window_is_the_same_from_a_part_of_the_rows(turns: int, guaranteed: int, more: int) -> None:
    """SKILL-1: after a restart no more is read than the window needs."""
    rows = conversation(turns)
    whole = window(History(rows), guaranteed)
    start = max(0, window_start(turns * 2, guaranteed) - more)
    assert window(History(rows[start:], texts=turns * 2), guaranteed) == whole


@given(st.integers(1, 60), st.sampled_from([5, 10]))
def test_window_begins_with_a_users_text(turns: int, guaranteed: int) -> None:
    """SKILL-1: some vendors refuse anything else."""
    assert window(History(conversation(turns)), guaranteed).earlier[0].kind == "user_input"


def test_tool_rows_ride_with_their_answer_and_the_turn_is_apart() -> None:
    """SKILL-1: rows of tools are no texts."""
    first = said(1)
    rows = [first[0], *pair("a"), first[1], Stored("now", "user_input", "?"), *pair("b")]
    seen = window(History(rows), 1)
    assert [row.id for row in seen.earlier] == ["u1", "a-call", "a-result", "a1"]
    assert [row.id for row in seen.turn] == ["now", "b-call", "b-result"]


def test_tool_rows_ride_with_an_answer_that_the_window_begins_with() -> None:
    """LED-10: pairs stay with the answer they led to, and go with one that is not shown."""
    rows = [*said(1)[:1], *pair("a"), *said(1)[1:], Stored("b", "user_input", "x"), Stored("now", "user_input", "?")]
    assert [row.id for row in shrunk(History(rows), 2).earlier] == ["a-call", "a-result", "a1", "b"]
    assert [row.id for row in shrunk(History(rows), 1).earlier] == ["b"]
    lost = [*said(1)[:1], *pair("a"), Stored("b", "user_input", "x"), Stored("now", "user_input", "?")]
    assert [row.id for row in shrunk(History(lost), 1).earlier] == ["b"]


def test_conversation_without_a_users_text_has_no_turn() -> None:
    """WORK-3: a run that no user typed."""
    assert window(History([]), 5) == window(History([], texts=0), 5)


@given(st.integers(0, 40))
def test_shrunk_window_is_what_is_guaranteed(turns: int) -> None:
    """SKILL-1"""
    assert texts_in(shrunk(History(conversation(turns)), 5).earlier) == min(5, 2 * turns)


def test_too_few_rows_are_refused() -> None:
    """SKILL-2: a window that silently shows less than is guaranteed would be found out by nobody."""
    with pytest.raises(ValueError, match="begins at text 0, and the messages only at 16"):
        window(History(conversation(2), texts=20), 10)
