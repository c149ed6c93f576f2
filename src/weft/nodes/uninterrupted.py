"""Work that is carried to its end, whoever stops the one who waits for it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


def _never() -> bool:
    return False


async def uninterrupted(work: Coroutine[Any, Any, None], unless: Callable[[], bool] = _never) -> None:
    """Do the work; a cancellation meanwhile is raised once it is done, or at once for as long as `unless` holds."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        if unless():
            task.cancel()
        await asyncio.wait((task,))
        if not task.cancelled() and (problem := task.exception()) is not None:
            raise problem from None
        raise
