"""A note says what has changed, in as few words as that takes, or that it is not worth it."""

import time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.context.blocks import data, memory
from weft.context.blocks import Scope, Trust
from weft.context.notes import note_of

_LINES = st.lists(st.sampled_from(["- tea", "- coffee", "", "- walks", "# Habits"]), max_size=8)
_KEPT = [f"- line {number} of what stays as it is" for number in range(60)]


def text(*lines: str) -> str:
    return "\n".join(lines)


def changes(before: str, after: str) -> Any:
    note = note_of(memory(before), memory(after))
    return None if note is None else (list(note.values["added"]), list(note.values["removed"]))


def test_lines_that_came_and_went_are_told() -> None:
    """WORK-1, SKILL-10: with the trust of the file, among the turn's data."""
    before = text("- tea", *_KEPT, "- cats", "- end")
    after = text("- coffee", *_KEPT, "- cats", "- dogs", "- end")
    assert changes(before, after) == (["- coffee", "- dogs"], ["- tea"])
    note = note_of(memory(before), memory(after))
    assert note is not None
    assert (note.id, note.trust, note.scope, note.title) == ("note/memory", Trust.USER, Scope.TURN, "CHANGED_SINCE")


def test_what_is_as_long_as_the_whole_is_no_note() -> None:
    """SKILL-10"""
    assert changes("- tea", "- coffee") is None
    assert changes(text(*_KEPT), text(*reversed(_KEPT))) is None


def test_other_trust_or_other_data_is_no_change_of_a_text() -> None:
    """SAFE-4"""
    lines = text(*_KEPT)
    other = data("memory", Scope.USER, Trust.EXTERNAL, shrinks="text", text=lines + "\nx")
    assert note_of(memory(lines), other) is None
    assert note_of(memory(lines), data("memory", Scope.USER, Trust.USER, items=["x"], shrinks="items")) is None


@given(_LINES, _LINES)
def test_what_is_told_is_the_whole_change(before: list[str], after: list[str]) -> None:
    """SKILL-10: the old text without what went and with what came holds the lines of the new one."""
    told = changes(text(*_KEPT, *before, *_KEPT), text(*_KEPT, *after, *_KEPT))
    if told is None:
        return
    added, removed = told
    left = [*before]
    for line in removed:
        left.remove(line)
    assert sorted([*left, *added]) == sorted(after)


def test_many_lines_are_compared_in_no_time() -> None:
    """SEC-4: comparing takes time by the square of the lines, unless somebody sees to it."""
    began = time.process_time()
    assert changes("a\n" * 12_000, "a\n" * 12_000 + "b") == (["b"], [])
    assert changes("a\nb\n" * 6_000, "b\na\n" * 6_000) is None
    assert time.process_time() - began < 2.0
