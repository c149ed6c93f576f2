"""The output tool's part: the answer for this one person, worded from what was understood and found."""

from typing import Any

from weft.llm.contract import ContractError, read_contract
from weft.nodes.asking import Answer, ask, closing, tool_row
from weft.nodes.contracts import ExecutionResult, OrganizationResult
from weft.nodes.errors import LimitReachedError
from weft.nodes.requests import asked_calls
from weft.nodes.rows import Row
from weft.nodes.saying import say_whole
from weft.nodes.turn import Done, Turn
from weft.state.action import Next
from weft.state.events import Event, TextEnded

REPORT, ORGANIZATION = "report", "organization"
_LONGEST = 300


async def report(turn: Turn) -> None:
    """Word the answer; where something is missing that a tool gives, that tool is called first."""
    answer = await ask(turn, ORGANIZATION, {"execution": execution_result(turn).model_dump(exclude_none=True)})
    if answer.requests:
        if turn.asked_models >= turn.limits.calls:
            raise LimitReachedError(
                f"this turn may make {turn.limits.calls} model calls, and the last one still wanted tools"
            )
        await _more(turn, answer)
        return
    text = answer.completion.text
    if answer.speech is None and not text.strip():
        raise ContractError("$", "an answer in words", "nothing", raw="")
    result = _result(answer)
    speech = answer.speech
    if speech is None:
        speech = say_whole(turn, result.assistant_text if result else text)
    elif result is not None and result.assistant_text.startswith(speech.text):
        say_whole(turn, result.assistant_text[speech.length :], speech)
    row = Row(
        "assistant_output",
        speech.text,
        speech.message_id,
        stage=ORGANIZATION,
        incomplete=answer.incomplete,
        reasoning_content=answer.completion.reasoning or None,
        data=result.response_metadata if result else {},
        call_id=answer.call_id,
    )
    ended = [TextEnded(str(speech.message_id), answer.incomplete)]
    said: dict[str, Any] = {"summary": speech.text[:200], "usage": answer.usage}
    turn.note(Done(REPORT, [Next("end")], [row], ended, said=said))


def execution_result(turn: Turn) -> ExecutionResult:
    """What execution came to, read off its calls: the results themselves stand in the conversation."""
    outcomes = [each for each in turn.state.turn.calls.values() if each.outcome is not None]
    good = [each for each in outcomes if each.outcome is not None and each.outcome.status == "succeeded"]
    status = "SUCCESS" if len(good) == len(outcomes) else "PARTIAL" if good else "FAILED"
    bad = {
        each.call.name: f"{each.outcome.status}: {each.outcome.error or ''}"[:_LONGEST]
        for each in outcomes
        if each.outcome is not None and each.outcome.status != "succeeded"
    }
    summary = ", ".join(f"{each.call.name} {each.outcome.status}" for each in outcomes if each.outcome is not None)
    return ExecutionResult(
        status=status,
        execution_summary=summary or "nothing was carried out",
        execution_data=bad,
        report_brief=turn.state.turn.task_goal[:_LONGEST],
        error_message="; ".join(f"{name} {why}" for name, why in bad.items()) or None,
    )


def _result(answer: Answer) -> OrganizationResult | None:
    if not answer.is_json:
        return None
    try:
        return read_contract(OrganizationResult, answer.completion.text)
    except ContractError:
        return None


async def _more(turn: Turn, answer: Answer) -> None:
    asked = asked_calls(turn, answer.requests, ORGANIZATION)
    rows = [tool_row(answer, each.request, each.call.arguments, first=at == 0) for at, each in enumerate(asked)]
    said = {
        "summary": ", ".join(each.call.name for each in asked)[:200],
        "changes": (asked[0].change(asked),),
        "usage": answer.usage,
    }
    events: list[Event] = [*closing(answer), *(each.event(str(rows[0].id)) for each in asked)]
    await turn.checkpoint(Done(REPORT, [each.next for each in asked], rows, events, said=said))
