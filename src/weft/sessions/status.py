"""The status machine: which status leads where, and the snapshot that goes with each."""

from collections.abc import Sequence
from typing import Any

from weft.sessions.errors import MessageInvalidError
from weft.sessions.schemas import Status

LEADS_TO: dict[Status, frozenset[Status]] = {
    Status.PENDING: frozenset({Status.RUNNING}),
    Status.RUNNING: frozenset({Status.COMPLETED, Status.FAILED}),
    Status.COMPLETED: frozenset({Status.RUNNING}),
    Status.FAILED: frozenset({Status.RUNNING}),
}
# what one turn leaves in the snapshot and the next one clears
OF_ONE_TURN = ("outcome", "error_id", "pending_tool_call_id", "pending_tool_call_ids")


def came_from(status: Status) -> tuple[Status, ...]:
    """The statuses that lead to this one."""
    return tuple(earlier for earlier in Status if status in LEADS_TO[earlier])


def snapshot(status: Status, **facts: Any) -> dict[str, Any]:
    """What the snapshot says of a status; facts that are None are left out."""
    return {"status": status.value, **{name: fact for name, fact in facts.items() if fact is not None}}


def waiting(tool_call_ids: Sequence[str]) -> dict[str, Any]:
    """What the snapshot says of a run that waits for approval."""
    if not tool_call_ids or len(set(tool_call_ids)) != len(tool_call_ids):
        raise MessageInvalidError("a run waits for at least one tool call, each named once", field="tool_call_ids")
    return snapshot(Status.RUNNING, pending_tool_call_id=tool_call_ids[0], pending_tool_call_ids=list(tool_call_ids))
