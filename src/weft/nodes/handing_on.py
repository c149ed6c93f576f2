"""From an answer that asks for tools to the tools: rows of the conversation, and what comes next."""

from collections.abc import Mapping, Sequence
from typing import Any

from weft.kit.ids import new_id
from weft.nodes.asking import LONGEST_RAW, Answer
from weft.nodes.requests import AskedCall
from weft.nodes.rows import Row
from weft.nodes.turn import Done, Turn
from weft.state.action import Next
from weft.state.changes import Change
from weft.state.events import Event, TextEnded

_NO_TODOS: Mapping[str, str] = {}


async def hand_on(
    turn: Turn,
    node: str,
    answer: Answer,
    asked: Sequence[AskedCall],
    *,
    changes: Sequence[Change] = (),
    result: Any = None,
    rows: Sequence[Row] = (),
    todo_of: Mapping[str, str] = _NO_TODOS,
) -> None:
    """Write down which tools an answer asks for; `todo_of` says which todo a call is for."""
    made = [_row(answer, each, first=at == 0) for at, each in enumerate(asked)]
    events: list[Event] = [*closing(answer), *(each.event(str(made[0].id)) for each in asked)]
    said: dict[str, Any] = {
        "summary": ", ".join(each.call.name for each in asked)[:200],
        "changes": (*changes, AskedCall.change(asked)),
        "usage": answer.usage,
        "result": result,
    }
    to = [Next(f"tool:{each.call.name}", each.call.id, todo_of.get(each.call.id)) for each in asked]
    await turn.checkpoint(Done(node, to, [*made, *rows], events, said=said))


def closing(answer: Answer) -> list[TextEnded]:
    """What ends the text that an answer has shown."""
    return [TextEnded(str(answer.speech.message_id), answer.incomplete)] if answer.speech else []


def raw_row(answer: Answer, stage: str, outcome: str, *, books: bool = True) -> Row:
    """What a stage answered, as it stands: for operators, and never for the user (FLOW-6)."""
    raw = {"outcome": outcome, "raw": answer.completion.text[:LONGEST_RAW]}
    return Row("stage_audit", stage=stage, data=raw, call_id=answer.call_id if books else None)


def _row(answer: Answer, asked: AskedCall, *, first: bool) -> Row:
    """A tool call as the conversation keeps it; the first of an answer books the call and keeps what was said."""
    call, speech = asked.call, answer.speech if first else None
    return Row(
        "tool_call",
        speech.text if speech else None,
        speech.message_id if speech else new_id(),
        tool_call_id=call.id,
        name=call.name,
        arguments=call.arguments,
        call_id=answer.call_id if first else None,
        reasoning_content=(answer.completion.reasoning or None) if first else None,
    )
