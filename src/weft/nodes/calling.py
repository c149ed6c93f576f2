"""Tools are run: reads side by side, everything else one after the other, and nothing twice (STATE-5).

What a tool does to the world is written down as begun before it begins, and as done after. Whoever resumes finds what
was begun and not done, and never repeats it: nobody knows whether it happened.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from itertools import takewhile
from typing import Any

from weft.kit import clock
from weft.kit.errors import CallerError
from weft.kit.log import get_logger
from weft.kit.text import replace_unstorable
from weft.nodes.outcomes import is_answer, outcome_of, recorded, told, unknown
from weft.nodes.ports import ApprovalWish, Ending
from weft.nodes.requests import UNREADABLE
from weft.nodes.turn import Done, Turn
from weft.state.action import Next
from weft.state.calls import CallState, ToolOutcome
from weft.state.changes import ApprovalAsked, ToolStarted
from weft.tools.tool import Effect, Tool, ToolResult

REFLECTION, WAITING = "reflection", "approval"
AT_ONCE = 8  # reads
LONGEST_QUESTION = 2_000
log = get_logger(__name__)


async def tools(turn: Turn) -> None:
    """Do what can be done of the calls that are open, in their order; the rest waits for somebody."""
    open_calls = turn.state.open_calls
    ready = [each for each in open_calls if each.phase != "waiting" and each.call.name not in turn.tools.frontend]
    if not ready:
        await _rest(turn, open_calls)
    elif begun := [each for each in ready if each.phase == "started"]:
        await _record(turn, begun[0], unknown(begun[0].call), ToolResult(""))
    elif wishes := [each for each in ready if _must_ask(turn, each)]:
        await _ask(turn, wishes)
    elif reads := list(takewhile(partial(_reads, turn), ready)):
        # A read that stands after a change may be meant to see it: only those that stand together go together.
        await _read_all(turn, reads[:AT_ONCE])
    else:
        await _one(turn, ready[0])


async def _one(turn: Turn, state: CallState) -> None:
    """A single call, by what it does to the world."""
    if state.phase == "denied":
        await _record(turn, state, told(state.call, "denied", _refusal(state)), ToolResult(""))
        return
    tool = turn.tools.tools.get(state.call.name)
    if tool is None or UNREADABLE in state.call.arguments:
        outcome, result = await outcome_of(turn, state.call)
        await _record(turn, state, outcome, result)
    elif tool.transactional:

        async def within() -> Done:
            outcome, result = await outcome_of(turn, state.call)
            return _done(turn, state, outcome, result)

        await turn.checkpoint_within(within)
        if tool.changes_prompt:
            await turn.prompts.load()
    else:
        begins = Done(f"tool:{tool.name}", [Next(f"tool:{tool.name}", call_id=state.call.id)])
        begins.said.update(summary="begins", changes=(ToolStarted(state.call.id),))
        await turn.checkpoint(begins)
        outcome, result = await outcome_of(turn, state.call)
        await _record(turn, turn.state.turn.calls[state.call.id], outcome, result)


def _refusal(state: CallState) -> str:
    """What a model is told of a call that was not allowed: with the user's own words, where there are some."""
    refused = "the user did not allow this call"
    return f"{refused}, and said: {state.reason}" if state.reason else refused


async def _read_all(turn: Turn, states: Sequence[CallState]) -> None:
    """Side by side; they are written down together, in the order in which they were asked for."""
    tasks = [asyncio.ensure_future(outcome_of(turn, each.call)) for each in states]
    try:
        found = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)
    for state, (outcome, result) in zip(states[:-1], found[:-1], strict=True):
        turn.note(_done(turn, state, outcome, result))
    await turn.checkpoint(_done(turn, states[-1], *found[-1]))


async def _record(turn: Turn, state: CallState, outcome: ToolOutcome, result: ToolResult) -> None:
    await turn.checkpoint(_done(turn, state, outcome, result))


def _done(turn: Turn, state: CallState, outcome: ToolOutcome, result: ToolResult) -> Done:
    """The action that a call comes to; a tool call always leads to reflection once all of them are done."""
    others = [each.call for each in turn.state.open_calls if each.call.id != state.call.id]
    to = [Next(f"tool:{call.name}", call_id=call.id) for call in others] or [Next(REFLECTION)]
    answers = is_answer(turn.tools.tools.get(state.call.name), outcome, result)
    return recorded(state.call, outcome, result, to, answers=answers)


def _reads(turn: Turn, state: CallState) -> bool:
    tool = turn.tools.tools.get(state.call.name)
    return tool is not None and tool.effect is Effect.READ and state.phase in ("asked", "approved")


def _must_ask(turn: Turn, state: CallState) -> bool:
    tool = turn.tools.tools.get(state.call.name)
    if tool is None or state.phase != "asked":
        return False
    return _needs_approval(tool, state)


def _needs_approval(tool: Tool[Any], state: CallState) -> bool:
    try:
        return tool.needs_approval(tool.check(dict(state.call.arguments)))
    except CallerError:
        return False  # it is refused before it does anything
    except Exception:  # a rule of anybody's that fails: then somebody is asked
        log.exception("approval_rule_failed", tool=tool.name)
        return True


def _question(tool: Tool[Any], state: CallState) -> str:
    """What somebody is asked; where a tool of anybody's cannot say it, what every tool asks."""
    arguments = dict(state.call.arguments)
    try:
        return replace_unstorable(tool.question(arguments))[:LONGEST_QUESTION]
    except Exception:
        log.exception("question_failed", tool=tool.name)
        return Tool.question(tool, arguments)


async def _ask(turn: Turn, states: Sequence[CallState]) -> None:
    """Somebody has to be asked; the run goes on with the others, and then waits."""
    expires = clock.now() + timedelta(seconds=turn.limits.approval_seconds)
    wishes = [
        ApprovalWish(
            each.call.id,
            each.call.name,
            each.call.arguments,
            turn.tools.get(each.call.name).input.model_json_schema(),  # whole: a person edits by it
            _question(turn.tools.get(each.call.name), each),
            expires,
        )
        for each in states
    ]
    ids = tuple(each.call.id for each in states)
    to = [Next(f"tool:{each.call.name}", call_id=each.call.id) for each in turn.state.open_calls]
    said = {"summary": ", ".join(each.name for each in wishes), "changes": (ApprovalAsked(ids, expires),)}
    await turn.checkpoint(Done(WAITING, to, approvals=wishes, said=said))


async def _rest(turn: Turn, open_calls: Sequence[CallState]) -> None:
    """Nothing can be done now: a person has to decide, or the client has to answer its own tools."""
    waiting = tuple(each.call.id for each in open_calls if each.phase == "waiting")
    to = [Next(f"tool:{each.call.name}", call_id=each.call.id) for each in open_calls]
    if waiting:
        said = {"summary": "waits for approval"}
        ending = Ending("waiting", pending=waiting)
        await turn.checkpoint(Done(WAITING, to, events=turn.leave(), ending=ending, said=said))
    elif open_calls:
        turn.note(Done("frontend", [Next("end")], said={"summary": "the client carries out its own tools"}))
    else:
        turn.note(Done("tools", [Next(REFLECTION)]))
