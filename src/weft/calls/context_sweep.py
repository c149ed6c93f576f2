"""Deletes what is kept of calls' contexts for longer than the operator wants, in batches that hold nobody up."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from weft.calls.repository import SweepRepository
from weft.kit import clock
from weft.kit.clock import Clock
from weft.kit.db import Database
from weft.kit.log import get_logger

log = get_logger(__name__)
BATCH = 500
FIRST_SECONDS, SWEEP_SECONDS = 60.0, 1800.0
LEAST = timedelta(hours=1)  # a turn that runs compares its calls
# A text is known to be stored for the hour in which it was sent; one hour more for clocks that do not agree.
MARGIN = timedelta(hours=2)


@dataclass(frozen=True, slots=True)
class Swept:
    """What was deleted."""

    contexts: int
    texts: int


async def sweep_contexts(database: Database, keep: timedelta, now: Clock = clock.now, batch: int = BATCH) -> Swept:
    """Delete contexts that are older than this, then the texts that none refers to any more."""
    edge = now() - max(keep, LEAST)
    contexts = texts = 0
    while deleted := await _contexts(database, edge, batch):
        contexts += deleted
    while deleted := await _texts(database, edge - MARGIN, batch):
        texts += deleted
    while (left := await _left(database, now() - MARGIN)) is not None:
        texts += left
    if contexts or texts:
        log.info("contexts_swept", contexts=contexts, texts=texts)
    return Swept(contexts, texts)


@asynccontextmanager
async def sweeping(
    database: Database, keep: timedelta, first: float = FIRST_SECONDS, every: float = SWEEP_SECONDS
) -> AsyncIterator[None]:
    """Sweep now and then for as long as the context lasts; any number of processes may."""
    task = asyncio.create_task(_keep_sweeping(database, keep, first, every), name="weft-sweep")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _keep_sweeping(database: Database, keep: timedelta, first: float, every: float) -> None:
    await asyncio.sleep(first)
    while True:
        try:
            await sweep_contexts(database, keep)
        except Exception:  # whatever it is, the next time may do it, and nobody waits for this one
            log.exception("contexts_not_swept")
        await asyncio.sleep(every)


async def _contexts(database: Database, edge: datetime, batch: int) -> int:
    async with database.system() as tx:
        return await SweepRepository(tx.connection).contexts(edge, batch)


async def _texts(database: Database, edge: datetime, batch: int) -> int:
    """Texts that were last sent before the oldest context that is left: none can refer to them."""
    async with database.system() as tx:
        sweep = SweepRepository(tx.connection)
        oldest = await sweep.oldest()
        return await sweep.texts(edge if oldest is None else min(edge, oldest - MARGIN), batch)


async def _left(database: Database, edge: datetime) -> int | None:
    """What one user's deleted conversations left behind, where no other was sent it; None when there is no more."""
    async with database.system() as tx:
        sweep = SweepRepository(tx.connection)
        user_id = await sweep.who_left(edge)
        return None if user_id is None else await sweep.left(user_id, edge)
