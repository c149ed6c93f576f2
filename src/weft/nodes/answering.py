"""The answer of a turn, whichever step gives it: shown to its end, kept as a message, known to the state."""

from collections.abc import Sequence
from typing import Any

from weft.kit.text import replace_unstorable
from weft.nodes.asking import Answer
from weft.nodes.contracts import IntentResult
from weft.nodes.rows import Row
from weft.nodes.showing import say_whole
from weft.nodes.turn import Done, Turn
from weft.state.action import Next
from weft.state.changes import (
    AddChat,
    Change,
    ChatEntry,
    FillOutput,
    OutputPart,
    SetOutputStructure,
    SetOutputStyle,
    SetTaskGoal,
)
from weft.state.events import TextEnded

ANSWER = "answer"  # the part that every answer has
EXPECTED = "an answer to what the user said"
LONGEST_GOAL = 2_000
LONGEST_KEPT = 100_000  # characters that the state keeps of an answer; the message has it whole


def understood(turn: Turn, result: IntentResult | None = None) -> list[Change]:
    """What is clear once the intent is: the goal, where it was named, and how and as what to answer (STATE-4)."""
    goal = ((result.execution_brief or result.intent_summary) if result else "")[:LONGEST_GOAL]
    changes: list[Change] = [SetTaskGoal(goal)] if goal else []
    if turn.asked.voice != turn.state.shared.output_style:
        changes.append(SetOutputStyle(turn.asked.voice))
    if not turn.state.turn.output_structure:
        changes.append(SetOutputStructure((OutputPart(ANSWER, goal or EXPECTED),)))
    return changes


def answered(
    turn: Turn,
    node: str,
    answer: Answer,
    whole: str,
    *,
    metadata: dict[str, Any] | None = None,
    result: Any = None,
    rows: Sequence[Row] = (),
    changes: Sequence[Change] = (),
) -> Done:
    """The action of a step that answers: what could not be followed while it came is shown now."""
    speech, whole = answer.speech, replace_unstorable(whole)
    if speech is None:
        speech = say_whole(turn, whole)
    elif whole.startswith(speech.text):
        say_whole(turn, whole[speech.length :], speech)
    message_id = str(speech.message_id)
    row = Row(
        "assistant_output",
        speech.text,
        speech.message_id,
        stage="intent" if node == "intent" else "organization",
        incomplete=answer.incomplete,
        reasoning_content=answer.completion.reasoning or None,
        data=metadata or {},
        call_id=answer.call_id,
    )
    chat = AddChat((ChatEntry("assistant", speech.text[:LONGEST_KEPT], message_id),))
    said: dict[str, Any] = {
        "summary": speech.text[:200],
        "result": result,
        "changes": (*changes, *_filled(turn, changes, message_id), chat),
        "usage": answer.usage,
    }
    return Done(node, [Next("end")], [row, *rows], [TextEnded(message_id, answer.incomplete)], said=said)


def _filled(turn: Turn, changes: Sequence[Change], message_id: str) -> list[Change]:
    """The part of the answer that is now there; the message has its text."""
    fresh = (part for change in changes if isinstance(change, SetOutputStructure) for part in change.output_structure)
    known = (*turn.state.turn.output_structure, *fresh)
    there = any(part.id == ANSWER for part in known)
    return [FillOutput(ANSWER, {"message_id": message_id})] if there else []
