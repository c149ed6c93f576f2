"""A note says what has changed in a file or memory since the prefix was written that shows it."""

import difflib

from weft.context.blocks import Block, Scope

_SMALL = 0.5  # of the block; a larger note is no cheaper than folding the change in within a few turns

_MOST_LINES = 400  # between the first and the last that are others: comparing takes time by their square


def note_of(old: Block, new: Block) -> Block | None:
    """What has changed, or None where saying so takes about as much as the whole."""
    key = new.shrinks
    before, after = old.values.get(key), new.values.get(key)
    if not isinstance(before, str) or not isinstance(after, str) or old.trust != new.trust:
        return None
    difference = _difference(before.splitlines(), after.splitlines())
    if difference is None:
        return None
    removed, added = difference
    changes = {"block": new.title, "name": new.id, "added": added, "removed": removed}
    note = Block(f"note/{new.id}", new.source, new.trust, Scope.TURN, changes, title="CHANGED_SINCE")
    return note if len(note.text) <= _SMALL * len(new.text) else None


def _difference(before: list[str], after: list[str]) -> tuple[list[str], list[str]] | None:
    """The lines that went and those that came; None where so many are others that finding out would take too long."""
    shorter = min(len(before), len(after))
    head = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    tail = next((at for at in range(shorter - head) if before[-1 - at] != after[-1 - at]), shorter - head)
    before, after = before[head : len(before) - tail], after[head : len(after) - tail]
    if max(len(before), len(after)) > _MOST_LINES:
        return None
    removed: list[str] = []
    added: list[str] = []
    steps = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for step, old_from, old_to, new_from, new_to in steps:
        if step != "equal":
            removed += before[old_from:old_to]
            added += after[new_from:new_to]
    return removed, added
