"""The one way to any model: alias to vendor, endpoint and key; retries where they are safe; every call booked."""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing

from weft.kit import clock
from weft.kit.clock import Clock
from weft.kit.log import get_logger
from weft.llm.attempt import LANES, Attempt, bookings_settled
from weft.llm.errors import ModelError
from weft.llm.fold import Fold
from weft.llm.health import Health
from weft.llm.ports import Caller, Candidate, Ledger, Registry
from weft.llm.retrying import (
    MOST_ATTEMPTS,
    Next,
    endpoint_name,
    judge,
    key_name,
    note,
    wait_before,
    ways,
)
from weft.llm.tokens import TokenCounter
from weft.llm.types import Completion, Delta, ModelCall

log = get_logger(__name__)


class Gateway:
    """Calls models by alias, on behalf of a caller."""

    def __init__(
        self,
        registry: Registry,
        ledger: Ledger,
        *,
        health: Health | None = None,
        counter: TokenCounter | None = None,
        now: Clock = clock.now,
        rng: random.Random | None = None,
    ) -> None:
        self._registry = registry
        self._ledger = ledger
        self._health = health or Health()
        self.counter = counter or TokenCounter()
        self._now = now
        self._rng = rng or random.Random()  # noqa: S311 - it spreads waits, it keeps no secret

    async def stream(self, alias: str, call: ModelCall, caller: Caller) -> AsyncGenerator[Delta, None]:
        """Call the model and give what it says as it says it.

        Until the first delta has been passed on, a failure leads to another way or, a little later, to the same one;
        after that it is the caller's to see. Whoever stops early closes the generator (`contextlib.aclosing`).
        """
        open_ways = list(await self._registry.candidates(alias, caller))
        for attempt in range(MOST_ATTEMPTS):
            candidate = ways(open_ways, self._health)[0].candidate
            try:
                tried = Attempt(self._ledger, self.counter, caller, candidate, call, self._now)
                async with aclosing(tried.stream()) as deltas:
                    async for delta in deltas:
                        yield delta
            except ModelError as error:
                open_ways = await self._after(error, candidate, open_ways, attempt)
            else:
                self._health.succeeded(key_name(candidate), endpoint_name(candidate))
                return

    async def complete(self, alias: str, call: ModelCall, caller: Caller) -> Completion:
        """Call the model and give its whole answer."""
        fold = Fold()
        async with aclosing(self.stream(alias, call, caller)) as deltas:
            async for delta in deltas:
                fold.add(delta)
        return fold.completion()

    async def aclose(self) -> None:
        """Write what is still to be booked, then close every connection."""
        await bookings_settled()
        for lane in LANES.values():
            await lane.aclose()

    async def _after(
        self, error: ModelError, failed: Candidate, open_ways: list[Candidate], attempt: int
    ) -> list[Candidate]:
        """The ways that are still open after a failure, once it is time to try; raises it where none is."""
        note(self._health, failed, error)
        following = judge(error)
        others = [each for each in open_ways if (each.key, each.endpoint, each.card.name) != _identity(failed)]
        left = others if following is Next.ELSEWHERE else open_ways
        if following is Next.NOWHERE or not left or attempt + 1 == MOST_ATTEMPTS:
            raise error
        log.info("model_call_retried", code=error.code, vendor=error.vendor, model=error.model, attempt=attempt + 1)
        if any(way.ready_in == 0 and way.candidate is not failed for way in ways(others, self._health)):
            return [*others, failed] if following is Next.ANYWHERE else others
        wait = wait_before(attempt, error, self._rng)
        if wait is None:
            raise error
        await asyncio.sleep(wait)
        return left


def _identity(candidate: Candidate) -> tuple[str, str, str]:
    return candidate.key, candidate.endpoint, candidate.card.name
