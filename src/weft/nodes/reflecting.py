"""Reflection: what the last calls came to, and what follows. A model is asked only where that is not plain."""

from collections.abc import Mapping
from typing import Any

from weft.kit import clock
from weft.nodes.asking import ask_for
from weft.nodes.contracts import Reflection
from weft.nodes.planning import found
from weft.nodes.sending import last_call
from weft.nodes.turn import Done, Turn
from weft.state import todos
from weft.state.action import Action, Next
from weft.state.calls import CallState
from weft.state.changes import Change, TodosMoved, ToolDone, ToolsAsked
from weft.state.todo import CompletionDetails, Todos
from weft.state.token_usage import NO_USAGE, TokenUsage

REFLECTION, PLANNER, REPORT, OUTPUT, INTENT = "reflection", "planner", "report", "output", "intent"
USE_SKILL, SET_GOAL = "use_skill", "set_goal"
MOST_HANDOVERS = 3  # times that one expert hands a turn on to another
UNSEEN = ("denied", "unknown")  # what came to that is not tried again: nobody allowed it, or nobody knows


async def reflection(turn: Turn) -> None:
    """Decide what comes next."""
    asking = _asking(turn)
    batch = _batch(turn, asking)
    moved = _todos_after(turn, batch, _todo_of(asking))
    to, why, usage = _plain(turn, batch, moved), "plain", NO_USAGE
    if to is None:
        to, why, usage = await _judged(turn, batch)
    before = turn.state.turn.todos
    changes = (TodosMoved(todos.changed(before, moved)),) if moved != before else ()
    said: dict[str, Any] = {"summary": f"{why}: {to}"[:200], "changes": changes, "usage": usage}
    turn.note(Done(REFLECTION, [Next(to)], said=said))


def _asking(turn: Turn) -> Action | None:
    """The action that asked for the last calls."""
    return next((each for each in reversed(turn.state.turn.actions) if _asked(each)), None)


def _batch(turn: Turn, asking: Action | None) -> list[CallState]:
    """The calls that it asked for, all of which something has come of."""
    return [turn.state.turn.calls[call_id] for call_id in _asked(asking)] if asking is not None else []


def _asked(action: Action) -> list[str]:
    return [call.id for change in action.changes if isinstance(change, ToolsAsked) for call in change.calls]


def _todo_of(asking: Action | None) -> Mapping[str, str]:
    """Which todo each of them was for."""
    leads = asking.next if asking is not None else ()
    return {each.call_id: each.todo_id for each in leads if each.call_id is not None and each.todo_id is not None}


def _plain(turn: Turn, batch: list[CallState], plan: Todos) -> str | None:
    """What follows, where nobody need be asked."""
    outcomes = [each.outcome for each in batch if each.outcome is not None]
    if any(outcome.status in ("failed", "unknown") for outcome in outcomes):
        return None
    if batch and all(each.call.name == USE_SKILL for each in batch) and batch[0].call.stage == INTENT:
        # The prompt is another one now: the expert takes the turn on. Experts who hand it round do not.
        return INTENT if _handovers(turn) <= MOST_HANDOVERS else REPORT
    if (plan and not todos.ended(plan)) or _only_a_goal(batch):
        return PLANNER
    return OUTPUT if batch and _is_answer(turn, batch[-1]) else REPORT


def _only_a_goal(batch: list[CallState]) -> bool:
    """Whether the intent noted a goal and no more: so it says that there is work whose steps it cannot name yet."""
    return bool(batch) and all(each.call.name == SET_GOAL and each.call.stage == INTENT for each in batch)


def _handovers(turn: Turn) -> int:
    return sum(each.call.name == USE_SKILL for each in turn.state.turn.calls.values())


def _is_answer(turn: Turn, state: CallState) -> bool:
    """Whether what the call gave is the answer: then nothing is worded any more."""
    ends = (each for each in turn.state.turn.actions if any(_ends(change, state) for change in each.changes))
    return any(isinstance(each.result, Mapping) and each.result.get("answers") for each in ends)


def _ends(change: Change, state: CallState) -> bool:
    return isinstance(change, ToolDone) and change.outcome.call_id == state.call.id


async def _judged(turn: Turn, batch: list[CallState]) -> tuple[str, str, TokenUsage]:
    if last_call(turn):
        return REPORT, "no calls are left to judge with", NO_USAGE
    said = [
        {"tool": each.call.name, "status": each.outcome.status, "error": each.outcome.error or ""}
        for each in batch
        if each.outcome is not None
    ]
    verdict, usage = await ask_for(turn, REFLECTION, Reflection, found(turn) | {"outcomes": said})
    if verdict is None:
        return PLANNER, "it wants to do more", usage
    return PLANNER if verdict.verdict == "continue" else REPORT, verdict.why or verdict.verdict, usage


def _todos_after(turn: Turn, batch: list[CallState], todo_of: Mapping[str, str]) -> Todos:
    """The plan, with what became of the todos that the calls were for."""
    plan, now = turn.state.turn.todos, clock.now()
    under_way = {todo.id for todo in plan if todo.status == "processing"}
    for each in batch:
        todo_id, outcome = todo_of.get(each.call.id), each.outcome
        if todo_id is None or todo_id not in under_way or outcome is None:
            continue
        name = each.call.name
        if outcome.status == "succeeded":
            plan = todos.complete(plan, todo_id, CompletionDetails(now, name, output=str(outcome.content)[:500]))
        else:
            why, for_good = outcome.error or outcome.status, outcome.status in UNSEEN
            plan = todos.fail(plan, todo_id, why, now, tool_used=name, for_good=for_good)
    return plan
