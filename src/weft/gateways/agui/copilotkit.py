"""`/agui/agent/{agent}`: the same runs at the addresses where CopilotKit's front ends look for them."""

from collections.abc import AsyncGenerator
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from weft.gateways.agui.endpoints import STREAM, Chatting, run_agent
from weft.gateways.agui.info import AGENT
from weft.gateways.agui.input import RunAgentInput
from weft.gateways.agui.stream import Watched, written
from weft.gateways.streaming import EventStream
from weft.http.problems import documented
from weft.runs.desk import Desk
from weft.runs.schemas import RunStatus

router = APIRouter(prefix=f"/agui/agent/{AGENT}", tags=["ag-ui"])
Thread = Annotated[str, Path(min_length=1, max_length=255)]
_OVER = (RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED)


class Interrupt(BaseModel):
    """How a front end tells its user that a run was stopped."""

    model_config = ConfigDict(frozen=True)

    type: Literal["RUN_ERROR"] = "RUN_ERROR"
    message: str = "the run was stopped"
    code: str = Field(default="STOPPED", examples=["STOPPED"])


class Stopped(BaseModel):
    """Whether there was anything to stop."""

    model_config = ConfigDict(frozen=True)

    stopped: bool
    message: str | None = None
    interrupt: Interrupt | None = None


@router.post("/run", status_code=200, response_class=EventStream, responses=STREAM | documented(404, 409, 422))
async def run(request: Request, actor: Chatting, given: RunAgentInput) -> EventStream:
    """Run the agent, as `POST /agui` does."""
    return await run_agent(request, actor, given)


@router.post("/connect", status_code=200, response_class=EventStream, responses=STREAM | documented(422))
async def connect(request: Request, actor: Chatting, given: RunAgentInput) -> EventStream:
    """What the conversation is at: all that was said, and what is under way. Nothing, where nothing was said."""
    desk: Desk = request.app.state.desk
    newest = await desk.newest(actor, given.thread_id)
    if newest is None:
        return EventStream(_nothing())
    return EventStream(written(Watched(desk, actor, newest, given)))


@router.post("/stop/{thread_id}", response_model_exclude_none=True, responses=documented(422))
async def stop(request: Request, actor: Chatting, thread_id: Thread) -> Stopped:
    """Ask for the end of what is under way in a conversation."""
    desk: Desk = request.app.state.desk
    newest = await desk.newest(actor, thread_id)
    if newest is None or newest.run.status in _OVER:
        return Stopped(stopped=False, message="nothing is under way in this conversation")
    await desk.cancel(actor, newest.run.id)
    return Stopped(stopped=True, interrupt=Interrupt())


async def _nothing() -> AsyncGenerator[bytes, None]:
    return
    yield
