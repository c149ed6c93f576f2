"""What measurements share: a Weft of their own, tables, and medians."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from weft.accounts.authentication import LocalAuthentication
from weft.compose import Weft, open_weft
from weft.kit import log
from weft.kit.actor import Actor
from weft.settings import Settings


@asynccontextmanager
async def fresh_weft() -> AsyncIterator[tuple[Weft, Actor]]:
    """A Weft with an empty embedded database, and its one user."""
    log.configure("WARNING", plain=True)
    with tempfile.TemporaryDirectory(prefix="weft-bench-", ignore_cleanup_errors=True) as folder:
        async with open_weft(Settings(home=Path(folder) / "home")) as weft:
            yield weft, (await LocalAuthentication.prepare(weft.database)).actor


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a measurement."""
    asyncio.run(work())


async def measured(work: Callable[[], Awaitable[Any]], rounds: int) -> tuple[float, float]:
    """Median wall and processor milliseconds of one round."""
    walls, processors = [], []
    for _ in range(rounds):
        wall, processor = time.perf_counter(), time.process_time()
        await work()
        walls.append((time.perf_counter() - wall) * 1000)
        processors.append((time.process_time() - processor) * 1000)
    return statistics.median(walls), statistics.median(processors)


def table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table that Markdown reads too."""
    print("| " + " | ".join(headings) + " |")
    print("|" + " --- |" * len(headings))
    for row in rows:
        print("| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
