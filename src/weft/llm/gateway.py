"""The one way to any model: alias to vendor, endpoint and key; retries where they are safe; every call booked."""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from itertools import count
from typing import Any
from uuid import UUID

from weft.kit import clock
from weft.kit.clock import Clock
from weft.kit.log import get_logger
from weft.llm import media
from weft.llm.attempt import LANES, Attempt, Result, make_once
from weft.llm.errors import ModelError, RateLimitedError
from weft.llm.fold import Fold
from weft.llm.health import Health
from weft.llm.line import Line, bookings_settled
from weft.llm.ports import Caller, Candidate, Ledger, ModelCard, Registry
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
from weft.llm.structure_types import Embeddings, EmbeddingStructure, Images, ImageStructure, MediaTask, TaskStructure
from weft.llm.structures import declared
from weft.llm.tokens import TokenCounter
from weft.llm.types import Completion, Delta, ModelCall, Usage

log = get_logger(__name__)
OnCall = Callable[[UUID, Candidate], None]
NO_OPTIONS: Mapping[str, Any] = {}


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

    async def stream(
        self, alias: str, call: ModelCall, caller: Caller, on_call: OnCall | None = None
    ) -> AsyncGenerator[Delta, None]:
        """Call the model and give what it says as it says it; `on_call` hears of each try before it is sent.

        Until the first delta has been passed on, a failure leads to another way or, a little later, to the same one;
        after that it is the caller's to see. Whoever stops early closes the generator (`contextlib.aclosing`).
        """
        open_ways = list(await self._registry.candidates(alias, caller))
        for attempt in count():
            candidate = await self._claim(open_ways, alias, caller)
            try:
                line = self._line(caller, candidate)
                if on_call is not None:
                    on_call(line.id, candidate)
                tried = Attempt(line, self.counter, candidate, call, self._now)
                async with aclosing(tried.stream()) as deltas:
                    async for delta in deltas:
                        yield delta
            except ModelError as error:
                open_ways = await self._after(error, candidate, open_ways, attempt)
            else:
                self._health.succeeded(key_name(candidate), endpoint_name(candidate))
                return

    async def card(self, alias: str, caller: Caller) -> ModelCard:
        """The model that a call would go to now: what a prompt is compiled for."""
        return (await self._registry.candidates(alias, caller))[0].card

    async def complete(self, alias: str, call: ModelCall, caller: Caller) -> Completion:
        """Call the model and give its whole answer."""
        fold = Fold()
        async with aclosing(self.stream(alias, call, caller)) as deltas:
            async for delta in deltas:
                fold.add(delta)
        return fold.completion()

    async def embed(
        self, alias: str, texts: Sequence[str], caller: Caller, options: Mapping[str, Any] = NO_OPTIONS
    ) -> Embeddings:
        """One vector for each text, in their order."""

        def estimated(candidate: Candidate) -> Usage:
            return Usage(input=sum(self.counter.count(candidate.card.name, text) for text in texts))

        return await self._made(
            alias,
            caller,
            lambda way: media.embed(way.target, texts, declared(way.card, EmbeddingStructure), options),
            estimated,
        )

    async def make_images(
        self, alias: str, prompt: str, caller: Caller, options: Mapping[str, Any] = NO_OPTIONS
    ) -> Images:
        """Pictures of what the prompt says, whether the vendor makes them at once or as a task."""
        return await self._made(
            alias,
            caller,
            lambda way: media.generate_image(
                way.target, prompt, declared(way.card, ImageStructure, TaskStructure), options
            ),
            _nothing,
        )

    async def make_video(
        self,
        alias: str,
        prompt: str,
        caller: Caller,
        options: Mapping[str, Any] = NO_OPTIONS,
        on_task: media.OnTask | None = None,
    ) -> MediaTask:
        """A finished video; `on_task` hears of the vendor's task as soon as it is submitted."""
        return await self._made(
            alias,
            caller,
            lambda way: media.generate_video(
                way.target, prompt, declared(way.card, TaskStructure), options, on_task=on_task
            ),
            _nothing,
        )

    async def _made(
        self,
        alias: str,
        caller: Caller,
        make: Callable[[Candidate], Awaitable[Result]],
        estimated: Callable[[Candidate], Usage],
    ) -> Result:
        open_ways = list(await self._registry.candidates(alias, caller))
        for attempt in count():
            candidate = await self._claim(open_ways, alias, caller)
            line = self._line(caller, candidate)
            try:
                made = await make_once(line, partial(make, candidate), partial(estimated, candidate))
            except ModelError as error:
                if not line.did_nothing(error):  # what may have been made, and is paid, is not asked for twice
                    note(self._health, candidate, error)
                    raise
                open_ways = await self._after(error, candidate, open_ways, attempt)
            else:
                self._health.succeeded(key_name(candidate), endpoint_name(candidate))
                return made
        raise AssertionError  # `_after` raises once the tries are used up

    async def aclose(self) -> None:
        """Write what is still to be booked, then close every connection."""
        await bookings_settled()
        for lane in LANES.values():
            await lane.aclose()

    async def _claim(self, open_ways: list[Candidate], alias: str, caller: Caller) -> Candidate:
        """The best way that still has a place within its key's limits."""
        for _ in range(2):
            for way in ways(open_ways, self._health):
                if await self._registry.take(way.candidate):
                    return way.candidate
            open_ways = list(await self._registry.candidates(alias, caller))  # says why none is open, if none is
        raise RateLimitedError("every key is at its limit", target=open_ways[0].target)

    def _line(self, caller: Caller, candidate: Candidate) -> Line:
        return Line(self._ledger, caller, candidate, self._now, partial(self._registry.settle, candidate))

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


def _nothing(_candidate: Candidate) -> Usage:
    """What is priced by units has no tokens to estimate."""
    return Usage()


def _identity(candidate: Candidate) -> tuple[str, str, str]:
    return candidate.key, candidate.endpoint, candidate.card.name
