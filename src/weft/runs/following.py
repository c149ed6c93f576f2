"""Following a run from any place in what it told, whichever process carries it out."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from uuid import UUID

from weft.kit.actor import Actor
from weft.kit.db import Database
from weft.runs.errors import RunUnknownError
from weft.runs.live import Hub, LiveRun, Told, merged
from weft.runs.repository import RunRepository
from weft.runs.schemas import RunStatus
from weft.state.events import ENDS, load

PAGE = 200
LOOK_SECONDS = 30.0  # how long a notification may be late before the table is looked at anyway
_OVER = frozenset({RunStatus.COMPLETED.value, RunStatus.FAILED.value, RunStatus.CANCELLED.value})


class Bell:
    """Tells those who follow a run that it has told something more."""

    def __init__(self) -> None:
        self._hearing: dict[UUID, list[asyncio.Event]] = {}

    def ring(self, payload: str | None) -> None:
        """A notification came: `run:seq`; None after the connection was lost, when anything may have happened."""
        if not self._hearing:
            return
        if payload is None:
            for events in self._hearing.values():
                _set(events)
        else:
            _set(self._hearing.get(UUID(payload.partition(":")[0]), ()))

    @contextmanager
    def hearing(self, run_id: UUID) -> Iterator[asyncio.Event]:
        """What is set whenever the run tells more: heard from before the first look on, so that nothing is missed."""
        rung = asyncio.Event()
        self._hearing.setdefault(run_id, []).append(rung)
        try:
            yield rung
        finally:
            left = [each for each in self._hearing[run_id] if each is not rung]
            if left:
                self._hearing[run_id] = left
            else:
                del self._hearing[run_id]


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
        over = False
        while not over:
            live = self._hub.get(run_id)
            if live is None or after < live.start:
                told, status = await self._stored(actor, run_id, after, live)
                batch, over = _to_the_end(told)
                if batch:
                    yield batch
                    after = told[-1][0]
                elif live is not None:
                    after = live.start
                else:
                    over = status in _OVER
                continue
            async for batch in live.follow(after):
                yield batch
                after = max(after, _last_seq(batch))
                over = isinstance(batch[-1][1], ENDS)

    async def _stored(
        self, actor: Actor, run_id: UUID, after: int, live: LiveRun | None
    ) -> tuple[Sequence[Told], str | None]:
        """What the table has after this, waited for unless the run is over or, by now, told of by this process."""
        with self._bell.hearing(run_id) as rung:
            while True:
                status, rows = await self._look(actor, run_id, after)
                found = [(row["seq"], load(row["type"], row["data"])) for row in rows]
                if live is not None:
                    return merged([each for each in found if each[0] <= live.start]), None
                if found or status in _OVER or self._hub.get(run_id) is not None:
                    return merged(found), status
                await _soon(rung)

    async def _look(self, actor: Actor, run_id: UUID, after: int) -> tuple[str, Sequence[Any]]:
        """The status first: of a run that was over then, the events that are read next are all there will be."""
        async with self._database.transaction(actor) as tx:
            runs = RunRepository(tx.connection)
            return _status_of(await runs.get(run_id), run_id), await runs.events(run_id, after, PAGE)

    async def _status(self, actor: Actor, run_id: UUID) -> str:
        async with self._database.transaction(actor) as tx:
            return _status_of(await RunRepository(tx.connection).get(run_id), run_id)


def _status_of(row: Any, run_id: UUID) -> str:
    if row is None:
        raise RunUnknownError(f"there is no run {run_id}")
    status: str = row["status"]
    return status


def _last_seq(batch: Sequence[Told]) -> int:
    """Pieces of a text that are not stored yet have no number."""
    return next((seq for seq, _ in reversed(batch) if seq), 0)


def _set(events: Iterable[asyncio.Event]) -> None:
    for event in events:
        event.set()


async def _soon(rung: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(LOOK_SECONDS):
            await rung.wait()
    rung.clear()


def _to_the_end(told: Sequence[Told]) -> tuple[Sequence[Told], bool]:
    """What was told up to the run's end or pause, and whether it is among it."""
    ended = next((at for at, (_, event) in enumerate(told) if isinstance(event, ENDS)), None)
    return (told, False) if ended is None else (told[: ended + 1], True)
