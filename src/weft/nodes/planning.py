"""The planner: which tools run next, or, where steps depend on each other, the plan as todos."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from weft.kit import clock
from weft.llm.contract import ContractError, read_contract
from weft.nodes.asking import Answer, ask, ask_for
from weft.nodes.contracts import ExecutionResult, Plan
from weft.nodes.handing_on import hand_on, raw_row
from weft.nodes.requests import AskedCall, asked_calls
from weft.nodes.sending import last_call
from weft.nodes.turn import Done, Turn
from weft.state import todos
from weft.state.action import Next
from weft.state.changes import SetTodos, TodosMoved
from weft.state.errors import TodosInvalidError
from weft.state.todo import Todo, Todos
from weft.state.token_usage import NO_USAGE, TokenUsage

PLANNER, REPORT = "planner", "report"
ASIDE = frozenset({"set_goal", "use_skill"})  # they carry out no todo
LONGEST_FINDINGS = 4_000


async def planner(turn: Turn) -> None:
    """Ask for the next calls; a plan is kept, and its first todos are asked for with it in sight."""
    if last_call(turn):
        turn.note(Done(PLANNER, [Next(REPORT)], said={"summary": "the last call of the turn belongs to the answer"}))
        return
    await _until_something_is_ready(turn)
    answer = await ask(turn, PLANNER, found(turn), speaks=False)
    if answer.requests:
        asked = asked_calls(turn, answer.requests, PLANNER)
        todo_of = _todo_of(turn.state.turn.todos, asked)
        changes = _started(turn.state.turn.todos, todo_of)
        await hand_on(turn, PLANNER, answer, asked, changes=changes, todo_of=todo_of)
        return
    row = raw_row(answer, PLANNER, "answered")
    plan, spent = (None, NO_USAGE) if _has_just_planned(turn) else await _plan(turn, answer)
    said: dict[str, Any] = {"summary": answer.completion.text[:200], "usage": answer.usage + spent}
    if plan is None or todos.ended(plan):
        said["result"] = _findings(answer)
        await turn.checkpoint(Done(PLANNER, [Next(REPORT)], [row], said=said))
        return
    said["changes"] = (SetTodos(plan),)
    await turn.checkpoint(Done(PLANNER, [Next(PLANNER)], [row], said=said))


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


def _todo_of(plan: Todos, asked: Sequence[AskedCall]) -> dict[str, str]:
    """Which todo each call is for, by the call's id: first as the plan suggests, then as they come."""
    free = [each.call for each in asked if each.call.name not in ASIDE]
    ready = todos.ready(plan, clock.now())
    paired: dict[str, str] = {}
    for suggested in (True, False):
        for todo in ready:
            if todo.id in paired.values():
                continue
            call = next((each for each in free if not suggested or each.name in todo.suggested_tools), None)
            if call is not None:
                paired[call.id] = todo.id
                free.remove(call)
    return paired


def _started(plan: Todos, todo_of: Mapping[str, str]) -> list[TodosMoved]:
    """The todos that the calls are for, under way."""
    after = plan
    for todo_id in todo_of.values():
        after = todos.start(after, todo_id)
    return [TodosMoved(todos.changed(plan, after))] if todo_of else []


def _findings(answer: Answer) -> dict[str, Any] | None:
    """What execution came to: as its contract has it, or in its own words; a plan is no finding."""
    text = answer.completion.text
    try:
        return read_contract(ExecutionResult, text).model_dump(mode="json", exclude_none=True)
    except ContractError:
        return None if _is_plan(text) or not text.strip() else {"execution_summary": text[:LONGEST_FINDINGS]}


def _has_just_planned(turn: Turn) -> bool:
    """Whether nothing was done since the last plan: a planner that only plans would do so for ever."""
    last = turn.state.last
    return last is not None and last.node == PLANNER and any(change.kind == "set_todos" for change in last.changes)


async def _plan(turn: Turn, answer: Answer) -> tuple[Todos | None, TokenUsage]:
    """The plan that it wrote, mended once where it cannot be carried out; None where it wrote none."""
    text = answer.completion.text
    if not _is_plan(text):
        return None, NO_USAGE
    try:
        return _planned(turn, read_contract(turn.contract(PLANNER, Plan), text)), NO_USAGE
    except (ContractError, TodosInvalidError) as error:
        problem: dict[str, Any] = {"your_last_plan": text[:4_000], "problem": error.detail}
    plan, spent = await ask_for(turn, PLANNER, Plan, found(turn) | problem)
    return (None if plan is None else _planned(turn, plan)), spent


def _is_plan(text: str) -> bool:
    return '"todos"' in text


def _planned(turn: Turn, plan: Plan) -> Todos:
    before = turn.state.turn.todos
    return todos.replanned(before, plan.as_todos()) if before else todos.planned(plan.as_todos())


def _shown(todo: Todo) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": todo.id,
        "task": todo.task,
        "status": todo.status,
        "dependencies": list(todo.dependencies),
    }
    more = {"success_criteria": todo.success_criteria, "execution_tips": todo.execution_tips}
    shown |= {name: text for name, text in more.items() if text}
    if todo.suggested_tools:
        shown["suggested_tools"] = list(todo.suggested_tools)
    if todo.error_history:
        shown["last_error"] = todo.error_history[-1].error
    return shown
