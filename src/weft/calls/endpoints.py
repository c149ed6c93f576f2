"""`/api/usage`: what calls came to. `/api/calls`: each of them, and what it was sent."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from weft.calls.context_schemas import ContextDiff, ContextView
from weft.calls.contexts import ContextService
from weft.calls.schemas import CallFilter, CallLine, GroupBy, UsageReport
from weft.calls.service import CallService
from weft.http.calling import reader
from weft.http.moments import Moment
from weft.http.pages import CursorParameter, Limit, Page, page_of, read_cursor
from weft.http.problems import documented
from weft.kit.actor import Right
from weft.kit.db import Transaction
from weft.kit.places import Timezone
from weft.kit.text import StorableText

router = APIRouter()
usages = APIRouter(prefix="/api/usage", tags=["usage"])
calls = APIRouter(prefix="/api/calls", tags=["calls"])
_Name = Annotated[StorableText, Field(max_length=255)]
Bound = Annotated[Moment | None, Query(examples=["2026-11-01T00:00:00+08:00"])]


def _wanted(
    session_id: Annotated[
        UUID | Literal["none"] | None, Query(description="those of one conversation, or of `none`")
    ] = None,
    turn_id: Annotated[UUID | None, Query(description="those of one run")] = None,
    user_id: Annotated[UUID | None, Query(description="those of one user")] = None,
    model: Annotated[_Name | None, Query(examples=["deepseek-chat"])] = None,
    key: Annotated[_Name | None, Query(examples=["deepseek/main"])] = None,
    since: Bound = None,
    until: Bound = None,
) -> CallFilter:
    """Which calls are asked for."""
    return CallFilter(session_id, turn_id, user_id, None, model, key, since, until)


@usages.get("", responses=documented(422))
async def usage(
    tx: Annotated[Transaction, reader(Right.USAGE)],
    by: GroupBy = GroupBy.TOTAL,
    since: Bound = None,
    until: Bound = None,
    timezone: Annotated[Timezone, Query(examples=["Asia/Shanghai"])] = "UTC",
) -> UsageReport:
    """Tokens and money by day, turn, session, user, key or model: a user's own, an operator's reach."""
    return await CallService(tx).report(by, since=since, until=until, timezone=timezone)


@calls.get("", responses=documented(422))
async def list_calls(
    tx: Annotated[Transaction, reader(Right.USAGE)],
    which: Annotated[CallFilter, Depends(_wanted)],
    cursor: CursorParameter = None,
    limit: Limit = 50,
) -> Page[CallLine]:
    """Calls of models, the one made last first: a user's own, or those within an operator's reach. They add up to
    what `/api/usage` says of the same conversation, model, key, user and time."""
    listing = f"calls:{which}"
    before = read_cursor(listing, cursor, tuple[Moment, UUID])
    found = await CallService(tx).recent(which, before, limit + 1)
    return page_of(listing, found, limit, lambda last: [last.started_at, last.id])


@calls.get("/{call_id}/context", responses=documented(404, 422))
async def read_context(tx: Annotated[Transaction, reader(Right.SESSIONS)], call_id: UUID) -> ContextView:
    """What a call was sent: its blocks in order, what was cut and why, what a cache should have known of it."""
    return await ContextService(tx).view(call_id)


@calls.get("/{call_id}/context/diff", responses=documented(404, 422))
async def compare_contexts(
    tx: Annotated[Transaction, reader(Right.SESSIONS)],
    call_id: UUID,
    before: Annotated[
        UUID | Literal["previous"], Query(alias="with", description="the call to compare with")
    ] = "previous",
) -> ContextDiff:
    """How a call differs from the one before it in its conversation, or from any other, and which block broke the
    prefix."""
    return await ContextService(tx).diff(call_id, None if before == "previous" else before)


router.include_router(usages)
router.include_router(calls)
