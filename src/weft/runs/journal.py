"""Where a turn is written down: each step in one transaction, by the process that holds the run and no other."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from weft.calls.schemas import CallTold
from weft.kit.actor import Actor
from weft.kit.db import Database, Transaction
from weft.kit.errors import WorldError
from weft.kit.ids import new_id
from weft.kit.log import get_logger
from weft.nodes.ports import Ending, Step
from weft.runs.approval_repository import ApprovalRepository
from weft.runs.deciding import go_on, still_open
from weft.runs.errors import LeaseLostError
from weft.runs.live import LiveRun
from weft.runs.repository import Left, Owner, RunRepository
from weft.runs.telling import Telling
from weft.runs.units import Units
from weft.runs.written_rows import message_of
from weft.sessions.schemas import MessageView
from weft.sessions.service import SessionService
from weft.state.events import ApprovalAsked, CallMade, Event, RunPaused, StateChanged
from weft.state.public import PublicState, delta, public_state
from weft.state.snapshot import record_snapshot

log = get_logger(__name__)
FLUSH_SECONDS = 0.4  # how long what was shown may wait to be stored


@dataclass(frozen=True, slots=True)
class Held:
    """A run that this process holds."""

    owner: Owner
    actor: Actor
    turn: int
    fence: int
    lease: float  # seconds


@dataclass(slots=True)
class RunJournal:
    """Implements the engine's `Journal` over the database."""

    database: Database
    held: Held
    live: LiveRun
    telling: Telling
    units: Units
    prompts: Any  # what the conversation's prefix shows is kept with the step that changed it
    public: PublicState = field(default_factory=dict)
    over: bool = False
    next_waits: bool = True  # whether another run of the session may wait for the end of this one
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _flushing: asyncio.Task[None] | None = None

    async def write(self, step: Step) -> None:
        """Write a step, all of it or nothing."""
        async with self._lock:
            async with self.database.transaction(self.held.actor) as tx:
                told, rows = await self._write(tx, step)
            self._written(step, told, rows)

    async def within(self, work: Callable[[], Awaitable[Step]]) -> None:
        """Do the work in the transaction that writes the step it comes to."""
        async with self._lock:
            async with self.database.transaction(self.held.actor) as tx:
                with self.units.within(tx):
                    step = await work()
                told, rows = await self._write(tx, step)
            self._written(step, told, rows)

    def show(self, event: Event) -> None:
        """Tell those who watch; stored with the next step, or a moment later."""
        self.telling.show(event)
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.ensure_future(self._flush_soon())

    async def close(self) -> None:
        """Stop waiting to store."""
        if self._flushing is not None:
            self._flushing.cancel()
            with suppress(asyncio.CancelledError):
                await self._flushing

    async def _flush_soon(self) -> None:
        """Store what was shown, for those who watch elsewhere and for whoever takes the run over."""
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            if self.over or not self.telling.waiting:
                return
            try:
                await self._flush()
            except LeaseLostError:
                return
            except WorldError as error:
                log.warning("events_not_stored_yet", run=str(self.held.owner.run_id), error=error.detail)

    async def _flush(self) -> None:
        async with self._lock:
            rows = self.telling.rows()
            if not rows or self.over:
                return
            async with self.database.transaction(self.held.actor) as tx:
                runs = RunRepository(tx.connection)
                await self._hold(runs)
                await runs.tell(self.held.owner, rows)
            self.telling.stored(rows)

    async def _write(self, tx: Transaction, step: Step) -> tuple[list[Event], list[dict[str, Any]]]:
        owner, runs = self.held.owner, RunRepository(tx.connection)
        if step.ending is None:
            await self._hold(runs)
        else:
            await self._let_go(runs, step.ending)
        sessions = SessionService(tx)
        if step.ending is not None:
            await self._end(sessions, tx, step, step.ending)
        written = await sessions.append(owner.session_id, [message_of(row) for row in step.rows], owner.run_id)
        kept = await self.prompts.keep(tx, step)
        events = [*step.events, *self._calls_made(step, written, kept.calls)]
        if step.approvals:
            events += await self._ask(tx, step)
        if step.ending is not None and step.ending.status == "waiting":
            events += await self._rest(tx)
        events = _before_the_end(events, self._state_changes(step))
        rows = self.telling.rows(events)
        over = step.ending is not None and step.ending.status != "waiting"
        snapshot = record_snapshot(step.state.snapshot()).json if over else None
        await runs.write(owner, Left(step.nodes, step.actions, self.held.turn, snapshot, kept.standing, rows))
        return events, rows

    def _written(self, step: Step, told: Sequence[Event], rows: Sequence[dict[str, Any]]) -> None:
        """It is committed: now everybody may know."""
        self.public = self._view(step)
        self.telling.stored(rows, told)
        if step.ending is not None:
            self.over = True
            self.live.close()

    async def _hold(self, runs: RunRepository) -> None:
        held = self.held
        if await runs.hold(held.owner.run_id, held.fence, held.lease) is None:
            raise LeaseLostError(f"run {held.owner.run_id} is carried on by another process")

    async def _let_go(self, runs: RunRepository, ending: Ending) -> None:
        held = self.held
        over = ending.status != "waiting"
        waits = await runs.let_go(held.owner.run_id, held.fence, ending.status, over=over, error=ending.error)
        if waits is None:
            raise LeaseLostError(f"run {held.owner.run_id} is carried on by another process")
        self.next_waits = waits

    async def _ask(self, tx: Transaction, step: Step) -> list[Event]:
        owner = self.held.owner
        told: list[Event] = []
        rows = []
        in_order = sorted(new_id() for _ in step.approvals)  # as the calls are: they are listed by their ids
        for approval_id, wish in zip(in_order, step.approvals, strict=True):
            expires = wish.expires_at
            values = {"id": approval_id, "call_id": wish.call_id, "name": wish.name, "message": wish.message}
            rows.append(
                {**owner._asdict(), **values, "arguments": _plain(wish.arguments), "schema": _plain(wish.schema)}
                | {"expires_at": expires}
            )
            arguments, schema = _plain(wish.arguments), _plain(wish.schema)
            told.append(
                ApprovalAsked(
                    str(approval_id), wish.call_id, wish.name, arguments, wish.message, schema, expires.isoformat()
                )
            )
        await ApprovalRepository(tx.connection).add(rows)
        return told

    async def _rest(self, tx: Transaction) -> list[Event]:
        """Wait for those who have not spoken; where all have by now, or somebody has asked for the end, go on at once.

        The run is locked, so that nobody decides anything between this look and the commit.
        """
        owner, runs = self.held.owner, RunRepository(tx.connection)
        run = await runs.get(owner.run_id)
        left = await still_open(tx, owner.run_id)
        if left and run["cancel_requested_at"] is None:
            await SessionService(tx).mark_waiting(owner.session_id, [row["call_id"] for row in left])
            return [RunPaused(tuple(str(row["id"]) for row in left))]
        await ApprovalRepository(tx.connection).withdraw(owner.run_id)
        await go_on(runs, run)
        return []

    async def _end(self, sessions: SessionService, tx: Transaction, step: Step, ending: Ending) -> None:
        owner = self.held.owner
        if ending.status == "waiting":
            return
        if any(call.expires_at is not None for call in step.state.turn.calls.values()):
            await ApprovalRepository(tx.connection).withdraw(owner.run_id)  # whoever decides now is too late
        if ending.status == "failed" and ending.error is not None:
            await sessions.mark_failed(owner.session_id, ending.error[0])
        else:
            await sessions.mark_completed(owner.session_id, "cancelled" if ending.status == "cancelled" else None)

    def _calls_made(self, step: Step, written: Sequence[MessageView], went: Mapping[UUID, CallTold]) -> list[Event]:
        seen = {call.id: call for sent in step.sent for call in sent.calls}
        made: list[Event] = []
        for message in written:
            call = seen.get(message.call_id) if message.call_id is not None else None
            if message.call_id is None:
                continue
            told = went.get(message.call_id, CallTold("succeeded", None))
            made.append(
                CallMade(
                    str(message.call_id),
                    call.purpose if call else "",
                    call.model if call else "",
                    message.input_tokens,
                    message.cached_input_tokens,
                    message.output_tokens,
                    None if message.cost is None else format(message.cost, "f"),
                    message.currency,
                    told.outcome,
                    told.first_token_ms,
                )
            )
        return made

    def _view(self, step: Step) -> PublicState:
        owner = self.held.owner
        return public_state(step.state, str(owner.session_id), str(owner.run_id))

    def _state_changes(self, step: Step) -> list[Event]:
        changed = delta(self.public, self._view(step))
        return [StateChanged(tuple(changed))] if changed and self.public else []


def _before_the_end(events: list[Event], more: list[Event]) -> list[Event]:
    """What ends a run is the last thing that is told of it."""
    ends = [event for event in events if event.type in ("run_paused", "run_finished", "run_failed")]
    return [*(event for event in events if event not in ends), *more, *ends]


def _plain(value: Any) -> Any:
    return orjson.loads(orjson.dumps(value, default=dict))
