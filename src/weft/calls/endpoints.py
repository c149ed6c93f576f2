"""`/api/usage`: what calls came to."""

from typing import Annotated

from fastapi import APIRouter, Query

from weft.calls.schemas import GroupBy, UsageReport
from weft.calls.service import CallService
from weft.http.calling import reader
from weft.http.moments import Moment
from weft.http.problems import documented
from weft.kit.actor import Right
from weft.kit.db import Transaction
from weft.kit.places import Timezone

router = APIRouter(prefix="/api/usage", tags=["usage"])
Bound = Annotated[Moment | None, Query(examples=["2026-11-01T00:00:00+08:00"])]


@router.get("", responses=documented(422))
async def usage(
    tx: Annotated[Transaction, reader(Right.USAGE)],
    by: GroupBy = GroupBy.TOTAL,
    since: Bound = None,
    until: Bound = None,
    timezone: Annotated[Timezone, Query(examples=["Asia/Shanghai"])] = "UTC",
) -> UsageReport:
    """Tokens and money by day, turn, session, user, key or model: a user's own, an operator's reach."""
    return await CallService(tx).report(by, since=since, until=until, timezone=timezone)
