"""A note says what has changed in a file or memory since the prefix was written that shows it."""

import difflib

from weft.context.blocks import Block, Scope

_SMALL = 0.5  # of the block; a larger note is no cheaper than folding the change in within a few turns


def note_of(old: Block, new: Block) -> Block | None:
    """What has changed, or None where saying so takes about as much as the whole."""
    key = new.shrinks
    before, after = old.values.get(key), new.values.get(key)
    if not isinstance(before, str) or not isinstance(after, str) or old.trust != new.trust:
        return None
    removed, added = _difference(before.splitlines(), after.splitlines())
    changes = {"block": new.title, "name": new.id, "added": added, "removed": removed}
    note = Block(f"note/{new.id}", new.source, new.trust, Scope.TURN, changes, title="CHANGED_SINCE")
    return note if len(note.text) <= _SMALL * len(new.text) else None


def _difference(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    removed: list[str] = []
    added: list[str] = []
    steps = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for step, old_from, old_to, new_from, new_to in steps:
        if step != "equal":
            removed += before[old_from:old_to]
            added += after[new_from:new_to]
    return removed, added
