"""The intent stage: it only routes, or answers what is simple (FLOW-2)."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from weft.llm.contract import ContractError, read_contract
from weft.llm.types import ToolRequest
from weft.nodes.asking import Answer, ask, closing, tool_row
from weft.nodes.contracts import DIRECT, IntentResult
from weft.nodes.requests import asked_calls
from weft.nodes.rows import Row
from weft.nodes.saying import say_whole
from weft.nodes.turn import Done, Turn
from weft.state.action import Next
from weft.state.changes import SetTaskGoal
from weft.state.events import Event, TextEnded

INTENT = "intent"


async def intent(turn: Turn) -> None:
    """Answer, call tools, or name the work; nothing of an answer is shown twice or taken back."""
    answer = await ask(turn, INTENT)
    if not answer.requests and answer.speech is None and (problem := _problem(answer)):
        turn.book([_raw_row(answer, "off_contract")])
        answer = await ask(turn, INTENT, {"your_last_answer": answer.completion.text[:2_000], "problem": problem})
    if answer.requests:
        await _to_tools(turn, answer, answer.requests, {})
        return
    result = _result(answer)
    if result is None or result.route == DIRECT:
        _answered(turn, answer, result)
    elif result.first_calls:
        requests = [
            ToolRequest(f"call_{answer.call_id}_{at}", call.name, orjson.dumps(call.arguments).decode())
            for at, call in enumerate(result.first_calls)
        ]
        await _to_tools(turn, answer, requests, _goal(result))
    else:
        await _to_planner(turn, answer, result)


def _problem(answer: Answer) -> str | None:
    """What is wrong with an answer of which nothing was shown; words are never wrong."""
    if not answer.is_json:
        return None if answer.completion.text.strip() else "the answer was empty"
    try:
        read_contract(IntentResult, answer.completion.text)
    except ContractError as error:
        return error.detail
    return None


def _result(answer: Answer) -> IntentResult | None:
    """What it decided; None where it simply said something: then that is the answer."""
    if not answer.is_json:
        return None
    try:
        return read_contract(IntentResult, answer.completion.text)
    except ContractError:
        return None


def _answered(turn: Turn, answer: Answer, result: IntentResult | None) -> None:
    """The answer stands; it is written down with the end of the turn, which nothing comes before."""
    speech = answer.speech
    if speech is None:
        text = (result.assistant_text if result else None) or answer.completion.text
        if not text.strip():
            raise ContractError("$", "an answer in words, or tool calls", "nothing", raw="")
        speech = say_whole(turn, text)
        turn.speech = None
    elif result is not None and (result.assistant_text or "").startswith(speech.text):
        say_whole(turn, (result.assistant_text or "")[speech.length :], speech)  # what could not be followed
    row = Row(
        "assistant_output",
        speech.text,
        speech.message_id,
        stage="intent",
        incomplete=answer.incomplete,
        reasoning_content=answer.completion.reasoning or None,
        call_id=answer.call_id,
    )
    said: dict[str, Any] = {"summary": speech.text[:200], "result": {"route": DIRECT}, "usage": answer.usage}
    ended = [TextEnded(str(speech.message_id), answer.incomplete)]
    turn.note(Done(INTENT, [Next("end")], [row], ended, said=said))


async def _to_tools(turn: Turn, answer: Answer, requests: Sequence[ToolRequest], more: Mapping[str, Any]) -> None:
    """The calls that it names: rows of the conversation, and what comes next."""
    asked = asked_calls(turn, requests, INTENT)
    rows = [tool_row(answer, each.request, each.call.arguments, first=at == 0) for at, each in enumerate(asked)]
    events: list[Event] = [*closing(answer), *(each.event(str(rows[0].id)) for each in asked)]
    said = {
        "summary": ", ".join(each.call.name for each in asked)[:200],
        "changes": (*more.get("changes", ()), asked[0].change(asked)),
        "usage": answer.usage,
    }
    await turn.checkpoint(Done(INTENT, [each.next for each in asked], rows, events, said=said))


async def _to_planner(turn: Turn, answer: Answer, result: IntentResult) -> None:
    said = {
        "summary": result.intent_summary[:200],
        "result": result.model_dump(mode="json", exclude_none=True),
        "usage": answer.usage,
        **_goal(result),
    }
    await turn.checkpoint(Done(INTENT, [Next("planner")], [_raw_row(answer, "routed")], closing(answer), said=said))


def _goal(result: IntentResult) -> dict[str, Any]:
    goal = (result.execution_brief or result.intent_summary)[:2_000]
    return {"changes": (SetTaskGoal(goal),)} if goal else {}


def _raw_row(answer: Answer, outcome: str) -> Row:
    raw = {"outcome": outcome, "raw": answer.completion.text[:20_000]}
    return Row("stage_audit", stage=INTENT, data=raw, call_id=answer.call_id)
