"""What a conversation's prefix shows, as it is kept between calls: after a restart it must be the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.context.blocks import Block, Scope, Trust


@dataclass(frozen=True, slots=True)
class Standing:
    """Blocks as they were when the prefix was last written anew, where its history begins, what was sent since."""

    key: str
    blocks: Mapping[str, Block] = field(default_factory=dict)
    start: int = 0  # the number of the first text that it shows
    read: int = 0  # the number of the first text that was said since
    turns: Mapping[str, tuple[Block, ...]] = field(default_factory=dict)  # data, by the user's message it stands with

    def dump(self) -> dict[str, Any]:
        """Plain JSON, for the session's snapshot."""
        turns = [[name, _dumped(given)] for name, given in self.turns.items()]
        return {
            "key": self.key,
            "blocks": _dumped([*self.blocks.values()]),
            "start": self.start,
            "read": self.read,
            "turns": turns,
        }

    @classmethod
    def load(cls, dumped: Mapping[str, Any]) -> "Standing":
        """The same again."""
        blocks = {block.id: block for block in _loaded(dumped["blocks"])}
        turns = {name: _loaded(given) for name, given in dumped["turns"]}
        return cls(dumped["key"], blocks, dumped["start"], dumped["read"], turns)


def _dumped(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    return [_as_json(block) for block in blocks]


def _loaded(dumped: Sequence[Mapping[str, Any]]) -> tuple[Block, ...]:
    return tuple(_block(each) for each in dumped)


def _as_json(block: Block) -> dict[str, Any]:
    # Pairs, not a mapping: JSONB would give the keys back in an order of its own, and the text would be another.
    content = block.content if isinstance(block.content, str) else [[key, _plain(v)] for key, v in block.values.items()]
    fields = {"id": block.id, "source": block.source, "trust": block.trust.value, "scope": block.scope.value}
    return fields | {"content": content, "title": block.title, "shrinks": block.shrinks}


def _block(dumped: Mapping[str, Any]) -> Block:
    content = dumped["content"]
    values = content if isinstance(content, str) else dict(content)
    trust, scope = Trust(dumped["trust"]), Scope(dumped["scope"])
    return Block(dumped["id"], dumped["source"], trust, scope, values, dumped["title"], dumped["shrinks"])


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, tuple) else value
