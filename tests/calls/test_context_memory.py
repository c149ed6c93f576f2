"""What a process remembers of calls is bounded, and is never taken for more than it is."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from tests.calls.conftest import Recorder, compiled
from tests.context.blocks import conversation, memory, usual
from weft.calls import shared_prefixes
from weft.calls.context_memory import ContextMemory, Kept
from weft.calls.shared_prefixes import SharedPrefixes, Whose
from weft.context.blocks import text_hash
from weft.context.compiling import Compiled
from weft.context.prefix import Segment, Sent

ANN, BOB, SHOP = UUID(int=1), UUID(int=2), UUID(int=3)
HOUR = datetime(2026, 11, 19, 6, tzinfo=UTC)


def _kept(number: int, characters: int) -> Kept:
    return Kept(UUID(int=number), Sent((Segment("x", "x" * characters, 1, True),)), characters)


def test_a_text_is_known_for_one_user_and_one_hour() -> None:
    """SKILL-11: after that it may have been swept."""
    known = ContextMemory()
    known.note_stored(ANN, ["b", "a"], HOUR)
    assert known.unknown(ANN, ["c", "a", "c", "b"], HOUR) == ["c"]
    assert known.unknown(ANN, ["b", "a"], HOUR + timedelta(hours=1)) == ["a", "b"]
    assert known.unknown(BOB, ["a"], HOUR) == ["a"]


def test_it_forgets_the_oldest() -> None:
    """SKILL-11: hashes and conversations, each within its bound."""
    known = ContextMemory(texts=3, characters=100)
    known.note_stored(ANN, ["a", "b", "c", "d"], HOUR)
    assert known.unknown(ANN, ["a", "b", "c", "d"], HOUR) == ["a"]
    for number in range(6):
        known.note_last(UUID(int=number), _kept(number, 20))
        known.note_last(UUID(int=0), _kept(number, 20))
    assert known.last(UUID(int=0)) == _kept(5, 20)
    assert known.last(UUID(int=1)) is None
    assert known.last(UUID(int=5)) == _kept(5, 20)
    known.note_last(UUID(int=5), _kept(9, 90))
    assert known.last(UUID(int=5)) is None, "one that would drive out all the others is not kept"


async def test_the_next_call_sends_only_what_is_new(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    """SKILL-11: an unchanged text goes to the database once an hour, however many calls are sent it."""
    asked: list[list[str]] = []
    before = ContextMemory.unknown

    def unknown(self: ContextMemory, *about: object) -> list[str]:
        asked.append(before(self, *about))  # type: ignore[arg-type]
        return asked[-1]

    monkeypatch.setattr(ContextMemory, "unknown", unknown)
    first = compiled(rows=conversation(3))
    second = compiled(rows=conversation(4), after=first)
    await recorder.call(first)
    await recorder.call(second)
    await recorder.call(second)
    known = {text_hash(segment.text) for segment in first.sent.segments}
    new = {text_hash(segment.text) for segment in second.sent.segments} - known
    assert asked == [sorted(known), sorted(new), []]


def _common(prefixes: SharedPrefixes, whose: Whose, made: Compiled, *, note: bool = True) -> int:
    hashes = [text_hash(segment.text) for segment in made.sent.segments]
    found = prefixes.common(whose, made.sent, hashes, made.manifest.entries)
    if note:
        prefixes.note(whose, made.sent, hashes, made.manifest.entries)
    return found


def test_a_prefix_is_shared_within_a_business_and_a_model() -> None:
    """SKILL-10: the longest one that a recent call had, in whichever conversation."""
    prefixes = SharedPrefixes()
    mine = compiled(usual(memory()), conversation(2))
    assert _common(prefixes, Whose(SHOP, ANN, "m"), mine) == 0
    longer = compiled(usual(memory()), conversation(3), after=mine)
    assert 0 < _common(prefixes, Whose(SHOP, ANN, "m"), longer) < longer.sent.total
    assert _common(prefixes, Whose(SHOP, ANN, "m"), mine) == mine.sent.total
    assert 0 < _common(prefixes, Whose(SHOP, BOB, "m"), mine, note=False) < mine.sent.total
    assert _common(prefixes, Whose(SHOP, ANN, "other"), mine, note=False) == 0
    assert _common(prefixes, Whose(UUID(int=9), ANN, "m"), mine, note=False) == 0


def test_a_prefix_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """SKILL-10: as caches do, by age and by number."""
    prefixes, made = SharedPrefixes(), compiled()
    _common(prefixes, Whose(SHOP, ANN, "m"), made)
    later = shared_prefixes.monotonic() + shared_prefixes.HORIZON + 1
    monkeypatch.setattr(shared_prefixes, "monotonic", lambda: later)
    assert _common(prefixes, Whose(SHOP, ANN, "m"), made, note=False) == 0
    few = SharedPrefixes(most=2)
    _common(few, Whose(SHOP, ANN, "m"), made)
    assert _common(few, Whose(SHOP, ANN, "m"), made, note=False) == 0, "of the first it has no beginning any more"
