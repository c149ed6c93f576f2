"""CrewAI is heavy: it is imported beside the event loop, once, when the first turn needs it or the server is up."""

import gc
import importlib
import threading
import time
from typing import Any

import anyio.to_thread

from weft.kit.log import get_logger
from weft.nodes.turn import Turn

log = get_logger(__name__)


_importing: set[int] = set()  # the threads that do


def importing() -> bool:
    """Whether it is being imported now: the end of a process would wait for that, for seconds."""
    return bool(_importing)


def _load() -> Any:
    _importing.add(threading.get_ident())
    try:
        run = importlib.import_module("weft.flow.stages").run_turn
        gc.freeze()  # 400,000 objects that stay: looking through them again and again took a tenth of each turn
        return run
    finally:
        _importing.discard(threading.get_ident())


class FlowLoader:
    """Runs a turn through the flow, which is imported by the first that asks."""

    def __init__(self) -> None:
        self._run: Any = None

    async def load(self) -> None:
        """Import it now, so that no user waits for it."""
        if self._run is None:
            began = time.monotonic()
            self._run = await anyio.to_thread.run_sync(_load)
            log.info("flow_loaded", seconds=round(time.monotonic() - began, 1))

    async def load_early(self) -> None:
        """Import it before anybody asks; what goes wrong is told again by the first turn, which tries again."""
        try:
            await self.load()
        except Exception as error:  # of any library: everything but turns works without it
            log.error("flow_not_loaded", exc_info=error)

    async def __call__(self, turn: Turn) -> None:
        """Carry a turn through its stages."""
        await self.load()
        await self._run(turn)
