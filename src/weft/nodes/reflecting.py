"""Reflection: what the last calls came to, and what follows. A model is asked only where that is not plain."""

from typing import Any

from weft.kit import clock
from weft.nodes.asking import ask_for
from weft.nodes.contracts import Reflection
from weft.nodes.planning import found
from weft.nodes.turn import Done, Turn
from weft.state import todos
from weft.state.action import Next
from weft.state.calls import CallState
from weft.state.changes import TodosMoved
from weft.state.todo import CompletionDetails, Todos
from weft.state.token_usage import NO_USAGE, TokenUsage

REFLECTION, PLANNER, REPORT, INTENT = "reflection", "planner", "report", "intent"
USE_SKILL = "use_skill"


async def reflection(turn: Turn) -> None:
    """Decide what comes next."""
    batch = _batch(turn)
    moved = _todos_after(turn, batch)
    to, why, usage = _plain(turn, batch, moved), "plain", NO_USAGE
    if to is None:
        to, why, usage = await _judged(turn, batch)
    before = turn.state.turn.todos
    changes = (TodosMoved(todos.changed(before, moved)),) if moved != before else ()
    said: dict[str, Any] = {"summary": f"{why}: {to}"[:200], "changes": changes, "usage": usage}
    turn.note(Done(REFLECTION, [Next(to)], said=said))


def _batch(turn: Turn) -> list[CallState]:
    """The calls that were asked for last, all of which something has come of."""
    asked_last: set[str] = set()
    for action in reversed(turn.state.turn.actions):
        calls = {call.id for change in action.changes if change.kind == "tools_asked" for call in change.calls}
        if calls:
            asked_last = calls
            break
    return [each for name, each in turn.state.turn.calls.items() if name in asked_last]


def _plain(turn: Turn, batch: list[CallState], plan: Todos) -> str | None:
    """What follows, where nobody need be asked."""
    outcomes = [each.outcome for each in batch if each.outcome is not None]
    if any(outcome.status in ("failed", "unknown") for outcome in outcomes):
        return None
    if batch and all(each.call.name == USE_SKILL for each in batch) and batch[0].call.stage == INTENT:
        return INTENT  # the prompt is another one now: the expert takes the turn on
    if plan and not todos.ended(plan):
        return PLANNER
    return REPORT


async def _judged(turn: Turn, batch: list[CallState]) -> tuple[str, str, TokenUsage]:
    if turn.asked_models + 2 > turn.limits.calls:
        return REPORT, "no calls are left to judge with", NO_USAGE
    said = {
        each.call.name: {"status": each.outcome.status, "error": each.outcome.error or ""}
        for each in batch
        if each.outcome is not None
    }
    verdict, usage = await ask_for(turn, REFLECTION, Reflection, found(turn) | {"outcomes": said})
    return (PLANNER if verdict.verdict == "continue" else REPORT), verdict.why or verdict.verdict, usage


def _todos_after(turn: Turn, batch: list[CallState]) -> Todos:
    """The plan, with what became of the todos under way."""
    plan, now = turn.state.turn.todos, clock.now()
    under_way = [todo for todo in plan if todo.status == "processing"]
    for todo, each in zip(under_way, [each for each in batch if each.outcome is not None], strict=False):
        outcome = each.outcome
        if outcome is None:
            continue
        if outcome.status == "succeeded":
            details = CompletionDetails(now, each.call.name, output=str(outcome.content)[:500])
            plan = todos.complete(plan, todo.id, details)
        else:
            plan = todos.fail(plan, todo.id, outcome.error or outcome.status, now, tool_used=each.call.name)
    return plan
