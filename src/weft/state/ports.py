"""What the state needs from outside."""

from collections.abc import Sequence
from typing import Protocol

from weft.state.turn import Turn


class EarlierTurns(Protocol):
    """The turns that are over: asked for when somebody wants to see them, never to start or resume one."""

    async def turns(self, first: int, last: int) -> Sequence[Turn]:
        """These turns, in order: each the fold of its actions from the snapshot before it."""
