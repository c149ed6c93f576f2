"""`/api/sessions`: conversations, their messages and what they cost."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from weft.calls.schemas import GroupBy, UsageReport
from weft.http.calling import owner, reader
from weft.http.moments import Moment
from weft.http.pages import CursorParameter, Limit, Page, page_of, read_cursor
from weft.http.problems import documented
from weft.kit.actor import Right
from weft.kit.db import Transaction
from weft.kit.errors import ForbiddenError
from weft.sessions.schemas import MessageView, SessionView
from weft.sessions.service import SessionService

router = APIRouter(prefix="/api/sessions", tags=["sessions"])
Seq = Annotated[int, Field(ge=-(2**62), le=2**62)]
Owned = Annotated[Transaction, owner(Right.SESSIONS)]
Readable = Annotated[Transaction, reader(Right.SESSIONS)]


@router.get("", responses=documented(422))
async def list_sessions(tx: Readable, cursor: CursorParameter = None, limit: Limit = 20) -> Page[SessionView]:
    """Conversations, the one touched last first: a user's own, or those within an operator's reach."""
    before = read_cursor("sessions", cursor, tuple[Moment, UUID])
    found = await SessionService(tx).recent(before, limit + 1)
    return page_of("sessions", found, limit, lambda last: [last.updated_at, last.id])


@router.post("", status_code=201, responses=documented())
async def begin_session(tx: Owned) -> SessionView:
    """Begin a conversation. Its currency is frozen now."""
    return await SessionService(tx).create()


@router.get("/{session_id}", responses=documented(404, 422))
async def read_session(tx: Readable, session_id: UUID) -> SessionView:
    """One conversation."""
    return await SessionService(tx).get(session_id)


@router.delete("/{session_id}", status_code=204, responses=documented(404, 409, 422))
async def delete_session(tx: Owned, session_id: UUID) -> None:
    """Delete a conversation with its messages; what it cost stays in the ledger."""
    await SessionService(tx).delete(session_id)


@router.get("/{session_id}/messages", responses=documented(404, 422))
async def list_messages(
    tx: Readable,
    session_id: UUID,
    cursor: CursorParameter = None,
    limit: Limit = 50,
    audit: Annotated[bool, Query(description="the audit rows instead; for operators")] = False,
) -> Page[MessageView]:
    """Messages, those written last first."""
    if audit and tx.actor.operator_reach is None:
        raise ForbiddenError("audit rows are for operators")
    listing = f"messages:{session_id}:{audit:d}"
    position = read_cursor(listing, cursor, tuple[Seq])
    found = await SessionService(tx).messages(
        session_id, before=position[0] if position else None, limit=limit + 1, audit=audit
    )
    return page_of(listing, found, limit, lambda last: [last.seq])


@router.get("/{session_id}/usage", responses=documented(404, 422))
async def session_usage(tx: Readable, session_id: UUID, by: GroupBy = GroupBy.TOTAL) -> UsageReport:
    """What a conversation has cost, in its own currency."""
    return await SessionService(tx).usage(session_id, by)
