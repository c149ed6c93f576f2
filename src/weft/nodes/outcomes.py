"""What comes of one tool call: its result within its limits, or an error in words that a model can act on."""

import asyncio
from dataclasses import replace
from typing import Any

import orjson

from weft.kit.errors import CallerError, WorldError
from weft.kit.ids import new_id
from weft.kit.log import get_logger
from weft.kit.text import replace_unstorable
from weft.nodes.requests import UNREADABLE
from weft.nodes.rows import Row, Status
from weft.nodes.turn import Done, Turn
from weft.state.action import Next
from weft.state.calls import ToolCall, ToolOutcome
from weft.state.changes import ToolDone
from weft.state.events import Event, ToolEnded
from weft.state.runtime import advance
from weft.tools.errors import ToolArgumentsError
from weft.tools.tool import Effect, Kind, Tool, ToolResult
from weft.tools.toolbox import DEFAULT_OUTPUT

log = get_logger(__name__)
_SHOWN, _KEPT = 500, 2_000
_NOT_REPEATED = "It was not repeated. Find out before doing it again, or say plainly that it is unknown."


async def outcome_of(turn: Turn, call: ToolCall) -> tuple[ToolOutcome, ToolResult]:
    """Run a tool; whatever goes wrong with it is its outcome, and never the end of the turn."""
    try:
        tool = turn.tools.get(call.name)
        if UNREADABLE in call.arguments:
            raise ToolArgumentsError(f"{call.name}: the arguments are no JSON object; write one that its schema allows")
        result = await _run(turn, tool, call)
    except _TookTooLongError:
        return _too_late(turn.tools.get(call.name), call), ToolResult("")
    except (CallerError, WorldError) as error:
        return told(call, "failed", error.detail), ToolResult("")
    except Exception as error:  # a tool of anybody's: the turn goes on, the operator finds it in the log
        error_id = str(new_id())
        log.exception("tool_failed", tool=call.name, error_id=error_id)
        return told(call, "failed", f"the tool failed with {type(error).__name__} (error {error_id})"), ToolResult("")
    return ToolOutcome(call.id, "succeeded", _cut(tool, replace_unstorable(result.content))), result


class _TookTooLongError(Exception):
    """The time that we give a tool is over; not a time of its own."""


class _StoppedItselfError(Exception):
    """A tool was cancelled, and nobody stops the turn: something within it stopped it."""


async def _run(turn: Turn, tool: Tool[Any], call: ToolCall) -> ToolResult:
    """What it gives, held against what a tool may give: anything else would end the turn that writes it down."""
    task = asyncio.current_task()
    try:
        async with asyncio.timeout(tool.timeout) as limit:
            result: Any = await tool.run(turn.state.at_call(call.id))  # a plugin may give anything
    except TimeoutError:
        if limit.expired():
            raise _TookTooLongError from None
        raise
    except asyncio.CancelledError:
        if task is None or task.cancelling():
            raise
        raise _StoppedItselfError from None
    if not isinstance(result, ToolResult) or not all(
        isinstance(each, str) for each in (result.content, result.summary)
    ):
        raise TypeError(f"{tool.name} gives {type(result).__name__}, not a ToolResult with text")
    if strange := [each for each in result.events if not isinstance(each, Event.__args__)]:
        raise TypeError(f"{tool.name} tells of {type(strange[0]).__name__}, which is no event")
    if result.changes:
        advance(turn.state, turn.state.next_action("trial", changes=tuple(result.changes)))
    return result


def _too_late(tool: Tool[Any], call: ToolCall) -> ToolOutcome:
    """A read, or what is rolled back, came to nothing; of anything else nobody knows whether it happened."""
    said = f"it took longer than {tool.timeout:g} seconds"
    if tool.effect is Effect.READ or tool.transactional:
        return told(call, "failed", said)
    return told(call, "unknown", f"{said}, so nobody knows whether it happened. {_NOT_REPEATED}")


def told(call: ToolCall, status: Status, error: str) -> ToolOutcome:
    """An outcome that is no success, in words."""
    return ToolOutcome(call.id, status, None, replace_unstorable(error)[:2_000])


def unknown(call: ToolCall) -> ToolOutcome:
    """It was begun, and nobody saw its end."""
    return told(
        call,
        "unknown",
        f"the server stopped while this ran, so nobody knows whether it happened. {_NOT_REPEATED}",
    )


def recorded(
    call: ToolCall, outcome: ToolOutcome, result: ToolResult, to: list[Next], *, answers: bool = False
) -> Done:
    """The action, the message and the event of an outcome; with `answers`, it is what the user is answered."""
    content = _content(outcome)
    row = Row("tool_result", content, tool_call_id=call.id, name=call.name, status=outcome.status)
    event = ToolEnded(call.id, call.name, outcome.status, content, str(row.id))
    # The conversation keeps the whole; the state needs no more than what decides how it goes on.
    whole = answers or outcome.status != "succeeded"
    kept = outcome if whole else replace(outcome, content=content[:_KEPT])
    said: dict[str, Any] = {
        "summary": replace_unstorable(result.summary or f"{outcome.status}: {content}")[:_SHOWN],
        "result": {"status": outcome.status, **({"answers": True} if answers else {})},
        "changes": (*result.changes, ToolDone(kept)),
    }
    return Done(f"tool:{call.name}", to, [row], [event, *result.events], said=said)


def is_answer(tool: Tool[Any] | None, outcome: ToolOutcome, result: ToolResult) -> bool:
    """Whether the user is answered with it: by an output tool that is nothing else, or by one that says so (TOOL-1)."""
    if tool is None or outcome.status != "succeeded" or tool.name == DEFAULT_OUTPUT:
        return False
    return tool.kinds == {Kind.OUTPUT} or (result.answers and Kind.OUTPUT in tool.kinds)


def _content(outcome: ToolOutcome) -> str:
    if outcome.status == "succeeded":
        return str(outcome.content)
    return orjson.dumps({"status": outcome.status, "error": outcome.error}).decode()


def _cut(tool: Tool[Any], content: str) -> str:
    if len(content) <= tool.longest:
        return content
    cut = {"beginning": content[: tool.longest], "left_out_characters": len(content) - tool.longest}
    return orjson.dumps(cut).decode()
