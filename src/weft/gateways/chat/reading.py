"""From a chat request to a request for a turn."""

from typing import Any

from weft.gateways.chat.schemas import ChatFile, ChatRequest
from weft.gateways.files import GivenFile, file_of_base64, file_of_url, kept
from weft.gateways.parts import Said, said_in
from weft.gateways.turns import turn_request
from weft.kit.actor import Actor
from weft.kit.errors import InvalidError
from weft.kit.ids import new_id
from weft.runs.desk import Accepted, Desk
from weft.workspaces.service import WorkspaceService


async def accepted(desk: Desk, actor: Actor, given: ChatRequest) -> Accepted:
    """A turn is taken on, or goes on with what was decided."""
    if given.decisions:
        if given.conversation_id is None:
            raise InvalidError("name the conversation that waits for these decisions", field="conversation_id")
        decided = [(each.approval_id, each) for each in given.decisions]
        return await desk.resume(actor, given.conversation_id, given.run_id or f"chat-{new_id()}", decided)
    said = _said(given)
    files = [*said.files, *(_file(file, at) for at, file in enumerate(given.attachments))]
    about: dict[str, Any] = given.model_dump(
        include={"skill", "scenario", "voice_mode", "channel", "chat_id", "when_busy", "deadline_seconds"}
    )
    attachments = await kept(WorkspaceService(actor, desk.engine.workspaces), files)
    request = turn_request(
        **about,
        message=said.words,
        attachments=attachments,
        thread=given.conversation_id,
        client_run_id=given.run_id,
    )
    return await desk.accept(actor, request)


def _said(given: ChatRequest) -> Said:
    if given.message is not None:
        return Said(given.message)
    for message in reversed(given.messages):
        if message.role == "user":
            return said_in(message.content)
    return Said()


def _file(file: ChatFile, at: int) -> GivenFile:
    if file.content is not None:
        found = file_of_base64(file.content, file.name, file.media_type)
    else:
        found = file_of_url(file.url or "", file.name, file.media_type)
    if not found.readable:
        where = f"attachments.{at}"
        raise InvalidError(f"{where}: give the file's bytes as base64 in `content`, or a URL in `url`", field=where)
    return found
