"""What stands where nothing is remembered: the port of memory without a memory behind it."""

from collections.abc import Sequence

from weft.kit.actor import Actor
from weft.state.shared import Memory


class NothingRecalled:
    """Implements the engine's `Recall` for an installation without one."""

    async def recall(self, actor: Actor, words: str) -> Sequence[Memory]:
        """Nothing bears on it."""
        return ()
