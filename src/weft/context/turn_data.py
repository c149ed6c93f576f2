"""The data of a turn: before the words where it stays as it was sent, after the history what is of this call alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft.context.blocks import Block, Scope
from weft.context.cutting import Fitted

NOTE = "note/"
_VARIES = "matched"  # in a case: which of the user's words called it this time


@dataclass(frozen=True, slots=True)
class TurnData:
    """Where this turn's blocks stand."""

    here: tuple[Fitted, ...]  # with the user's message, in this call and in those that follow
    late: tuple[Fitted, ...]  # after everything

    @property
    def stays(self) -> list[Block]:
        """What the next calls find where it is now."""
        return [each.block for each in self.here if not each.slot.fleeting]


def parted(fitted: Sequence[Fitted], sent: Sequence[Fitted], *, late: bool) -> TurnData:
    """The blocks of a turn; `sent` are those that stand with its message since an earlier call.

    These stay as they are, and what has come or changed since stands late; where a model takes nothing late, after
    them.
    """
    data = [each for each in fitted if each.block.scope is Scope.TURN and each.state != "dropped"]
    stays = list(sent) or [each for each in data if not each.slot.fleeting]
    standing = {each.block for each in stays}
    others = [each for each in data if each.block not in standing]
    return TurnData(tuple(stays), tuple(others)) if late else TurnData((*stays, *others), ())


def only_new(blocks: Iterable[Block], before: Mapping[str, Sequence[Block]]) -> tuple[Block, ...]:
    """The blocks without what stands with earlier messages already: a note that was told, a case that was shown."""
    given = [block for each in before.values() for block in each]
    told = {block.id: block for block in given if block.id.startswith(NOTE)}
    shown: dict[str, list[Any]] = {}
    for block in given:
        shown.setdefault(block.id, []).extend(_same(item) for item in _titled(block))
    left = (block for block in blocks if told.get(block.id) != block)
    return tuple(_without(block, shown.get(block.id, ())) for block in left)


def _without(block: Block, shown: Sequence[Any]) -> Block:
    items = _titled(block)
    above = [item["title"] for item in items if _same(item) in shown]
    if not above:
        return block
    return block.having(**{block.shrinks: [item for item in items if _same(item) not in shown], "shown_above": above})


def _titled(block: Block) -> Sequence[Mapping[str, Any]]:
    """The items of a turn's list, where they have titles to be pointed at."""
    items = block.values.get(block.shrinks) if block.scope is Scope.TURN and block.shrinks else None
    if not isinstance(items, tuple) or not all(isinstance(item, Mapping) and "title" in item for item in items):
        return ()
    return items


def _same(item: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != _VARIES}
