"""What a turn that is stopped leaves open, closed properly: the text that was being shown, the calls under way."""

from collections.abc import Container, Iterator

from weft.nodes.outcomes import recorded, told, unknown
from weft.nodes.rows import Row
from weft.nodes.turn import Done, Turn
from weft.state.action import Next
from weft.state.events import Event, TextEnded
from weft.state.runtime import RuntimeState
from weft.tools.tool import ToolResult


def what_is_open(turn: Turn, outcome: str) -> tuple[list[Row], list[Event]]:
    """The text that was being shown, kept as an incomplete answer; and each call that came to nothing."""
    rows: list[Row] = []
    events: list[Event] = []
    speech, turn.speech = turn.speech, None
    unbooked = turn.unbooked
    if speech is not None:
        call_id = unbooked[-1].id if unbooked else None
        turn.unbooked = unbooked[:-1]
        rows.append(
            Row(
                "assistant_output",
                speech.text,
                speech.message_id,
                stage=turn.stage or "",
                incomplete=True,
                call_id=call_id,
            )
        )
        events.append(TextEnded(str(speech.message_id), incomplete=True))
    rows += turn.unbooked_rows("turn", outcome)
    return rows, events


def ends_of_calls(state: RuntimeState, frontend: Container[str]) -> Iterator[Done]:
    """Each call that was asked for has an end: unknown where it had begun, else it was not carried out."""
    for each in state.open_calls:
        if each.call.name in frontend:
            continue
        begun = each.phase == "started"
        outcome = unknown(each.call) if begun else told(each.call, "denied", "the turn ended before this was done")
        if each.phase == "approved":
            outcome = told(each.call, "failed", "the turn ended before this was done")
        yield recorded(each.call, outcome, ToolResult(""), [Next("end")])
