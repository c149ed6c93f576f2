"""The planner: which tools run next, or, where steps depend on each other, the plan as todos."""

import asyncio
from typing import Any

from weft.kit import clock
from weft.llm.contract import ContractError, read_contract
from weft.nodes.asking import Answer, ask, ask_for, closing, tool_row
from weft.nodes.contracts import Plan
from weft.nodes.requests import asked_calls
from weft.nodes.rows import Row
from weft.nodes.turn import Done, Turn
from weft.state import todos
from weft.state.action import Next
from weft.state.changes import SetTodos, TodosMoved
from weft.state.errors import TodosInvalidError
from weft.state.events import Event
from weft.state.todo import Todo, Todos

PLANNER, REPORT = "planner", "report"


async def planner(turn: Turn) -> None:
    """Ask for the next calls; a plan is kept, and its first todos are asked for with it in sight."""
    await _until_something_is_ready(turn)
    answer = await ask(turn, PLANNER, found(turn), speaks=False)
    if answer.requests:
        await _call(turn, answer)
        return
    plan = await _plan(turn, answer)
    said: dict[str, Any] = {"summary": answer.completion.text[:200], "usage": answer.usage}
    rows = [Row("stage_audit", stage=PLANNER, data={"raw": answer.completion.text[:20_000]}, call_id=answer.call_id)]
    if plan is None or todos.ended(plan):
        await turn.checkpoint(Done(PLANNER, [Next(REPORT)], rows, closing(answer), said=said))
        return
    said["changes"] = (SetTodos(plan),)
    await turn.checkpoint(Done(PLANNER, [Next(PLANNER)], rows, closing(answer), said=said))


def found(turn: Turn) -> dict[str, Any]:
    """What a planner works from: the goal, and where the plan stands."""
    values: dict[str, Any] = {"goal": turn.state.turn.task_goal or turn.state.turn.prompt[:2_000]}
    if plan := turn.state.turn.todos:
        values["todos"] = [_shown(todo) for todo in plan]
        values["ready"] = [todo.id for todo in todos.ready(plan, clock.now())]
    return values


async def _until_something_is_ready(turn: Turn) -> None:
    """Todos that failed wait a while before they are tried again; the turn's deadline bounds it."""
    plan = turn.state.turn.todos
    if todos.ready(plan, clock.now()) or (moment := todos.next_moment(plan)) is None:
        return
    await asyncio.sleep(max(0.0, (moment - clock.now()).total_seconds()))


async def _call(turn: Turn, answer: Answer) -> None:
    asked = asked_calls(turn, answer.requests, PLANNER)
    rows = [tool_row(answer, each.request, each.call.arguments, first=at == 0) for at, each in enumerate(asked)]
    changes: list[Any] = [asked[0].change(asked)]
    plan = turn.state.turn.todos
    if started := _started(plan, len(asked)):
        changes.append(TodosMoved(todos.changed(plan, started)))
    said = {
        "summary": ", ".join(each.call.name for each in asked)[:200],
        "changes": tuple(changes),
        "usage": answer.usage,
    }
    events: list[Event] = [*closing(answer), *(each.event(str(rows[0].id)) for each in asked)]
    await turn.checkpoint(Done(PLANNER, [each.next for each in asked], rows, events, said=said))


def _started(plan: Todos, most: int) -> Todos:
    """The plan with the todos under way that the calls are for: the most urgent of those that are ready."""
    for todo in todos.ready(plan, clock.now())[:most]:
        plan = todos.start(plan, todo.id)
    return plan


async def _plan(turn: Turn, answer: Answer) -> Todos | None:
    """The plan that it wrote, mended once where it cannot be carried out; None where it wrote none."""
    text = answer.completion.text
    if "{" not in text:
        return None
    try:
        return _planned(turn, read_contract(Plan, text))
    except (ContractError, TodosInvalidError) as error:
        problem: dict[str, Any] = {"your_last_plan": text[:4_000], "problem": error.detail}
    plan, _ = await ask_for(turn, PLANNER, Plan, found(turn) | problem)
    return _planned(turn, plan)


def _planned(turn: Turn, plan: Plan) -> Todos:
    before = turn.state.turn.todos
    return todos.replanned(before, plan.as_todos()) if before else todos.planned(plan.as_todos())


def _shown(todo: Todo) -> dict[str, Any]:
    shown = {"id": todo.id, "task": todo.task, "status": todo.status, "dependencies": list(todo.dependencies)}
    if todo.suggested_tools:
        shown["suggested_tools"] = list(todo.suggested_tools)
    if todo.error_history:
        shown["last_error"] = todo.error_history[-1].error
    return shown
