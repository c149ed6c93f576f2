"""The intent stage: it only routes, or answers what is simple (FLOW-2)."""

from typing import Any

import orjson

from weft.llm.types import ToolRequest
from weft.nodes.answering import answered, understood
from weft.nodes.asking import Answer
from weft.nodes.contracts import DIRECT, IntentResult
from weft.nodes.handing_on import hand_on, raw_row
from weft.nodes.repairing import ask_to_contract
from weft.nodes.requests import asked_calls
from weft.nodes.turn import Done, Turn
from weft.state.action import Next

INTENT = "intent"
_FOR_THE_USER = ("route", DIRECT)


async def intent(turn: Turn) -> None:
    """Answer, call tools, or name the work; nothing of an answer is shown twice or taken back."""
    answer, result = await ask_to_contract(turn, INTENT, IntentResult, only_if=_FOR_THE_USER)
    if answer.requests:
        asked = asked_calls(turn, answer.requests, INTENT)
        await hand_on(turn, INTENT, answer, asked, changes=understood(turn))
    elif result is None or result.route == DIRECT:
        _direct(turn, answer, result)
    else:
        await _to_execution(turn, answer, result)


def _direct(turn: Turn, answer: Answer, result: IntentResult | None) -> None:
    """The answer stands; it is written down with the end of the turn, which nothing comes before."""
    said: dict[str, Any] = {"route": DIRECT}
    if result is not None and result.safety_flags:
        said["safety_flags"] = list(result.safety_flags)
    whole = result.assistant_text if result else "" if answer.speech else answer.completion.text
    rows = [raw_row(answer, INTENT, "answered", books=False)] if result else []
    turn.note(answered(turn, INTENT, answer, whole or "", result=said, rows=rows, changes=understood(turn, result)))


async def _to_execution(turn: Turn, answer: Answer, result: IntentResult) -> None:
    """The work is named: its first calls are made at once, and else the planner finds them."""
    changes, plain = tuple(understood(turn, result)), result.model_dump(mode="json", exclude_none=True)
    if not result.first_calls:
        said = {"summary": result.intent_summary[:200], "result": plain, "usage": answer.usage, "changes": changes}
        await turn.checkpoint(Done(INTENT, [Next("planner")], [raw_row(answer, INTENT, "routed")], said=said))
        return
    requests = [
        ToolRequest(f"call_{answer.call_id}_{at}", call.name, orjson.dumps(call.arguments).decode())
        for at, call in enumerate(result.first_calls)
    ]
    raw = [raw_row(answer, INTENT, "routed", books=False)]
    await hand_on(turn, INTENT, answer, asked_calls(turn, requests, INTENT), changes=changes, result=plain, rows=raw)
