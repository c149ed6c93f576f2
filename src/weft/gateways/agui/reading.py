"""From an AG-UI request to a request for a turn: the last thing the user said, and nothing of the client's history."""

from collections.abc import Sequence
from uuid import UUID

import orjson
from pydantic import ValidationError

from weft.gateways.agui.input import InputMessage, ResumeEntry, RunAgentInput
from weft.gateways.parts import Said, said_in
from weft.gateways.wishes import Wishes
from weft.kit.errors import InvalidError
from weft.kit.log import get_logger
from weft.runs.schemas import Decision

log = get_logger(__name__)
_BYSTANDERS = ("activity", "reasoning")  # the client's own notes, which may stand anywhere


def last_said(messages: Sequence[InputMessage]) -> Said:
    """The last user message; nothing, where there is none."""
    for message in reversed(messages):
        if message.role == "user":
            return said_in(message.content)._replace(message_id=message.id[:255] or None)
    return Said()


def results_given(messages: Sequence[InputMessage]) -> list[tuple[str, str]]:
    """What the client's own tools gave: the tool messages that the conversation ends with, by call."""
    given: list[tuple[str, str]] = []
    for message in reversed(messages):
        if message.role in _BYSTANDERS:
            continue
        if message.role != "tool":
            break
        if message.tool_call_id:
            given.append((message.tool_call_id, _result(message)))
    return list(reversed(given))


def decisions(entries: Sequence[ResumeEntry]) -> list[tuple[UUID, Decision]]:
    """What was said to each interrupt; one that is none of ours is left out, with a warning."""
    said: list[tuple[UUID, Decision]] = []
    for entry in entries:
        try:
            said.append((UUID(entry.interrupt_id), decision_of(entry)))
        except ValueError:
            log.warning("resume_of_no_interrupt", interrupt=entry.interrupt_id[:64])
    return said


def decision_of(entry: ResumeEntry) -> Decision:
    """Yes only where it is said plainly; edited arguments take the place of all that were given."""
    payload = entry.payload
    if entry.status == "cancelled":
        return Decision(approved=False, reason="cancelled")
    if isinstance(payload, bool):
        return Decision(approved=payload)
    if not isinstance(payload, dict):
        return Decision(approved=False)
    approved = payload.get("approved") is True
    edited = payload.get("editedArgs", payload.get("edited_args")) if approved else None
    reason = payload.get("reason")
    try:
        return Decision.model_validate(
            {"approved": approved, "edited_args": edited, "reason": reason if isinstance(reason, str) else None}
        )
    except ValidationError as error:
        raise InvalidError(f"resume: {error.errors()[0]['msg']}", field="resume.payload") from None


def wishes_of(given: RunAgentInput) -> Wishes:
    """What the application wants besides: forwarded properties first, then the shared state.

    A skill is taken from a state only where it is not the one that Weft itself showed: that one comes back as it went.
    """
    state = given.state if isinstance(given.state, dict) else {}
    own = "session_id" in state
    named = {key: value for key, value in state.items() if isinstance(value, str)}  # the rest is the application's
    from_state = {key: value for key, value in named.items() if not (own and key in ("skill", "scenario"))}
    return Wishes.read(given.forwarded_props, from_state)


def _result(message: InputMessage) -> str:
    said = said_in(message.content)
    if message.error:
        return orjson.dumps({"status": "failed", "error": message.error}).decode()
    if said.files:
        log.warning("parts_of_a_tool_result_left_out", parts=len(said.files))
    return said.words
