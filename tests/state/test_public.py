"""A client sees what concerns it, and is told of changes alone."""

import json

from hypothesis import given

from tests.state.histories import NOW, histories
from tests.state.test_json_patch import patched
from weft.state.action import Action
from weft.state.calls import ToolCall
from weft.state.changes import ApprovalAsked, SetScenario, SetTaskGoal, SetTodos, SetUserContext, ToolsAsked, TurnBegan
from weft.state.public import delta, public_state
from weft.state.runtime import RuntimeState, apply, fold
from weft.state.todo import Todo
from weft.state.token_usage import TokenUsage


def test_the_view_is_lean() -> None:
    """SURF-1: ids, skill, goal, plan, what waits for approval, usage; nothing of memory, arguments or results."""
    call = ToolCall("c1", "write_file", {"secret": "s3cr3t"})
    begun = Action(
        1,
        "planner",
        result="s3cr3t",
        usage=TokenUsage(7, 3, 10),
        changes=(
            TurnBegan("s3cr3t"),
            SetUserContext({"bio": "s3cr3t"}),
            SetScenario("tarot"),
            SetTaskGoal("write it down"),
            SetTodos((Todo("a", "write", execution_tips="s3cr3t"),)),
            ToolsAsked((call,)),
            ApprovalAsked(("c1",), NOW),
        ),
    )
    view = public_state(fold(None, [begun]), "s", "r")
    assert view == {
        "session_id": "s",
        "run_id": "r",
        "turn": 1,
        "skill": "tarot",
        "task_goal": "write it down",
        "todos": [{"id": "a", "task": "write", "status": "pending"}],
        "pending_approvals": [{"tool_call_id": "c1", "tool": "write_file", "expires_at": NOW.isoformat()}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


@given(histories(most_turns=2))
def test_a_client_that_follows_the_deltas_sees_the_state(actions: list[Action]) -> None:
    """SURF-1: from any view on; nothing in it is null."""
    state = RuntimeState()
    shown = before = public_state(state, "s", "r")
    for action in actions:
        state = apply(state, action)
        after = public_state(state, "s", "r")
        shown = patched(shown, delta(before, after))
        before = after
        assert shown == after == json.loads(json.dumps(after))
        assert None not in after.values()
