"""How a turn begins in its conversation: what the user said is written, the skill asked for is taken on."""

from collections.abc import Sequence
from uuid import UUID

from weft.kit.db import Transaction
from weft.runs.errors import TurnInvalidError
from weft.runs.schemas import GivenResult, TurnRequest
from weft.sessions.metadata import ToolCallMade, ToolResultGiven, UserInput
from weft.sessions.schemas import NewMessage
from weft.sessions.service import SessionService
from weft.skills.activation import SkillActivation
from weft.skills.catalogue import Snapshot

_ENOUGH = 5  # texts back, in which a client's own call that waits for its result must stand


async def open_turn(
    tx: Transaction, sessions: SessionService, session_id: UUID, run_id: UUID, request: TurnRequest, skills: Snapshot
) -> None:
    """Write what the turn begins with; the caller holds the session."""
    await sessions.mark_running(session_id)
    if request.results:
        messages = await _results(sessions, session_id, request.results)
    else:
        messages = [_said(request)]
    await sessions.append(session_id, messages, run_id)
    if request.skill is not None:
        await SkillActivation(tx, skills).activate(session_id, request.skill, request.scenario)


async def open_in_vain(tx: Transaction, session_id: UUID, run_id: UUID, request: TurnRequest) -> None:
    """A turn that ends before it could begin: what the user said stands in the conversation all the same."""
    sessions = SessionService(tx)
    await sessions.mark_running(session_id)
    if not request.results:
        await sessions.append(session_id, [_said(request)], run_id)


def _said(request: TurnRequest) -> NewMessage:
    said = UserInput(
        channel=request.channel, client_message_id=request.client_message_id, attachments=request.attachments
    )
    return NewMessage(content=request.message, metadata=said)


async def _results(sessions: SessionService, session_id: UUID, given: Sequence[GivenResult]) -> list[NewMessage]:
    """What a client's tools gave, for the calls that wait for it and no others."""
    seen = await sessions.window(session_id, _ENOUGH)
    kinds = [message.metadata for message in seen.messages]
    answered = {each.tool_call_id for each in kinds if isinstance(each, ToolResultGiven)}
    waiting = {each.tool_call_id: each.name for each in kinds if isinstance(each, ToolCallMade)}
    messages = []
    for result in given:
        if result.call_id in answered or result.call_id not in waiting:
            raise TurnInvalidError(f"no tool call {result.call_id[:64]!r} waits for a result", field="results")
        answered.add(result.call_id)
        metadata = ToolResultGiven(tool_call_id=result.call_id, name=waiting[result.call_id])
        messages.append(NewMessage(content=result.content, metadata=metadata))
    return messages
