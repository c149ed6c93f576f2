"""What people say to calls that wait for their word; the run goes on with the last of it (TOOL-3)."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from weft.kit import clock
from weft.kit.db import Transaction
from weft.runs.approval_repository import ApprovalRepository
from weft.runs.errors import ApprovalDecidedError, ApprovalUnknownError, RunEndedError, TurnInvalidError
from weft.runs.repository import Owner, RunRepository
from weft.runs.schemas import ApprovalStatus, ApprovalView, Decision, RunStatus, TurnRequest, deadline_of
from weft.sessions.service import SessionService
from weft.state.events import RunPaused, dump

_EXPIRED = {"status": ApprovalStatus.EXPIRED.value, "decided_by": "time"}


async def decide(tx: Transaction, approval_id: UUID, decision: Decision | None) -> ApprovalView:
    """Write a decision down. The same again is nothing; another one is refused.

    What nobody decided in time is not allowed, whatever is said to it afterwards; None says nothing but that.
    """
    approvals = ApprovalRepository(tx.connection)
    row = await approvals.get(approval_id)
    if row is None:
        raise ApprovalUnknownError(f"there is no approval {approval_id}")
    run = await RunRepository(tx.connection).locked(row["run_id"])
    row = await approvals.get(approval_id)  # as whoever held the run before has left it
    if decision is None or (row["status"] == ApprovalStatus.PENDING.value and row["expires_at"] < clock.now()):
        values = _EXPIRED
    else:
        values = _values(row, decision, tx.actor.via)
    if not await approvals.decide(approval_id, values):
        return _again(row, values)
    if run["status"] == RunStatus.WAITING.value:
        await _after(tx, run)
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
    if known := await runs.named(session_id, client_run_id):  # the same request came twice at once
        return known.run_id, known.from_seq
    from_seq = await runs.last_seq(run_id)
    for approval_id, decision in decisions:
        await decide(tx, approval_id, decision)
    owner = Owner(run_id, session_id, run["business_id"], run["user_id"])
    await runs.name(owner, client_run_id, from_seq)
    if left := await still_open(tx, run_id):
        if run["status"] != RunStatus.WAITING.value:
            raise RunEndedError(f"run {run_id} is {run['status']} and waits for nothing")
        event = RunPaused(tuple(str(row["id"]) for row in left))
        await runs.tell_next(owner, event.type, dump(event))
    return run_id, from_seq


async def go_on(runs: RunRepository, run: Any) -> None:
    """Let whoever comes next carry on a run that waits; its time begins anew."""
    deadline = deadline_of(TurnRequest.model_validate(run["request"]))
    await runs.change(run["id"], status=RunStatus.QUEUED.value, deadline_at=deadline, attempts=1)
    await runs.announce(f"queued:{run['id']}")


async def still_open(tx: Transaction, run_id: UUID) -> Sequence[Any]:
    """The approvals of a run that nobody has decided, in the order of its calls."""
    rows = await ApprovalRepository(tx.connection).of_run(run_id)
    return [row for row in rows if row["status"] == ApprovalStatus.PENDING.value]


async def _after(tx: Transaction, run: Any) -> None:
    """The session says what is still open; with the last word, the run goes on."""
    sessions = SessionService(tx)
    if left := await still_open(tx, run["id"]):
        await sessions.mark_waiting(run["session_id"], [row["call_id"] for row in left])
        return
    await sessions.mark_resumed(run["session_id"])
    await go_on(RunRepository(tx.connection), run)


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
    expired = row["status"] == ApprovalStatus.EXPIRED.value
    if expired or (row["status"] == values["status"] and row["edited"] == values.get("edited")):
        return ApprovalView.of(row)
    raise ApprovalDecidedError(f"approval {row['id']} is {row['status']} already; it is decided once")
