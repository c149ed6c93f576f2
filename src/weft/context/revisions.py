"""A file or memory that changes in mid-conversation keeps its old place; the change travels as a note.

Rewritten in place it would cost the whole conversation after it at the full price. The note stands with the turn's
data until the next cut: a step of the window, a skill switch, a new session, a change of anything that stands before.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.context.blocks import SCOPES, Block, Scope, Trust, text_hash
from weft.context.prefix import as_json
from weft.context.recipes import Recipe
from weft.llm.types import ToolSpec

_SMALL = 0.5  # of the block; a larger note is no cheaper than folding the change in within a few turns


@dataclass(frozen=True, slots=True)
class Standing:
    """What a conversation's prefix shows: blocks as they were when it was last written anew."""

    key: str
    blocks: Mapping[str, Block] = field(default_factory=dict)

    def dump(self) -> dict[str, Any]:
        """Plain JSON, for the session's snapshot: after a restart the prefix must be the same."""
        return {"key": self.key, "blocks": [_dumped(block) for block in self.blocks.values()]}

    @classmethod
    def load(cls, dumped: Mapping[str, Any]) -> "Standing":
        """The same again."""
        blocks = [_loaded(each) for each in dumped["blocks"]]
        return cls(dumped["key"], {block.id: block for block in blocks})


def settle(
    standing: Standing | None, recipe: Recipe, start: int, blocks: Sequence[Block], tools: Sequence[ToolSpec] = ()
) -> tuple[Standing, list[Block]]:
    """The blocks as this call shows them, with notes for what has changed since; and what the next call goes by."""
    keeping = {block.id: block for block in blocks if _keeps_place(recipe, block)}
    key = _key(recipe, start, [block for block in blocks if block.id not in keeping], tools)
    same_files = standing is not None and standing.key == key and [*standing.blocks] == [*keeping]
    if standing is None or not same_files:  # a file that came or went: the prefix is written anew
        return Standing(key, keeping), list(blocks)
    notes: list[Block] = []
    for name, block in keeping.items():
        if (old := standing.blocks[name]) != block:
            note = _note(old, block)
            if note is None:
                return Standing(key, keeping), list(blocks)
            notes.append(note)
    return standing, [standing.blocks.get(block.id, block) for block in blocks] + notes


def _keeps_place(recipe: Recipe, block: Block) -> bool:
    position = recipe.slot_of(block)
    return position is not None and recipe.slots[position].keeps_place


def _key(recipe: Recipe, start: int, others: Sequence[Block], tools: Sequence[ToolSpec]) -> str:
    prefix = [block.id + block.hash for block in others if SCOPES[block.scope] < SCOPES[Scope.STAGE]]
    schemas = [as_json([tool.name, tool.description, tool.parameters]) for tool in tools]
    return text_hash("\n".join([str(recipe.phase), str(start), *schemas, *prefix]))


def _note(old: Block, new: Block) -> Block | None:
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


def _dumped(block: Block) -> dict[str, Any]:
    # Pairs, not a mapping: JSONB would give the keys back in an order of its own, and the text would be another.
    content = block.content if isinstance(block.content, str) else [[key, _plain(v)] for key, v in block.values.items()]
    fields = {"id": block.id, "source": block.source, "trust": block.trust.value, "scope": block.scope.value}
    return fields | {"content": content, "title": block.title, "shrinks": block.shrinks}


def _loaded(dumped: Mapping[str, Any]) -> Block:
    content = dumped["content"]
    values = content if isinstance(content, str) else dict(content)
    trust, scope = Trust(dumped["trust"]), Scope(dumped["scope"])
    return Block(dumped["id"], dumped["source"], trust, scope, values, dumped["title"], dumped["shrinks"])


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, tuple) else value
