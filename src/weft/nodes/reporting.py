"""The organization stage: the answer for this one person, worded from what was understood and found, or given whole."""

from typing import Any

from weft.llm.types import Completion
from weft.nodes.answering import answered
from weft.nodes.asking import Answer
from weft.nodes.contracts import NEEDS, ExecutionResult, OrganizationResult
from weft.nodes.errors import LimitReachedError
from weft.nodes.handing_on import hand_on
from weft.nodes.repairing import ask_to_contract
from weft.nodes.requests import asked_calls
from weft.nodes.turn import Turn
from weft.state.calls import CallState

REPORT, ORGANIZATION, OUTPUT = "report", "organization", "output"
_LONGEST = 300
_TOLD = ("intent_summary", "execution_brief", "safety_flags")


async def report(turn: Turn) -> None:
    """Word the answer; where something is missing that a tool gives, that tool is called first."""
    known = {**_intent(turn), "execution": execution_result(turn).model_dump(exclude_none=True)}
    answer, result = await ask_to_contract(turn, ORGANIZATION, OrganizationResult, known)
    if answer.requests:
        if turn.asked_models >= turn.limits.calls:
            raise LimitReachedError(
                f"this turn may make {turn.limits.calls} model calls, and the last one still wanted tools"
            )
        await hand_on(turn, REPORT, answer, asked_calls(turn, answer.requests, ORGANIZATION))
        return
    whole = result.assistant_text if result else "" if answer.speech else answer.completion.text
    turn.note(answered(turn, REPORT, answer, whole, metadata=result.response_metadata if result else {}))


async def output(turn: Turn) -> None:
    """An output tool of its own made the answer: it is shown as it stands (TOOL-1)."""
    made = [each for each in turn.state.turn.calls.values() if each.outcome is not None][-1]
    text = str(made.outcome.content) if made.outcome is not None else ""
    turn.note(answered(turn, OUTPUT, Answer(Completion(text), None), text, metadata={"output_tool": made.call.name}))


def execution_result(turn: Turn) -> ExecutionResult:
    """What execution came to: what it said itself, and what its calls came to; their results stand in the chat."""
    said = _said(turn)
    outcomes = [each for each in turn.state.turn.calls.values() if each.outcome is not None]
    bad = [each for each in outcomes if each.outcome is not None and each.outcome.status != "succeeded"]
    status = said.get("status") or ("SUCCESS" if not bad else "PARTIAL" if len(bad) < len(outcomes) else "FAILED")
    summary = ", ".join(f"{each.call.name} {each.outcome.status}" for each in outcomes if each.outcome is not None)
    parts = [part for part in (said.get("execution_summary"), summary) if part]
    wrong = "; ".join(f"{each.call.name} {_why(each)}" for each in bad) or said.get("error_message")
    return ExecutionResult(
        status=status,
        execution_summary="\n".join(parts) or "nothing was carried out",
        execution_data=said.get("execution_data", {}),
        report_brief=said.get("report_brief") or turn.state.turn.task_goal[:_LONGEST],
        error_message=wrong or ("it is not said why" if status == "FAILED" else None),
    )


def _why(state: CallState) -> str:
    outcome = state.outcome
    return "" if outcome is None else f"{outcome.status}: {outcome.error or ''}"[:_LONGEST]


def _said(turn: Turn) -> dict[str, Any]:
    """What the planner found, in its own words."""
    found = (each.result for each in reversed(turn.state.turn.actions) if each.node == "planner" and each.result)
    return dict(next(found, {}))


def _intent(turn: Turn) -> dict[str, Any]:
    """What the intent understood, where it put that into words (FLOW-2)."""
    results = (each.result for each in reversed(turn.state.turn.actions) if each.node == "intent" and each.result)
    result: dict[str, Any] = dict(next(results, {}))
    known = {name: result[name] for name in _TOLD if result.get(name)} if result.get("route") == NEEDS else {}
    return {"intent": known} if known else {}
