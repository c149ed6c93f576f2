"""Booking provider calls and asking what they came to."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from weft.calls.errors import CallEndedError, CallUnknownError
from weft.calls.repository import CallRepository, UsageFilter
from weft.calls.schemas import (
    Booking,
    CallEnd,
    CallFilter,
    CallLine,
    CallStart,
    CallView,
    CostSource,
    GroupBy,
    KeyTotal,
    Outcome,
    UsageReport,
    UsageSource,
    UsageTotal,
)
from weft.kit import clock
from weft.kit.actor import Reach
from weft.kit.db import Transaction
from weft.kit.errors import InvalidError

MAX_GROUPS = 1000


def _interrupted() -> CallEnd:
    return CallEnd(
        usage_source=UsageSource.ESTIMATED,
        cost=None,
        cost_source=CostSource.UNPRICED,
        ended_at=clock.now(),
        outcome=Outcome.ABANDONED,
        error_code="interrupted",
    )


class CallService:
    """The ledger, on behalf of the transaction's actor."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._calls = CallRepository(tx.connection)

    async def start(self, call: CallStart) -> None:
        """Note a call before it is sent, so that one whose answer never comes is known too."""
        await self._calls.start(self._tx.actor.business_id, self._tx.actor.user_id, call)

    async def end(self, call_id: UUID, end: CallEnd) -> None:
        """Book a call that is over. It is booked once."""
        if end.outcome is Outcome.RUNNING:
            raise InvalidError("a call that is over has not the outcome 'running'", field="outcome")
        if not await self._calls.end(call_id, end):
            raise CallEndedError(f"call {call_id} is not running: it is booked already, or there is none")

    async def booking(self, call_id: UUID) -> Booking:
        """What stands on the message that a call is booked on."""
        found = await self._calls.booking(call_id)
        if found is None:
            raise CallUnknownError(f"there is no call {call_id}")
        if found["outcome"] == Outcome.RUNNING.value:
            raise CallEndedError(f"call {call_id} is still running; end it before it is booked on a message")
        return Booking(call_id=call_id, **{name: value for name, value in found.items() if name != "outcome"})

    async def abandon(self, turn_id: UUID) -> None:
        """Book what a process left behind when it died: calls whose answer never arrived, at no known cost."""
        for call_id in await self._calls.interrupted(turn_id):
            await self.end(call_id, _interrupted())

    async def of_turn(self, turn_id: UUID) -> list[CallView]:
        """The calls made for a turn, in the order they were made."""
        return [CallView.model_validate(dict(row)) for row in await self._calls.of_turn(turn_id)]

    async def recent(self, which: CallFilter, before: tuple[datetime, UUID] | None, limit: int) -> list[CallLine]:
        """Calls within reach, the one made last first, as far as they are asked for."""
        actor, reach = self._tx.actor, self._tx.reach
        if reach is Reach.USER and which.user_id not in (None, actor.user_id):
            return []
        within = replace(
            which,
            user_id=actor.user_id if reach is Reach.USER else which.user_id,
            business_id=None if reach is Reach.INSTALLATION else actor.business_id,
        )
        rows = await self._calls.recent(within, before, limit)
        return [CallLine.model_validate(dict(row)) for row in rows]

    async def report(
        self,
        by: GroupBy,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        session_id: UUID | None = None,
        timezone: str = "UTC",
    ) -> UsageReport:
        """The totals over the calls within reach; days are those of the zone."""
        which = UsageFilter(since, until, session_id, timezone=timezone)
        rows = await self._calls.totals(by, which, MAX_GROUPS + 1)
        totals = [UsageTotal.model_validate(dict(row)) for row in rows[:MAX_GROUPS]]
        return UsageReport(by=by, totals=totals, truncated=len(rows) > MAX_GROUPS)

    async def by_key(self, day: datetime, minute: datetime) -> list[KeyTotal]:
        """What each key was used for since `day`, and how often since `minute`; one row a currency."""
        rows = await self._calls.by_key(day, minute)
        return [KeyTotal.model_validate(dict(row)) for row in rows]
