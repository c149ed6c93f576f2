"""A plan is a graph without circles; what is ready runs the most urgent first; what fails is tried again."""

import copy
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.state.histories import NOW, moved, plans
from weft.state import todos
from weft.state.errors import StateInvalidError, TodosInvalidError
from weft.state.todo import CompletionDetails, Todo

LATER = NOW + timedelta(days=1)


def longest(plan: tuple[Todo, ...], name: str) -> int:
    """By the definition: the longest way from here to a todo that nothing depends on."""
    return 1 + max((longest(plan, todo.id) for todo in plan if name in todo.dependencies), default=0)


@given(plans())
def test_the_critical_path_is_the_longest_way_to_the_end(plan: tuple[Todo, ...]) -> None:
    """STATE-3: in whatever order the todos were written."""
    made = todos.planned(plan)
    assert [todo.id for todo in made] == [todo.id for todo in plan]
    assert {todo.id: todo.critical_path_length for todo in made} == {todo.id: longest(plan, todo.id) for todo in plan}
    assert todos.planned(made) == made


@given(plans(), st.data())
def test_every_plan_can_be_carried_out(plan: tuple[Todo, ...], data: st.DataObject) -> None:
    """STATE-3: each todo runs once, after what it depends on, and the ready ones in their order."""
    plan, ran = todos.planned(plan), list[str]()
    while not todos.ended(plan):
        ready = todos.ready(plan, NOW)
        keys = [(-todo.critical_path_length, -todo.priority, int(todo.id[1:])) for todo in ready]
        assert ready
        assert keys == sorted(keys)
        chosen = data.draw(st.sampled_from(ready))
        assert set(chosen.dependencies) <= set(ran)
        plan = todos.complete(todos.start(plan, chosen.id), chosen.id, CompletionDetails(NOW, output={"n": 1}))
        ran.append(chosen.id)
    assert sorted(ran) == sorted(todo.id for todo in plan)


@given(plans(), st.data())
def test_whatever_fails_a_plan_comes_to_an_end(plan: tuple[Todo, ...], data: st.DataObject) -> None:
    """STATE-3: no todo waits for ever for one that failed; nothing is changed in place."""
    plan, steps = todos.planned(plan), 0
    while not todos.ended(plan):
        before, after = copy.deepcopy(plan), data.draw(moved(plan))
        assert before == plan
        assert todos.with_changed(plan, todos.changed(plan, after)) == after
        plan, steps = after, steps + 1
        assert steps <= 2 * 8 * 4
    lost = {todo.id for todo in plan if todo.status == "failed"}
    for todo in plan:
        assert (todo.status == "failed") or not lost.intersection(todo.dependencies)
        assert len(todo.error_history) <= todo.max_retry + 1
        assert (todo.completion_details is not None) == (todo.status == "completed")
        assert [entry.attempt for entry in todo.error_history if entry.attempt] == [
            number + 1 for number in range(sum(1 for entry in todo.error_history if entry.attempt))
        ]


def test_equal_paths_run_by_priority_and_then_by_id() -> None:
    """STATE-3: critical path, then priority; 't2' before 't10'."""
    plan = todos.planned(
        (
            Todo("t10", "d"),
            Todo("t2", "c"),
            Todo("t3", "b", priority=9),
            Todo("t4", "a", priority=0),
            Todo("t5", "after a", dependencies=("t4",)),
        )
    )
    assert [todo.id for todo in todos.ready(plan, NOW)] == ["t4", "t3", "t2", "t10"]


def test_a_todo_that_fails_waits_longer_each_time_and_then_has_failed() -> None:
    """STATE-3: three retries, each with its entry, then what depends on it fails too and says why."""
    plan = todos.planned(
        (
            Todo("a", "fetch"),
            Todo("b", "read", dependencies=("a",)),
            Todo("c", "tell", dependencies=("b",)),
            Todo("d", "x"),
        )
    )
    now, waits = NOW, list[float]()
    for _ in range(3):
        plan = todos.fail(todos.start(plan, "a"), "a", "it was down", now, tool_used="fetch", execution_time=0.25)
        waiting = todos.next_moment(plan)
        assert waiting is not None
        assert [todo.id for todo in todos.ready(plan, waiting - timedelta(microseconds=1))] == ["d"]
        assert [todo.id for todo in todos.ready(plan, waiting)] == ["a", "d"]
        waits.append((waiting - now).total_seconds())
        now = waiting
    assert waits == [2, 4, 8]
    plan = todos.fail(todos.start(plan, "a"), "a", "it was down", now, tool_used="fetch")
    a, b, c, d = plan
    assert (a.status, a.retry, a.retry_after, len(a.error_history)) == ("failed", 3, None, 4)
    assert [(entry.attempt, entry.retry_count) for entry in a.error_history] == [(1, 0), (2, 1), (3, 2), (4, 3)]
    assert [todo.error_history[-1].error for todo in (b, c)] == [
        "not started: it depends on 'a', which failed",
        "not started: it depends on 'b', which failed",
    ]
    assert (b.status, c.status, d.status, todos.next_moment(plan)) == ("failed", "failed", "pending", None)


def test_the_delay_is_bounded_and_what_cannot_be_helped_is_not_tried_again() -> None:
    """STATE-3."""
    assert [todos.delay(retry).total_seconds() for retry in (1, 2, 6, 7, 10)] == [2, 4, 64, 120, 120]
    (todo,) = todos.fail(todos.start((Todo("a", "x"),), "a"), "a", "e" * 9_000, NOW, for_good=True)
    assert (todo.status, todo.retry, len(todo.error_history[0].error)) == ("failed", 0, 2_000)


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ((Todo("a", "x"), Todo("a", "y")), "the id 'a' stands twice"),
        ((Todo("a", "x", dependencies=("z",)),), "todos.a.dependencies: depends on 'z', which is not in the plan"),
        ((Todo("a", "x"), Todo("b", "x", dependencies=("a", "a"))), "todos.b.dependencies: names 'a' twice"),
        ((Todo("a", "x", dependencies=("a",)),), "a → a depend on each other in a circle"),
        (tuple(Todo(f"t{n}", "x") for n in range(201)), "there are 201; a plan has at most 200"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(plan: tuple[Todo, ...], said: str) -> None:
    """STATE-3: with words that a model can act on."""
    with pytest.raises(TodosInvalidError) as error:
        todos.planned(plan)
    assert said in error.value.detail


def test_a_move_that_the_plan_does_not_allow_is_refused() -> None:
    """STATE-3: not before its time, not twice, not what is not there, and not by changing the graph."""
    plan = todos.planned((Todo("a", "x"), Todo("b", "x", dependencies=("a",))))
    for wrong, said in (
        (lambda: todos.start(plan, "b"), "depends on 'a', which is not completed"),
        (lambda: todos.start(plan, "z"), "is not in the plan"),
        (lambda: todos.complete(plan, "a", CompletionDetails(NOW)), "is pending; expected processing"),
        (lambda: todos.start(todos.start(plan, "a"), "a"), "is processing; expected pending"),
        (lambda: todos.with_changed(plan, (Todo("z", "x"),)), "is not in the plan"),
        (lambda: todos.with_changed(plan, (Todo("b", "x"),)), "change only with the whole plan"),
    ):
        with pytest.raises(StateInvalidError) as error:
            wrong()
        assert said in error.value.detail


def test_a_fresh_plan_keeps_what_was_done() -> None:
    """STATE-4: the planner may plan again; nothing that ended is lost, and nothing is built on what failed."""
    plan = todos.planned(
        (Todo("a", "x"), Todo("b", "x"), Todo("c", "x", dependencies=("b", "d")), Todo("d", "x", dependencies=("a",)))
    )
    plan = todos.complete(todos.start(plan, "a"), "a", CompletionDetails(NOW))
    plan = todos.fail(todos.start(plan, "b"), "b", "no", NOW, for_good=True)
    fresh = todos.replanned(plan, (Todo("e", "another way", dependencies=("a",)),))
    assert [(todo.id, todo.status) for todo in fresh] == [
        ("a", "completed"),
        ("b", "failed"),
        ("c", "failed"),
        ("e", "pending"),
    ]
    assert [todo.id for todo in todos.ready(fresh, LATER)] == ["e"]
    with pytest.raises(TodosInvalidError, match="'b' has failed; plan another way to it"):
        todos.replanned(plan, (Todo("e", "again", dependencies=("b",)),))
