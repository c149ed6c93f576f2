"""CrewAI is heavy: it is imported beside the event loop, once, when the first turn needs it or the server is up."""

import importlib
from typing import Any

import anyio.to_thread

from weft.nodes.turn import Turn


def _load() -> Any:
    return importlib.import_module("weft.flow.stages").run_turn


class FlowLoader:
    """Runs a turn through the flow, which is imported by the first that asks."""

    def __init__(self) -> None:
        self._run: Any = None

    async def load(self) -> None:
        """Import it now, so that no user waits for it."""
        if self._run is None:
            self._run = await anyio.to_thread.run_sync(_load)

    async def __call__(self, turn: Turn) -> None:
        """Carry a turn through its stages."""
        await self.load()
        await self._run(turn)
