"""What a client is shown of the state: lean, and none of what only the engine needs."""

from typing import Any

from weft.state.calls import CallState
from weft.state.json_patch import Operation, json_patch
from weft.state.runtime import RuntimeState

PublicState = dict[str, Any]


def public_state(state: RuntimeState, session_id: str, run_id: str) -> PublicState:
    """The view of a client; what is not there is left out, never null."""
    shared, turn = state.shared, state.turn
    usage = turn.usage
    view = {
        "session_id": session_id,
        "run_id": run_id,
        "turn": turn.number,
        "skill": shared.skill,
        "scenario": shared.scenario,
        "task_goal": turn.task_goal or None,
        "todos": [{"id": todo.id, "task": todo.task, "status": todo.status} for todo in turn.todos],
        "pending_approvals": [_approval(each) for each in state.pending_approvals],
        "usage": {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "total_tokens": usage.total_tokens,
        },
    }
    return {name: value for name, value in view.items() if value is not None}


def delta(old: PublicState, new: PublicState) -> list[Operation]:
    """What a client that shows `old` must change to show `new` (AG-UI STATE_DELTA); empty where nothing did."""
    return json_patch(old, new)


def _approval(waiting: CallState) -> dict[str, Any]:
    shown = {"tool_call_id": waiting.call.id, "tool": waiting.call.name}
    return shown if waiting.expires_at is None else {**shown, "expires_at": waiting.expires_at.isoformat()}
