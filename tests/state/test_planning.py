"""What a model writes as a plan becomes todos, or is told what is wrong."""

import pytest
from pydantic import ValidationError

from weft.state.planning import PlanDraft
from weft.state.todo import Todo
from weft.state.todos import planned


def test_a_draft_becomes_todos() -> None:
    """STATE-3: numbers serve as ids; what Weft counts itself is not taken from a model."""
    written = {
        "todos": [
            {"id": 1, "task": "读取账单", "suggested_tools": ["read_file"], "status": "completed", "retry": 9},
            {"id": "2", "task": "sum it up", "dependencies": [1], "priority": 8, "success_criteria": "a total"},
        ]
    }
    first, second = planned(PlanDraft.model_validate(written).as_todos())
    assert first == Todo("1", "读取账单", suggested_tools=("read_file",), critical_path_length=2)
    assert (second.id, second.dependencies, second.priority, second.status) == ("2", ("1",), 8, "pending")


@pytest.mark.parametrize(
    "todos",
    [
        [],
        [{"id": "a"}],
        [{"id": True, "task": "x"}],
        [{"id": "a", "task": ""}],
        [{"id": "a", "task": "x", "priority": 11}],
        [{"id": "a", "task": "x\x00"}],
        [{"id": str(number), "task": "x"} for number in range(201)],
    ],
)
def test_a_draft_that_says_too_little_or_too_much_is_refused(todos: list[object]) -> None:
    """STATE-3, SEC-4."""
    with pytest.raises(ValidationError):
        PlanDraft.model_validate({"todos": todos})
