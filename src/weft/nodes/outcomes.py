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
from weft.state.events import ToolEnded
from weft.tools.errors import ToolArgumentsError
from weft.tools.tool import Tool, ToolResult

log = get_logger(__name__)
_SHOWN, _KEPT = 500, 2_000


async def outcome_of(turn: Turn, call: ToolCall) -> tuple[ToolOutcome, ToolResult]:
    """Run a tool; whatever goes wrong with it is its outcome, and never the end of the turn."""
    try:
        tool = turn.tools.get(call.name)
        if UNREADABLE in call.arguments:
            raise ToolArgumentsError(f"{call.name}: the arguments are no JSON object; write one that its schema allows")
        async with asyncio.timeout(tool.timeout):
            result = await tool.run(turn.state.at_call(call.id))
    except TimeoutError:
        return told(call, "failed", f"it took longer than {turn.tools.get(call.name).timeout:g} seconds"), ToolResult(
            ""
        )
    except (CallerError, WorldError) as error:
        return told(call, "failed", error.detail), ToolResult("")
    except Exception as error:  # a tool of anybody's: the turn goes on, the operator finds it in the log
        error_id = str(new_id())
        log.exception("tool_failed", tool=call.name, error_id=error_id)
        return told(call, "failed", f"the tool failed with {type(error).__name__} (error {error_id})"), ToolResult("")
    return ToolOutcome(call.id, "succeeded", _cut(tool, replace_unstorable(result.content))), result


def told(call: ToolCall, status: Status, error: str) -> ToolOutcome:
    """An outcome that is no success, in words."""
    return ToolOutcome(call.id, status, None, replace_unstorable(error)[:2_000])


def unknown(call: ToolCall) -> ToolOutcome:
    """It was begun, and nobody saw its end."""
    return told(
        call,
        "unknown",
        "the server stopped while this ran, so nobody knows whether it happened. It was not repeated. "
        "Find out before doing it again, or say plainly that it is unknown.",
    )


def recorded(call: ToolCall, outcome: ToolOutcome, result: ToolResult, to: list[Next]) -> Done:
    """The action, the message and the event of an outcome."""
    content = _content(outcome)
    row = Row("tool_result", content, tool_call_id=call.id, name=call.name, status=outcome.status)
    event = ToolEnded(call.id, call.name, outcome.status, content, str(row.id))
    # The conversation keeps the whole; the state needs no more than what decides how it goes on.
    kept = replace(outcome, content=content[:_KEPT]) if outcome.status == "succeeded" else outcome
    said: dict[str, Any] = {
        "summary": (result.summary or f"{outcome.status}: {content}")[:_SHOWN],
        "result": {"status": outcome.status},
        "changes": (*result.changes, ToolDone(kept)),
    }
    return Done(f"tool:{call.name}", to, [row], [event, *result.events], said=said)


def _content(outcome: ToolOutcome) -> str:
    if outcome.status == "succeeded":
        return str(outcome.content)
    return orjson.dumps({"status": outcome.status, "error": outcome.error}).decode()


def _cut(tool: Tool[Any], content: str) -> str:
    if len(content) <= tool.longest:
        return content
    cut = {"beginning": content[: tool.longest], "left_out_characters": len(content) - tool.longest}
    return orjson.dumps(cut).decode()
