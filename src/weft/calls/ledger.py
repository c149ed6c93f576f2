"""The ledger that model calls are booked in, each line in a transaction of its own."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from weft.calls.schemas import CallEnd, CallStart, Category, CostSource, Outcome, UsageSource
from weft.calls.service import CallService
from weft.kit.actor import Actor, Reach
from weft.kit.db import Database
from weft.llm.ports import Booking, Caller, Candidate


@dataclass(frozen=True, slots=True)
class CallLedger:
    """Books calls on behalf of whoever they are made for; implements the engine's `Ledger`."""

    database: Database

    async def start(self, call_id: UUID, caller: Caller, candidate: Candidate, started_at: datetime) -> None:
        """Note a call before it is sent."""
        call = CallStart(
            id=call_id,
            session_id=caller.session_id,
            turn_id=caller.turn_id,
            purpose=caller.purpose,
            vendor=candidate.card.vendor,
            endpoint=candidate.endpoint,
            key=candidate.key,
            model=candidate.card.name,
            category=Category(candidate.card.category),
            currency=caller.currency,
            started_at=started_at,
        )
        async with self.database.transaction(*_acting(caller)) as tx:
            await CallService(tx).start(call)

    async def end(self, call_id: UUID, caller: Caller, booking: Booking) -> None:
        """Book a call that is over."""
        usage = booking.usage
        end = CallEnd(
            input_tokens=usage.input,
            cached_input_tokens=usage.cached_input,
            cache_write_tokens=usage.cache_write,
            output_tokens=usage.output,
            reasoning_tokens=usage.reasoning,
            units=dict(booking.units),
            usage_source=UsageSource(booking.usage_source),
            cost=booking.cost,
            cost_source=CostSource(booking.cost_source),
            first_token_at=booking.first_token_at,
            ended_at=booking.ended_at,
            outcome=Outcome(booking.outcome),
            error_code=booking.error_code,
        )
        async with self.database.transaction(*_acting(caller)) as tx:
            await CallService(tx).end(call_id, end)


def _acting(caller: Caller) -> tuple[Actor, Reach]:
    """A user's call is written as the user; one that belongs to nobody, as the installation."""
    actor = Actor("gateway", frozenset(), caller.business_id, caller.user_id)
    if caller.user_id is not None:
        return actor, Reach.USER
    return actor, Reach.INSTALLATION if caller.business_id is None else Reach.BUSINESS
