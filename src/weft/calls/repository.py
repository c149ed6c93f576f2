"""Reads and writes the table `ai_calls`; every total is a query, none is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, String, and_, cast, func, literal, null, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from weft.calls.models import CallRow
from weft.calls.schemas import CallEnd, CallStart, CostSource, GroupBy, Outcome, UsageSource


@dataclass(frozen=True, slots=True)
class UsageFilter:
    """Which calls are summed; what is None does not narrow."""

    since: datetime | None = None
    until: datetime | None = None
    session_id: UUID | None = None
    user_id: UUID | None = None
    timezone: str = "UTC"

    def condition(self) -> ColumnElement[bool]:
        """The filter in SQL."""
        wanted: list[ColumnElement[bool]] = [CallRow.outcome != Outcome.RUNNING.value]
        if self.since is not None:
            wanted.append(CallRow.started_at >= self.since)
        if self.until is not None:
            wanted.append(CallRow.started_at < self.until)
        if self.session_id is not None:
            wanted.append(CallRow.session_id == self.session_id)
        if self.user_id is not None:
            wanted.append(CallRow.user_id == self.user_id)
        return and_(*wanted)


class CallRepository:
    """SQL about calls."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def start(self, business_id: UUID | None, user_id: UUID | None, call: CallStart) -> None:
        """Note a call that is being sent."""
        values = call.model_dump() | {
            "business_id": business_id,
            "user_id": user_id,
            "outcome": Outcome.RUNNING.value,
            "usage_source": UsageSource.ESTIMATED.value,
            "cost_source": CostSource.UNPRICED.value,
        }
        await self._session.execute(insert(CallRow).values(**values))

    async def end(self, call_id: UUID, end: CallEnd) -> bool:
        """Book a call that is over; False where it is not running."""
        change = update(CallRow).where(CallRow.id == call_id, CallRow.outcome == Outcome.RUNNING.value)
        booked = await self._session.scalar(change.values(**end.model_dump()).returning(CallRow.id))
        return booked is not None

    async def booking(self, call_id: UUID) -> Any:
        """What a call used and cost."""
        query = select(
            CallRow.input_tokens,
            CallRow.cached_input_tokens,
            CallRow.output_tokens,
            func.round(CallRow.cost, 6).label("cost"),
            CallRow.currency,
            CallRow.outcome,
        ).where(CallRow.id == call_id)
        return (await self._session.execute(query)).mappings().one_or_none()

    async def of_turn(self, turn_id: UUID) -> Sequence[Any]:
        """The calls of a turn, in the order they were made."""
        query = select(CallRow.__table__).where(CallRow.turn_id == turn_id).order_by(CallRow.started_at, CallRow.id)
        return (await self._session.execute(query)).mappings().all()

    async def totals(self, by: GroupBy, which: UsageFilter, limit: int) -> Sequence[Any]:
        """The sums, one for each group and currency."""
        group = _group(by, which.timezone).label("group")
        cost = func.coalesce(func.sum(CallRow.cost), 0).label("cost")
        query = select(
            group,
            CallRow.currency,
            func.count().label("calls"),
            func.coalesce(func.sum(CallRow.input_tokens), 0).label("input_tokens"),
            func.coalesce(func.sum(CallRow.cached_input_tokens), 0).label("cached_input_tokens"),
            func.coalesce(func.sum(CallRow.output_tokens), 0).label("output_tokens"),
            cost,
            func.count().filter(CallRow.cost.is_(None)).label("unpriced_calls"),
            func.count().filter(CallRow.usage_source == UsageSource.ESTIMATED.value).label("estimated_calls"),
        ).where(which.condition())
        query = query.group_by(group, CallRow.currency)
        query = query.order_by(group.desc() if by is GroupBy.DAY else cost.desc(), CallRow.currency).limit(limit)
        return (await self._session.execute(query)).mappings().all()

    async def by_key(self, day: datetime, minute: datetime) -> Sequence[Any]:
        """What each key was used for; system work, which may see no more of a call than this, asks it too."""
        query = (
            select(
                CallRow.key,
                CallRow.currency,
                func.count().filter(CallRow.started_at >= day).label("requests"),
                func.count().filter(CallRow.started_at >= minute).label("last_minute"),
                func.coalesce(
                    func.sum(CallRow.input_tokens + CallRow.output_tokens).filter(CallRow.started_at >= day), 0
                ).label("tokens"),
                func.coalesce(func.sum(CallRow.cost).filter(CallRow.started_at >= day), 0).label("cost"),
            )
            .where(CallRow.started_at >= min(day, minute))
            .group_by(CallRow.key, CallRow.currency)
        )
        return (await self._session.execute(query)).mappings().all()


def _group(by: GroupBy, timezone: str) -> ColumnElement[str | None]:
    if by is GroupBy.TOTAL:
        return cast(null(), String)
    if by is GroupBy.DAY:
        return func.to_char(func.timezone(literal(timezone), CallRow.started_at), "YYYY-MM-DD")
    columns = {
        GroupBy.TURN: CallRow.turn_id,
        GroupBy.SESSION: CallRow.session_id,
        GroupBy.USER: CallRow.user_id,
        GroupBy.KEY: CallRow.key,
        GroupBy.MODEL: CallRow.model,
    }
    return cast(columns[by], String)
