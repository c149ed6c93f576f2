"""Following a run for a client: batches of what it tells, which always end with how it ended."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from typing import cast
from uuid import UUID

from weft.kit.actor import Actor
from weft.runs.desk import Desk
from weft.runs.live import Told
from weft.runs.schemas import RunStatus, RunView
from weft.state.events import ENDS, Event, RunFailed, RunFinished, RunPaused

Batch = Sequence[Event]


async def batches(desk: Desk, actor: Actor, run_id: UUID, after: int = 0) -> AsyncGenerator[Batch, None]:
    """What a run tells after this number: to its end, or to where it waits; past where somebody has let it go on."""
    went_on, last = True, None
    while went_on:
        went_on = False
        async with aclosing(_follow(desk, actor, run_id, after)) as follow:
            async for told in follow:
                after, last = told[-1]
                went_on = isinstance(last, RunPaused) and await desk.went_on(actor, run_id, after)
                if events := [event for _, event in (told[:-1] if went_on else told)]:
                    yield events
        if isinstance(last, ENDS) and not went_on:
            return
    yield [_end_of(await desk.run(actor, run_id))]


async def earlier(desk: Desk, actor: Actor, run_id: UUID, until: int) -> AsyncGenerator[Event, None]:
    """What a run told up to this number, its pauses included."""
    after = before = 0
    while after < until:
        async with aclosing(_follow(desk, actor, run_id, after)) as follow:
            async for told in follow:
                for seq, event in told:
                    if seq == 0 or seq > until:
                        return
                    yield event
                    after = seq
                if after >= until:
                    return
        if after == before:
            return
        before = after


class Feed:
    """Batches, of which the next can be waited for a while without being lost."""

    def __init__(self, source: AsyncGenerator[Batch, None]) -> None:
        self._source = source
        self._next: asyncio.Future[Batch | None] | None = None

    async def soon(self, seconds: float) -> Batch | None:
        """The next batch; None where none comes in this time, or ever."""
        if self._next is None:
            self._next = asyncio.ensure_future(_next_of(self._source))
        done, _ = await asyncio.wait((self._next,), timeout=seconds)
        if not done:
            return None
        found, self._next = self._next.result(), None
        return found

    async def rest(self) -> AsyncGenerator[Batch, None]:
        """Everything that is left."""
        if self._next is not None:
            found, self._next = await self._next, None
            if found is None:
                return
            yield found
        async for batch in self._source:
            yield batch

    async def aclose(self) -> None:
        """Nobody reads on."""
        if self._next is not None:
            self._next.cancel()
            with suppress(asyncio.CancelledError):
                await self._next
        await self._source.aclose()


async def _next_of(source: AsyncGenerator[Batch, None]) -> Batch | None:
    return await anext(source, None)


def _follow(desk: Desk, actor: Actor, run_id: UUID, after: int) -> AsyncGenerator[Sequence[Told], None]:
    return cast("AsyncGenerator[Sequence[Told], None]", desk.follow(actor, run_id, after))  # to be closed in time


def _end_of(run: RunView) -> Event:
    """How a run ended that did not say so itself."""
    match run.status:
        case RunStatus.COMPLETED:
            return RunFinished()
        case RunStatus.CANCELLED:
            return RunFinished("cancelled")
        case RunStatus.FAILED:
            detail = run.error_detail or "the run failed"
            return RunFailed(run.error_code or "internal", detail, str(run.error_id or run.id))
        case _:
            detail = f"run {run.id} goes on, but nothing more of it can be told here; join it again"
            return RunFailed("unavailable", detail, str(run.id))
