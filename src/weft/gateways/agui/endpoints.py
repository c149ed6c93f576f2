"""`/agui`: runs over AG-UI."""

from typing import Annotated, Any

from fastapi import APIRouter, Request

from weft.gateways.agui.info import RuntimeInfo
from weft.gateways.agui.input import RunAgentInput
from weft.gateways.agui.reading import decisions, last_said, results_given, wishes_of
from weft.gateways.agui.stream import Watched, written
from weft.gateways.files import kept
from weft.gateways.streaming import EventStream, stream_documented
from weft.gateways.turns import turn_request
from weft.http.calling import caller
from weft.http.problems import documented
from weft.kit.actor import Actor, Right
from weft.runs.desk import Accepted, Desk
from weft.runs.schemas import TurnRequest
from weft.workspaces.service import WorkspaceService

router = APIRouter(prefix="/agui", tags=["ag-ui"])
Chatting = Annotated[Actor, caller(Right.CHAT)]
STREAM = stream_documented("The run, as AG-UI events.", 'data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n')


@router.post("", status_code=200, response_class=EventStream, responses=STREAM | documented(404, 409, 422))
async def run_agent(request: Request, actor: Chatting, given: RunAgentInput) -> EventStream:
    """Run the agent. The same `threadId` and `runId` again join the run that they name, under way or over."""
    desk: Desk = request.app.state.desk
    accepted = await _accepted(desk, actor, given)
    return EventStream(written(Watched(desk, actor, accepted, given)))


@router.get("/info", responses=documented())
async def describe(_actor: Chatting) -> RuntimeInfo:
    """What runs here, as CopilotKit asks for it."""
    return RuntimeInfo()


async def _accepted(desk: Desk, actor: Actor, given: RunAgentInput) -> Accepted:
    """A run is taken on, goes on with what was decided, or is found again by its name."""
    if given.resume:
        return await desk.resume(actor, given.thread_id, given.run_id, decisions(given.resume))
    return await desk.accept(actor, await _turn(desk, actor, given))


async def _turn(desk: Desk, actor: Actor, given: RunAgentInput) -> TurnRequest:
    about: dict[str, Any] = {
        "thread": given.thread_id,
        "client_run_id": given.run_id,
        "frontend_tools": given.tools,
        **wishes_of(given).as_turn(),
    }
    if results := results_given(given.messages):
        return turn_request(**about, results=[{"call_id": call, "content": content} for call, content in results])
    said = last_said(given.messages)
    files = await kept(WorkspaceService(actor, desk.engine.workspaces), said.files)
    return turn_request(**about, message=said.words, attachments=files, client_message_id=said.message_id)
