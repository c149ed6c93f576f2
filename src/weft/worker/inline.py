"""Runs carried out inside this process: begun at once, kept by a heartbeat, others' taken up when these stop breathing.

The database decides and this only hurries: whatever is lost here, a notification or the whole process, the next look at
the table finds the run again.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID

from weft.kit.db.listen import Listener
from weft.kit.errors import WeftError
from weft.kit.ids import new_id
from weft.kit.log import get_logger
from weft.runs.desk import Hands
from weft.runs.engine import Engine
from weft.runs.execution import Execution, Rights, RunTurn
from weft.runs.journal import Held
from weft.runs.service import EVENTS, RUNS, RunKeeper

LEASE_SECONDS = 10.0
BEATS = 4  # in the time of a lease
LOOK_SECONDS = 1.0
STOP_SECONDS = 5.0
log = get_logger(__name__)


@dataclass(slots=True)
class _UnderWay:
    execution: Execution
    task: asyncio.Task[None]


@dataclass(slots=True)
class InlineWorker:
    """Carries runs out on this event loop."""

    engine: Engine
    run_turn: RunTurn
    rights: Rights  # what a caller may do now, whatever it could when the run was accepted
    most_at_once: int = 256
    lease: float = LEASE_SECONDS
    name: str = field(default_factory=lambda: f"inline-{new_id().hex}")
    _under_way: dict[UUID, _UnderWay] = field(default_factory=dict)
    _wanted: asyncio.Event = field(default_factory=asyncio.Event)
    _stopping: bool = False

    @property
    def hands(self) -> Hands:
        """What the desk needs of it."""
        return Hands(self.name, self.lease, self.take, self.hurry, self.look)

    def take(self, held: Held) -> None:
        """Carry out a run that this process holds."""
        run_id = held.owner.run_id
        self._lose(run_id)  # held by us before, for too long without a sign of life
        execution = Execution(self.engine, held, self.run_turn, self.rights)
        task = asyncio.create_task(self._carry_out(execution, run_id), name=f"run-{run_id}")
        self._under_way[run_id] = _UnderWay(execution, task)

    def hurry(self, run_id: UUID) -> None:
        """The end of a run was asked for: stop its model now."""
        found = self._under_way.get(run_id)
        if found is not None and not found.execution.cancelled_by_somebody:
            found.execution.cancelled_by_somebody = True
            found.execution.stop(found.task)

    def _lose(self, run_id: UUID) -> None:
        """It is carried on elsewhere, or anew: stop what is under way of it here."""
        found = self._under_way.get(run_id)
        if found is not None and not found.execution.over:
            found.execution.lost = True
            found.execution.stop(found.task)

    def look(self) -> None:
        """Something waits to be carried out."""
        self._wanted.set()

    @asynccontextmanager
    async def working(self, listener: Listener) -> AsyncIterator[None]:
        """Take up what waits, and keep what is held, until the end; what is then under way is given to others."""
        async with (
            listener.hearing(RUNS, self._heard),
            listener.hearing(EVENTS, self.engine.bell.ring),
        ):
            tasks = [
                asyncio.create_task(each, name=name)
                for name, each in (("weft-beat", self._beating()), ("weft-look", self._looking()))
            ]
            try:
                yield
            finally:
                self._stopping = True
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await self._give_away()

    async def settled(self) -> None:
        """Wait until nothing is under way here."""
        while self._under_way:
            await asyncio.gather(*(each.task for each in self._under_way.values()), return_exceptions=True)

    def _heard(self, payload: str | None) -> None:
        kind, _, run_id = (payload or "").partition(":")
        if kind == "cancel":
            self.hurry(UUID(run_id))
        self.look()

    async def _carry_out(self, execution: Execution, run_id: UUID) -> None:
        try:
            await execution.run()
        except asyncio.CancelledError:
            if not self._stopping:
                log.warning("run_cancelled_from_within", run=str(run_id))
        except Exception:  # the run's own failures are its end; this is one of ours, and others must go on
            log.exception("run_not_carried_out", run=str(run_id))
        finally:
            full = len(self._under_way) >= self.most_at_once
            found = self._under_way.get(run_id)
            if found is not None and found.execution is execution:
                del self._under_way[run_id]
            if full or execution.next_waits:
                self.look()

    async def _beating(self) -> None:
        while True:
            await asyncio.sleep(self.lease / BEATS)
            if self._under_way:
                await self._beat(dict(self._under_way))

    async def _beat(self, under_way: Mapping[UUID, _UnderWay]) -> None:
        """Keep what is under way; what is not ours any more is stopped, for two would do it twice."""
        try:
            held = dict(await RunKeeper(self.engine.database).beat(self.name, self.lease, list(under_way)))
        except WeftError as error:
            log.warning("heartbeat_missed", error=error.detail)
            return
        for run_id, each in under_way.items():
            if held.get(run_id):
                self.hurry(run_id)
            elif run_id not in held and self._under_way.get(run_id) is each:
                self._lose(run_id)

    async def _looking(self) -> None:
        keeper = RunKeeper(self.engine.database)
        expired = 0.0
        while True:
            try:
                if time.monotonic() - expired >= LOOK_SECONDS:
                    await keeper.expire_approvals()
                    expired = time.monotonic()
                while len(self._under_way) < self.most_at_once and await self._claim(keeper):
                    pass
            except WeftError as error:
                log.warning("look_failed", error=error.detail)
            except Exception:  # whatever it was: whoever looks no more lets every run wait for ever
                log.exception("look_failed")
            self._wanted.clear()
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._wanted.wait()
            except TimeoutError:
                pass

    async def _claim(self, keeper: RunKeeper) -> bool:
        held = await keeper.claim(self.name, self.lease)
        if held is not None:
            self.take(held)
        return held is not None

    async def _give_away(self) -> None:
        """Stop what is under way; each run is queued again at once, so that nobody waits for its lease."""
        for each in self._under_way.values():
            each.task.cancel()
        running = [each.task for each in self._under_way.values()]
        if running:
            await asyncio.wait(running, timeout=STOP_SECONDS)
        try:
            given = await RunKeeper(self.engine.database).release(self.name)
        except WeftError as error:  # then their leases run out
            log.warning("runs_not_released", error=error.detail)
        else:
            if given:
                log.info("runs_released", runs=len(given))
