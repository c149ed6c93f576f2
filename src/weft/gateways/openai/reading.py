"""From a request for a completion to a request for a turn."""

from typing import Any

from weft.gateways.files import kept
from weft.gateways.openai.models import skill_of
from weft.gateways.openai.schemas import CompletionMessage, CompletionRequest, Metadata
from weft.gateways.parts import Said, said_in
from weft.gateways.turns import turn_request
from weft.kit.actor import Actor
from weft.runs.desk import Accepted, Desk
from weft.workspaces.service import WorkspaceService


async def accepted(
    desk: Desk, actor: Actor, given: CompletionRequest, conversation: str | None, once: str | None
) -> Accepted:
    """A turn is taken on. The same idempotency key again finds the one that it named."""
    metadata = given.metadata or Metadata()
    named = metadata.conversation_id or conversation or (f"user:{given.user}"[:255] if given.user else None)
    about: dict[str, Any] = {
        "thread": named or (f"once:{once}"[:255] if once else None),
        "client_run_id": once,
        "skill": skill_of(given.model),
        "scenario": metadata.scenario,
        "frontend_tools": [tool.function for tool in given.tools or () if tool.type == "function"],
        **({"voice_mode": metadata.voice_mode} if metadata.voice_mode else {}),
    }
    if results := _results(given.messages):
        return await desk.accept(actor, turn_request(**about, results=results))
    said = _last_said(given.messages)
    attachments = await kept(WorkspaceService(actor, desk.engine.workspaces), said.files)
    return await desk.accept(actor, turn_request(**about, message=said.words, attachments=attachments))


def _last_said(messages: list[CompletionMessage]) -> Said:
    for message in reversed(messages):
        if message.role == "user":
            return said_in(message.content)
    return Said()


def _results(messages: list[CompletionMessage]) -> list[dict[str, str]]:
    results: list[dict[str, str]] = []
    for message in reversed(messages):
        if message.role != "tool":
            break
        if message.tool_call_id:
            results.append({"call_id": message.tool_call_id, "content": said_in(message.content).words})
    return results[::-1]
