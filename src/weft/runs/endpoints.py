"""`/api/runs` and `/api/approvals`: turns on their way and what they did; the calls that wait for somebody's word."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request
from pydantic import Field

from weft.http.calling import caller, reader
from weft.http.moments import Moment
from weft.http.pages import CursorParameter, Limit, Page, page_of, read_cursor
from weft.http.problems import documented
from weft.kit.actor import Actor, Right
from weft.kit.db import Transaction
from weft.runs.desk import Desk
from weft.runs.schemas import ActionView, ApprovalStatus, ApprovalView, Decision, EventView, RunView, StateView
from weft.runs.service import RunService

runs = APIRouter(prefix="/api/runs", tags=["runs"])
approvals = APIRouter(prefix="/api/approvals", tags=["approvals"])
Readable = Annotated[Transaction, reader(Right.SESSIONS)]
Chatting = Annotated[Actor, caller(Right.CHAT)]
Seq = Annotated[int, Field(ge=0, le=2**62)]


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


@runs.get("", responses=documented(422))
async def list_runs(
    tx: Readable, session_id: UUID | None = None, cursor: CursorParameter = None, limit: Limit = 20
) -> Page[RunView]:
    """Runs, the newest first; those of one conversation, if it is named."""
    listing = f"runs:{session_id}"
    before = read_cursor(listing, cursor, tuple[Moment, UUID])
    found = await RunService(tx).recent(session_id, before, limit + 1)
    return page_of(listing, found, limit, lambda last: [last.created_at, last.id])


@runs.get("/{run_id}", responses=documented(404, 422))
async def read_run(tx: Readable, run_id: UUID) -> RunView:
    """One run."""
    return await RunService(tx).get(run_id)


@runs.get("/{run_id}/actions", responses=documented(404, 422))
async def list_actions(tx: Readable, run_id: UUID) -> list[ActionView]:
    """What the run did, action by action."""
    return await RunService(tx).actions(run_id)


@runs.get("/{run_id}/state", responses=documented(404, 422))
async def read_state(
    tx: Readable,
    run_id: UUID,
    turns: Annotated[int, Query(ge=1, le=20, description="the run's own and those before")] = 1,
) -> StateView:
    """The RuntimeState as the run's turn has it, built from its actions."""
    return await RunService(tx).state(run_id, turns)


@runs.get("/{run_id}/events", responses=documented(404, 422))
async def list_events(
    tx: Readable,
    run_id: UUID,
    after: Annotated[Seq, Query(description="the number of the last event seen")] = 0,
    limit: Limit = 100,
) -> list[EventView]:
    """What the run told so far, in order; pieces of a text stand together."""
    return await RunService(tx).events(run_id, after, limit)


@runs.post("/{run_id}/cancel", status_code=202, responses=documented(404, 422))
async def cancel_run(request: Request, actor: Chatting, run_id: UUID) -> RunView:
    """Ask for the run's end; its model is stopped at once, and what it had said is kept."""
    return await _desk(request).cancel(actor, run_id)


@approvals.get("", responses=documented(422))
async def list_approvals(
    tx: Readable, status: ApprovalStatus | None = None, cursor: CursorParameter = None, limit: Limit = 20
) -> Page[ApprovalView]:
    """Calls that wait for somebody's word, or had it; the newest first."""
    listing = f"approvals:{status}"
    before = read_cursor(listing, cursor, tuple[Moment, UUID])
    found = await RunService(tx).approvals(status, before, limit + 1)
    return page_of(listing, found, limit, lambda last: [last.created_at, last.id])


@approvals.get("/{approval_id}", responses=documented(404, 422))
async def read_approval(tx: Readable, approval_id: UUID) -> ApprovalView:
    """One of them."""
    return await RunService(tx).approval(approval_id)


@approvals.post("/{approval_id}", responses=documented(404, 409, 422))
async def decide_approval(request: Request, actor: Chatting, approval_id: UUID, decision: Decision) -> ApprovalView:
    """Say yes, yes with other arguments, or no. With the last word that it waits for, the run goes on."""
    return await _desk(request).decide(actor, approval_id, decision)
