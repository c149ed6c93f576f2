"""One try at one vendor, booked whatever becomes of it."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from datetime import datetime
from types import ModuleType
from typing import Literal

from weft.kit.clock import Clock
from weft.kit.ids import new_id
from weft.llm import litellm_lane, offline, openai_compatible, pricing
from weft.llm.errors import (
    ContentFilteredError,
    KeyRefusedError,
    ModelError,
    OutOfCreditError,
    RateLimitedError,
    RefusedRequestError,
    TimedOutError,
    VendorFailedError,
)
from weft.llm.fold import Fold
from weft.llm.ports import Booking, Caller, Candidate, Ledger
from weft.llm.tokens import TokenCounter
from weft.llm.types import Delta, ModelCall, Usage

Outcome = Literal["succeeded", "failed", "cancelled", "abandoned"]
LANES: dict[str, ModuleType] = {
    "openai_compatible": openai_compatible,
    "litellm": litellm_lane,
    "offline": offline,
}
_REFUSALS = (
    RateLimitedError,
    KeyRefusedError,
    OutOfCreditError,
    RefusedRequestError,
    ContentFilteredError,
    VendorFailedError,
)
_bookings: set[asyncio.Task[None]] = set()  # held here: a loop alone does not keep its tasks alive


class Attempt:
    """A call that is being made: what has come of it so far, and its line in the ledger."""

    def __init__(
        self,
        ledger: Ledger,
        counter: TokenCounter,
        caller: Caller,
        candidate: Candidate,
        call: ModelCall,
        clock: Clock,
    ) -> None:
        self._ledger = ledger
        self._counter = counter
        self._caller = caller
        self._candidate = candidate
        self._call = call
        self._clock = clock
        self._fold = Fold()
        self._first_token_at: datetime | None = None
        self._sent = False
        self.id = new_id()

    async def stream(self) -> AsyncGenerator[Delta, None]:
        """Make the call and give what it says; it is booked before this ends, however it ends."""
        outcome: Outcome = "abandoned"  # until proven otherwise: whoever leaves says nothing
        problem: ModelError | None = None
        lane = LANES[self._candidate.target.lane]
        noted = _held(self._ledger.start(self.id, self._caller, self._candidate, self._clock()))
        try:
            await asyncio.shield(noted)
            self._sent = True
            async with aclosing(lane.stream(self._candidate.target, self._call)) as deltas:
                async for delta in deltas:
                    self._take(delta)
                    yield delta
            outcome = "succeeded"
        except ModelError as error:
            outcome, problem = "failed", error
            raise
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            await asyncio.shield(_held(self._book(noted, outcome, problem, self._clock())))

    def _take(self, delta: Delta) -> None:
        if self._first_token_at is None and (delta.text or delta.reasoning or delta.tools):
            self._first_token_at = self._clock()
        self._fold.add(delta)

    async def _book(
        self, noted: asyncio.Task[None], outcome: Outcome, problem: ModelError | None, ended_at: datetime
    ) -> None:
        await noted  # whoever cancelled the call did not cancel the note of it
        usage, source = self._usage(problem)
        cost, cost_source = pricing.price(usage, self._candidate, self._caller.currency)
        booking = Booking(
            usage=usage,
            usage_source=source,
            cost=cost,
            cost_source=cost_source,
            outcome=outcome,
            ended_at=ended_at,
            first_token_at=self._first_token_at,
            error_code=problem.code if problem else None,
        )
        await self._ledger.end(self.id, self._caller, booking)

    def _usage(self, problem: ModelError | None) -> tuple[Usage, Literal["reported", "estimated"]]:
        reported = self._fold.usage or (problem.partial.usage if problem and problem.partial else None)
        model = self._candidate.card.name
        if reported is not None:
            self._counter.observe(model, self._call.messages, self._call.tools, reported.input)
            return reported, "reported"
        if not self._sent or (problem is not None and self._fold.empty and _was_refused(problem)):
            return Usage(), "estimated"
        partial = self._fold.completion()
        said = partial.text + partial.reasoning + "".join(call.arguments for call in partial.tool_calls)
        asked = self._counter.count_messages(model, self._call.messages, self._call.tools)
        return Usage(input=asked, output=self._counter.count(model, said)), "estimated"


def _held(work: Coroutine[None, None, None]) -> asyncio.Task[None]:
    """Work that goes on when whoever waits for it is cancelled."""
    task = asyncio.ensure_future(work)
    _bookings.add(task)
    task.add_done_callback(_bookings.discard)
    return task


def _was_refused(problem: ModelError) -> bool:
    """Whether the vendor did no work: it refused, or never heard of the call."""
    if isinstance(problem, TimedOutError):
        return problem.stage == "connect"
    return isinstance(problem, _REFUSALS)


async def bookings_settled() -> None:
    """Wait until every booking under way is written; for a shutdown that loses nothing."""
    while _bookings:
        await asyncio.gather(*tuple(_bookings), return_exceptions=True)
