"""Following a run from any place in what it told, whichever process carries it out."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

from weft.kit.actor import Actor
from weft.kit.db import Database
from weft.runs.errors import RunUnknownError
from weft.runs.live import Hub, Told, merged
from weft.runs.repository import RunRepository
from weft.runs.schemas import RunStatus
from weft.state.events import ENDS, load

PAGE = 500
LOOK_SECONDS = 2.0  # how long a notification may be late before the table is looked at anyway
_OVER = frozenset({RunStatus.COMPLETED.value, RunStatus.FAILED.value, RunStatus.CANCELLED.value})


class Bell:
    """Wakes those who wait for a run to tell something more."""

    def __init__(self) -> None:
        self._waiting: dict[UUID, list[asyncio.Future[None]]] = {}

    def ring(self, payload: str | None) -> None:
        """A notification came: `run:seq`; None after the connection was lost, when anything may have happened."""
        if payload is None:
            for run_id in list(self._waiting):
                self._wake(run_id)
            return
        if self._waiting:
            self._wake(UUID(payload.partition(":")[0]))

    async def wait(self, run_id: UUID, seconds: float) -> None:
        """Until the run tells something more, or this long."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(run_id, []).append(future)
        try:
            async with asyncio.timeout(seconds):
                await future
        except TimeoutError:
            pass
        finally:
            left = [each for each in self._waiting.get(run_id, []) if each is not future]
            if left:
                self._waiting[run_id] = left
            else:
                self._waiting.pop(run_id, None)

    def _wake(self, run_id: UUID) -> None:
        for future in self._waiting.pop(run_id, []):
            if not future.done():
                future.set_result(None)


class Follower:
    """Follows runs on behalf of an actor; what is not within their reach is unknown to them."""

    def __init__(self, database: Database, hub: Hub, bell: Bell) -> None:
        self._database = database
        self._hub = hub
        self._bell = bell

    async def follow(self, actor: Actor, run_id: UUID, after: int = 0) -> AsyncIterator[Sequence[Told]]:
        """Batch by batch, until the run pauses or is over; pieces of one text come as one where they came together."""
        live = self._hub.get(run_id)
        if live is None or not live.is_of(actor):
            await self._status(actor, run_id)  # a run out of reach is told of before anything of it is
        while True:
            live = self._hub.get(run_id)
            if live is not None and after >= live.start:
                async for told in live.follow(after):
                    batch, over = _to_the_end(told)
                    yield batch
                    after = max(after, batch[-1][0])
                    if over:
                        return
                after = max(after, live.start)
                if live.closed and not await self._goes_on(actor, run_id):
                    return
                continue
            rows = await self._rows(actor, run_id, after, None if live is None else live.start)
            if rows:
                batch, over = _to_the_end(merged([(row["seq"], load(row["type"], row["data"])) for row in rows]))
                after = rows[-1]["seq"]
                yield batch
                if over:
                    return
            elif live is None:
                if not await self._goes_on(actor, run_id):
                    return
                await self._bell.wait(run_id, LOOK_SECONDS)
            else:
                after = live.start

    async def _rows(self, actor: Actor, run_id: UUID, after: int, until: int | None) -> Sequence[dict[str, Any]]:
        async with self._database.transaction(actor) as tx:
            rows = await RunRepository(tx.connection).events(run_id, after, PAGE)
        return [dict(row) for row in rows if until is None or row["seq"] <= until]

    async def _goes_on(self, actor: Actor, run_id: UUID) -> bool:
        return await self._status(actor, run_id) not in _OVER

    async def _status(self, actor: Actor, run_id: UUID) -> str:
        async with self._database.transaction(actor) as tx:
            row = await RunRepository(tx.connection).get(run_id)
        if row is None:
            raise RunUnknownError(f"there is no run {run_id}")
        status: str = row["status"]
        return status


def _to_the_end(told: Sequence[Told]) -> tuple[Sequence[Told], bool]:
    """What was told up to the run's end or pause, and whether it is among it."""
    ended = next((at for at, (_, event) in enumerate(told) if isinstance(event, ENDS)), None)
    return (told, False) if ended is None else (told[: ended + 1], True)
