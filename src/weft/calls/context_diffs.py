"""How two calls differ, and which block ends what they have in common."""

import difflib
from collections.abc import Mapping, Sequence
from uuid import UUID

from weft.calls.context_schemas import BlockChange, Change, ContextDiff
from weft.calls.sent_texts import text_of
from weft.context.prefix import Segment, Sent, expectation, shared_beginning

_MOST_LINES = 40  # of one block's difference
_LONGEST_LINE = 400


def diff_of(call_id: UUID, now: Sent, before_id: UUID, before: Sent, unit: int) -> ContextDiff:
    """The later call beside the earlier one."""
    found = expectation(now, before, unit)
    return ContextDiff(
        call_id=call_id,
        before_id=before_id,
        common_tokens=found.tokens,
        total_before=before.total,
        total_after=now.total,
        broke=found.changed or None,
        collapsed=found.collapsed,
        lost_tokens=found.lost,
        changes=_changes(_named(before), _named(now)),
    )


def _named(sent: Sent) -> dict[str, Segment]:
    """The parts by their names; what closes a message is no part of its own."""
    return {segment.name: segment for segment in sent.segments if not segment.name.endswith("/end")}


def _changes(before: Mapping[str, Segment], after: Mapping[str, Segment]) -> list[BlockChange]:
    """In the order of the call before; what came stands where it came."""
    stayed = [name for name in before if name in after]
    order = [name for name in after if name in before]
    moved = {here for here, there in zip(order, stayed, strict=True) if here != there}
    places = {name: place for place, name in enumerate(after)} | {name: place for place, name in enumerate(before)}
    names = sorted(places, key=lambda name: places[name])
    found = [_change(name, before.get(name), after.get(name), name in moved) for name in names]
    return [each for each in found if each is not None]


def _change(name: str, old: Segment | None, new: Segment | None, moved: bool) -> BlockChange | None:
    was, now = ("" if each is None else text_of(each) for each in (old, new))
    change: Change = "came" if old is None else "went" if new is None else "changed" if was != now else "moved"
    if change == "moved" and not moved:
        return None
    return BlockChange(
        id=name,
        change=change,
        stable=bool(old.stable if old is not None else new is not None and new.stable),
        tokens_before=0 if old is None else old.tokens,
        tokens_after=0 if new is None else new.tokens,
        difference=_lines(was, now),
    )


def _lines(was: str, now: str) -> list[str]:
    differing = [*difflib.unified_diff(was.splitlines(), now.splitlines(), lineterm="", n=0)][2:]  # without its head
    removed = [line[1:] for line in differing if line.startswith("-")]
    added = [line[1:] for line in differing if line.startswith("+")]
    lines = [f"-{_around(line, added[at : at + 1])}" for at, line in enumerate(removed)]
    lines += [f"+{_around(line, removed[at : at + 1])}" for at, line in enumerate(added)]
    more = len(lines) - _MOST_LINES
    return [*lines[:_MOST_LINES], f"… {more} more lines"] if more > 0 else lines


def _around(line: str, other: Sequence[str]) -> str:
    """A line; of a long one, what stands where it begins to differ from the other."""
    if len(line) <= _LONGEST_LINE:
        return line
    shared = max((shared_beginning(line, each) for each in other), default=0)
    begin = max(0, shared - _LONGEST_LINE // 4)
    end = begin + _LONGEST_LINE
    return f"{'…' if begin else ''}{line[begin:end]}{'…' if end < len(line) else ''}"
