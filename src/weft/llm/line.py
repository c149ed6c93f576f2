"""One try's line in the ledger: noted before it is sent, booked when it is over, whoever leaves meanwhile."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from datetime import datetime
from typing import Literal

from weft.kit.clock import Clock
from weft.kit.errors import WorldError
from weft.kit.ids import new_id
from weft.kit.log import get_logger
from weft.llm import pricing
from weft.llm.errors import ModelError
from weft.llm.ports import Booking, Caller, Candidate, Ledger
from weft.llm.types import Usage

Outcome = Literal["succeeded", "failed", "cancelled", "abandoned"]
UsageSource = Literal["reported", "estimated"]
NO_UNITS: Mapping[str, str] = {}
BOOKING_WAITS = (0.05, 0.5, 2.0, 10.0)  # a database that is busy for a moment must not lose a line
log = get_logger(__name__)
_held: set[asyncio.Task[None]] = set()  # held here: a loop alone does not keep its tasks alive


class Line:
    """A line in the ledger."""

    def __init__(
        self, ledger: Ledger, caller: Caller, candidate: Candidate, clock: Clock, noted: Callable[[], None]
    ) -> None:
        self._ledger = ledger
        self._when_noted = noted  # told once the call stands in the ledger, or will never be made
        self._caller = caller
        self._candidate = candidate
        self._clock = clock
        self._noted: asyncio.Task[None] | None = None
        self.id = new_id()
        self.sent = False  # whether the vendor may have heard of it

    async def note(self) -> None:
        """Write that the call is being made; only then may it be sent."""
        self._noted = _hold(self._ledger.start(self.id, self._caller, self._candidate, self._clock()))
        self._noted.add_done_callback(lambda _task: self._when_noted())
        await asyncio.shield(self._noted)
        self.sent = True

    async def book(
        self,
        outcome: Outcome,
        usage: Usage,
        source: UsageSource,
        *,
        units: Mapping[str, str] = NO_UNITS,
        first_token_at: datetime | None = None,
        problem: Exception | None = None,
    ) -> None:
        """Write what became of it; goes on even if whoever waits is cancelled, and never hides the answer."""
        cost, cost_source = pricing.price(usage, self._candidate, self._caller.currency, units)
        booking = Booking(
            usage=usage,
            usage_source=source,
            cost=cost,
            cost_source=cost_source,
            outcome=outcome,
            ended_at=self._clock(),
            first_token_at=first_token_at,
            error_code=None if problem is None else getattr(problem, "code", "internal"),
            units=units,
        )
        await asyncio.shield(_hold(self._write(booking)))

    def did_nothing(self, problem: Exception | None) -> bool:
        """Whether the vendor did no work for it: it refused, or never heard of the call."""
        if not self.sent:
            return True
        if isinstance(problem, ModelError):
            return problem.did_no_work
        return problem is not None  # an error of ours stopped it before it left

    async def _write(self, booking: Booking) -> None:
        if self._noted is not None:
            await self._noted  # whoever cancelled the call did not cancel the note of it
        for wait in (*BOOKING_WAITS, None):
            try:
                await self._ledger.end(self.id, self._caller, booking)
            except WorldError as error:
                log.warning("booking_delayed", call=str(self.id), error=error.detail)
                if wait is None:
                    log.exception("booking_lost", call=str(self.id), booking=repr(booking))
                    return
                await asyncio.sleep(wait)
            else:
                return


def _hold(work: Coroutine[None, None, None]) -> asyncio.Task[None]:
    """Work that goes on when whoever waits for it is cancelled."""
    task = asyncio.ensure_future(work)
    _held.add(task)
    task.add_done_callback(_held.discard)
    return task


async def bookings_settled() -> None:
    """Wait until every booking under way is written; for a shutdown that loses nothing."""
    while _held:
        await asyncio.gather(*tuple(_held), return_exceptions=True)
