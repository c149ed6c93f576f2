"""What people say to calls that wait for their word; the run goes on with the last of it (TOOL-3)."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from weft.kit import clock
from weft.kit.db import Transaction
from weft.runs.errors import ApprovalDecidedError, ApprovalUnknownError, RunEndedError, TurnInvalidError
from weft.runs.repository import ApprovalRepository, Owner, RunRepository
from weft.runs.schemas import ApprovalStatus, ApprovalView, Decision, RunStatus
from weft.state.events import RunPaused, dump

DEADLINE_SECONDS = 900  # for what is left of the turn


async def decide(tx: Transaction, approval_id: UUID, decision: Decision) -> ApprovalView:
    """Write a decision down. The same again is nothing; another one is refused."""
    approvals, runs = ApprovalRepository(tx.connection), RunRepository(tx.connection)
    row = await approvals.get(approval_id)
    if row is None:
        raise ApprovalUnknownError(f"there is no approval {approval_id}")
    run = await runs.locked(row["run_id"])
    values = _values(row, decision, tx.actor.via)
    if row["expires_at"] < clock.now() and row["status"] == ApprovalStatus.PENDING.value:
        values = {"status": ApprovalStatus.EXPIRED.value, "decided_by": "time"}
    if not await approvals.decide(approval_id, values):
        return _again(await approvals.get(approval_id), values)
    if run["status"] == RunStatus.WAITING.value and not await _pending(approvals, row["run_id"]):
        await _go_on(runs, row["run_id"])
    return ApprovalView.of(await approvals.get(approval_id))


async def resolve(
    tx: Transaction, session_id: UUID, client_run_id: str, decisions: Sequence[tuple[UUID, Decision]]
) -> tuple[UUID, int]:
    """Decide several calls of one run; what stays open is asked again. The run, and where the client's part begins."""
    approvals, runs = ApprovalRepository(tx.connection), RunRepository(tx.connection)
    run_ids = set()
    for approval_id, _ in decisions:
        row = await approvals.get(approval_id)
        if row is None or row["session_id"] != session_id:
            raise ApprovalUnknownError(f"there is no approval {approval_id}")
        run_ids.add(row["run_id"])
    if len(run_ids) != 1:
        raise TurnInvalidError("resume the calls of one run, and at least one of them", field="resume")
    run_id = run_ids.pop()
    run = await runs.locked(run_id)
    from_seq = await runs.last_seq(run_id)
    for approval_id, decision in decisions:
        await decide(tx, approval_id, decision)
    owner = Owner(run_id, session_id, run["business_id"], run["user_id"])
    await runs.name(owner, client_run_id, from_seq)
    if open_ones := await _pending(approvals, run_id):
        if run["status"] != RunStatus.WAITING.value:
            raise RunEndedError(f"run {run_id} is {run['status']} and waits for nothing")
        event = RunPaused(tuple(open_ones))
        await runs.tell_next(owner, event.type, dump(event))
    return run_id, from_seq


async def _pending(approvals: ApprovalRepository, run_id: UUID) -> list[str]:
    return [str(row["id"]) for row in await approvals.of_run(run_id) if row["status"] == ApprovalStatus.PENDING.value]


async def _go_on(runs: RunRepository, run_id: UUID) -> None:
    deadline = clock.now() + timedelta(seconds=DEADLINE_SECONDS)
    await runs.change(run_id, status=RunStatus.QUEUED.value, deadline_at=deadline, attempts=1)
    await runs.announce(f"queued:{run_id}")


def _values(row: Any, decision: Decision, via: str) -> dict[str, Any]:
    if not decision.approved:
        if decision.edited_args is not None:
            raise TurnInvalidError("edited arguments belong to an approval: set approved to true", field="edited_args")
        return {"status": ApprovalStatus.DENIED.value, "reason": decision.reason, "decided_by": via}
    if decision.edited_args is None or decision.edited_args == row["arguments"]:
        return {"status": ApprovalStatus.APPROVED.value, "reason": decision.reason, "decided_by": via}
    problem = best_match(Draft202012Validator(row["schema"]).iter_errors(decision.edited_args))
    if problem is not None:
        field = ".".join(["edited_args", *map(str, problem.absolute_path)])
        raise TurnInvalidError(f"{row['name']}: {problem.message[:500]}", field=field)
    edited = {"status": ApprovalStatus.EDITED.value, "edited": decision.edited_args}
    return edited | {"reason": decision.reason, "decided_by": via}


def _again(row: Any, values: dict[str, Any]) -> ApprovalView:
    if row["status"] == values["status"] and row["edited"] == values.get("edited"):
        return ApprovalView.of(row)
    raise ApprovalDecidedError(f"approval {row['id']} is {row['status']} already; it is decided once")
