"""The plan of a turn as a graph of todos: what may run, in which order, and what becomes of it.

Each function gives a new plan and leaves the old one as it was.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from weft.state.critical_path import critical_path_lengths
from weft.state.errors import StateInvalidError, TodosInvalidError
from weft.state.todo import CompletionDetails, Status, Todo, TodoError, Todos

MOST_TODOS = 200
FIRST_DELAY = timedelta(seconds=2)
LONGEST_DELAY = timedelta(minutes=2)
LONGEST_ERROR = 2_000
ENDED: frozenset[Status] = frozenset({"completed", "failed"})


def planned(todos: Todos) -> Todos:
    """The plan with its critical paths, or what cannot be carried out about it."""
    if len(todos) > MOST_TODOS:
        raise TodosInvalidError(f"todos: there are {len(todos)}; a plan has at most {MOST_TODOS}", field="todos")
    lengths = critical_path_lengths({todo.id: todo.dependencies for todo in _each_once(todos)})
    return tuple(
        todo if todo.critical_path_length == lengths[todo.id] else replace(todo, critical_path_length=lengths[todo.id])
        for todo in todos
    )


def ready(todos: Todos, now: datetime) -> list[Todo]:
    """The todos that may be started, the most urgent first: longest critical path, highest priority, lowest id."""
    completed = {todo.id for todo in todos if todo.status == "completed"}
    free = (
        todo for todo in todos if todo.status == "pending" and (todo.retry_after is None or todo.retry_after <= now)
    )
    return sorted((todo for todo in free if completed.issuperset(todo.dependencies)), key=_urgency)


def next_moment(todos: Todos) -> datetime | None:
    """When the first of those that wait for another try may be started; None where none waits."""
    moments = (todo.retry_after for todo in todos if todo.status == "pending")
    return min((moment for moment in moments if moment is not None), default=None)


def ended(todos: Todos) -> bool:
    """Whether nothing is left to do."""
    return all(todo.status in ENDED for todo in todos)


def start(todos: Todos, todo_id: str) -> Todos:
    """The plan with this todo under way."""
    todo = _of_status(todos, todo_id, "pending")
    by_id = {each.id: each for each in todos}
    if missing := [name for name in todo.dependencies if by_id[name].status != "completed"]:
        raise StateInvalidError.at(("todos", todo_id), f"depends on {missing[0]!r}, which is not completed")
    return with_changed(todos, (replace(todo, status="processing", retry_after=None),))


def complete(todos: Todos, todo_id: str, details: CompletionDetails) -> Todos:
    """The plan with this todo completed."""
    todo = _of_status(todos, todo_id, "processing")
    return with_changed(todos, (replace(todo, status="completed", retry_after=None, completion_details=details),))


def fail(
    todos: Todos,
    todo_id: str,
    error: str,
    now: datetime,
    *,
    tool_used: str | None = None,
    execution_time: float = 0.0,
    for_good: bool = False,
) -> Todos:
    """The plan after a try that failed: the todo waits for its next one, or has failed and what needs it with it."""
    todo = _of_status(todos, todo_id, "processing")
    entry = TodoError(now, todo.retry + 1, tool_used, error[:LONGEST_ERROR], todo.retry, execution_time)
    history = (*todo.error_history, entry)
    if todo.retry < todo.max_retry and not for_good:
        wait = now + delay(todo.retry + 1)
        again = replace(todo, status="pending", retry=todo.retry + 1, retry_after=wait, error_history=history)
        return with_changed(todos, (again,))
    failed = replace(todo, status="failed", retry_after=None, error_history=history)
    return _with_dependents_failed(with_changed(todos, (failed,)), now)


def delay(retry: int) -> timedelta:
    """How long to wait before this retry: twice as long each time, up to a limit."""
    return min(FIRST_DELAY * (1 << (retry - 1)), LONGEST_DELAY)


def replanned(todos: Todos, fresh: Todos) -> Todos:
    """What has ended or is under way, and a fresh plan in place of what was still to do."""
    kept = [todo for todo in todos if todo.status != "pending"]
    status = {todo.id: todo.status for todo in kept}
    for todo in fresh:
        if lost := [name for name in todo.dependencies if status.get(name) == "failed"]:
            where = f"todos.{todo.id}.dependencies"
            raise TodosInvalidError(f"{where}: {lost[0]!r} has failed; plan another way to it", field=where)
    # What failed because another did may still name one that was never started and is now gone.
    known = status.keys() | {todo.id for todo in fresh}
    kept = [replace(todo, dependencies=tuple(name for name in todo.dependencies if name in known)) for todo in kept]
    return planned((*kept, *fresh))


def changed(before: Todos, after: Todos) -> Todos:
    """The todos of `after` that are not as they were."""
    old = {todo.id: todo for todo in before}
    return tuple(todo for todo in after if old.get(todo.id) != todo)


def with_changed(todos: Todos, moved: Todos) -> Todos:
    """The plan with these todos in the place of those with their ids; what depends on what stays as it is."""
    new: Mapping[str, Todo] = {todo.id: todo for todo in moved}
    old = {todo.id: todo.dependencies for todo in todos}
    for todo in moved:
        if todo.id not in old:
            raise StateInvalidError.at(("todos", todo.id), "is not in the plan")
        if todo.dependencies != old[todo.id]:
            raise StateInvalidError.at(("todos", todo.id, "dependencies"), "change only with the whole plan")
    return tuple(new.get(todo.id, todo) for todo in todos)


def _with_dependents_failed(todos: Todos, now: datetime) -> Todos:
    lost = {todo.id for todo in todos if todo.status == "failed"}
    moved: dict[str, Todo] = {}
    # What depends on a todo has a shorter critical path than it, so that one pass from the longest sees all.
    for todo in sorted(todos, key=_urgency):
        cause = next((name for name in todo.dependencies if name in lost), None)
        if cause is None or todo.status != "pending":
            continue
        why = f"not started: it depends on {cause!r}, which failed"
        entry = TodoError(now, 0, None, why, todo.retry, 0.0)
        moved[todo.id] = replace(todo, status="failed", error_history=(*todo.error_history, entry))
        lost.add(todo.id)
    return with_changed(todos, tuple(moved.values()))


def _each_once(todos: Todos) -> Iterator[Todo]:
    seen: set[str] = set()
    for todo in todos:
        if todo.id in seen:
            raise TodosInvalidError(f"todos: the id {todo.id!r} stands twice; give each todo its own", field="todos")
        seen.add(todo.id)
        yield todo


def _of_status(todos: Todos, todo_id: str, status: Status) -> Todo:
    todo = next((each for each in todos if each.id == todo_id), None)
    if todo is None:
        raise StateInvalidError.at(("todos", todo_id), "is not in the plan")
    if todo.status != status:
        raise StateInvalidError.at(("todos", todo_id), f"is {todo.status}; expected {status}")
    return todo


def _urgency(todo: Todo) -> tuple[int, int, int, str]:
    return -todo.critical_path_length, -todo.priority, len(todo.id), todo.id  # so that 't2' comes before 't10'
