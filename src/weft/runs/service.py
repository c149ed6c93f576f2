"""Runs, read on behalf of somebody; and kept, by the system work that claims, keeps and sweeps them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from weft.kit.actor import Actor
from weft.kit.db import Database, Transaction
from weft.kit.errors import CallerError
from weft.kit.log import get_logger
from weft.runs.approval_repository import ApprovalRepository
from weft.runs.deciding import decide
from weft.runs.errors import ApprovalUnknownError, RunUnknownError
from weft.runs.journal import Held
from weft.runs.repository import EVENTS_CHANNEL, RUNS_CHANNEL, Owner, RunRepository
from weft.runs.schemas import ActionView, ApprovalStatus, ApprovalView, EventView, RunView, StateView
from weft.state.json_form import load_action
from weft.state.runtime import RuntimeState, fold
from weft.state.snapshot import load_snapshot
from weft.state.whole import whole

EVENTS, RUNS = EVENTS_CHANNEL, RUNS_CHANNEL  # where PostgreSQL tells of them
log = get_logger(__name__)


class RunService:
    """Runs, on behalf of the transaction's actor."""

    def __init__(self, tx: Transaction) -> None:
        self._runs = RunRepository(tx.connection)
        self._approvals = ApprovalRepository(tx.connection)

    async def get(self, run_id: UUID) -> RunView:
        """One run."""
        row = await self._runs.get(run_id)
        if row is None:
            raise RunUnknownError(f"there is no run {run_id}")
        return RunView.of(row)

    async def recent(self, session_id: UUID | None, before: tuple[datetime, UUID] | None, limit: int) -> list[RunView]:
        """Runs, the newest first."""
        return [RunView.of(row) for row in await self._runs.recent(session_id, before, limit)]

    async def actions(self, run_id: UUID) -> list[ActionView]:
        """What a run has done, in order."""
        await self.get(run_id)
        rows = await self._runs.actions(run_id)
        return [ActionView.model_validate({**row, "action": row["body"]}) for row in rows]

    async def events(self, run_id: UUID, after: int, limit: int) -> list[EventView]:
        """What a run told, in order."""
        await self.get(run_id)
        return [EventView.model_validate(dict(row)) for row in await self._runs.events(run_id, after, limit)]

    async def state(self, run_id: UUID, turns: int) -> StateView:
        """The RuntimeState as the run's turn has it, with so many turns up to it: each the fold of its actions."""
        run = await self.get(run_id)
        rows = await self._runs.up_to(run.session_id, run.turn, turns)
        states = [await self._folded(row) for row in rows] or [RuntimeState()]
        return StateView.model_validate(whole(states[-1], [each.turn for each in states[:-1] if each.turn.actions]))

    async def _folded(self, row: Any) -> RuntimeState:
        before = await self._runs.snapshot_before(row["session_id"], row["turn"])
        actions = [load_action(each["body"]) for each in await self._runs.actions(row["id"])]
        return fold(load_snapshot(before) if before else None, actions)

    async def approval(self, approval_id: UUID) -> ApprovalView:
        """One approval."""
        row = await self._approvals.get(approval_id)
        if row is None:
            raise ApprovalUnknownError(f"there is no approval {approval_id}")
        return ApprovalView.of(row)

    async def approvals(
        self, status: ApprovalStatus | None, before: tuple[datetime, UUID] | None, limit: int
    ) -> list[ApprovalView]:
        """Approvals, the newest first."""
        wanted = None if status is None else status.value
        return [ApprovalView.of(row) for row in await self._approvals.recent(wanted, before, limit)]


class RunKeeper:
    """System work: it sees which runs there are and whose, and nothing of what they say."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, name: str, lease: float) -> Held | None:
        """Take on the oldest run that nobody carries out."""
        async with self._database.system() as tx:
            row = await RunRepository(tx.connection).claim(name, lease)
        if row is None:
            return None
        owner = Owner(row["id"], row["session_id"], row["business_id"], row["user_id"])
        return Held(owner, _owner_of(row), row["turn"], row["fence"], lease)

    async def beat(self, name: str, lease: float, run_ids: Sequence[UUID]) -> Sequence[tuple[UUID, bool]]:
        """Keep these runs; those that this process still holds, and which of them shall end."""
        async with self._database.system() as tx:
            rows = await RunRepository(tx.connection).beat(name, lease, run_ids)
        return [(row["id"], row["cancelled"]) for row in rows]

    async def release(self, name: str) -> Sequence[UUID]:
        """Let others carry out what this process holds."""
        async with self._database.system() as tx:
            return await RunRepository(tx.connection).release(name)

    async def expire_approvals(self) -> None:
        """What nobody allowed in time is not allowed."""
        async with self._database.system() as tx:
            rows = await RunRepository(tx.connection).expired_approvals()
        for row in rows:
            try:
                async with self._database.transaction(_owner_of(row)) as tx:
                    await decide(tx, row["id"], None)
            except CallerError as error:  # decided or deleted meanwhile
                log.info("approval_not_expired", approval=str(row["id"]), detail=error.detail)


def _owner_of(row: Any) -> Actor:
    """The user a run belongs to; what they may do now is looked up when it is carried out (SEC-5)."""
    return Actor(row["via"], frozenset(), row["business_id"], row["user_id"])
