"""What was made of files is kept for as long as they stay as they are."""

import time

import pytest

from weft.workspaces.remembered import FromFiles

OLD = (1, 1, 5, 7, 7)


@pytest.fixture
def known() -> FromFiles[str]:
    return FromFiles(len, 1_000)


def test_it_is_kept_for_these_very_files(known: FromFiles[str]) -> None:
    """SKILL-10: another signature, or a file that came or went, is another thing."""
    known.put("ann", (OLD, None), "text")
    assert known.get("ann", (OLD, None)) == "text"
    for other in ((OLD, OLD), (None, None), ((1, 2, 5, 7, 7), None)):
        assert known.get("ann", other) is None
    assert known.get("bob", (OLD, None)) is None


def test_what_changed_a_moment_ago_is_not_kept(known: FromFiles[str]) -> None:
    """WORK-1: it may change again within the same tick of the clock, and look the same."""
    now = time.time_ns()
    for fresh in ((now, 1, 5, 7, 7), (1, now, 5, 7, 7)):
        known.put("ann", (OLD, fresh), "text")
        assert known.get("ann", (OLD, fresh)) is None


def test_the_one_asked_for_least_recently_goes_first(known: FromFiles[str]) -> None:
    """SEC-4: bounded by size; one that alone is too large is not kept."""
    for name in ("a", "b", "c"):
        known.put(name, (OLD,), "x" * 100)
    known.get("a", (OLD,))
    known.put("d", (OLD,), "x" * 100)
    assert [name for name in "abcd" if known.get(name, (OLD,))] == ["a", "c", "d"]
    known.put("huge", (OLD,), "x" * 2_000)
    assert known.get("huge", (OLD,)) is None
    assert known.get("d", (OLD,)), "and it does not take the place of the others"
    assert known._size == sum(size for _, _, size in known._kept.values())
