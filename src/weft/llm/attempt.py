"""One try at one vendor, booked whatever becomes of it: a stream, or one thing that is made."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from datetime import datetime
from types import ModuleType
from typing import Protocol, TypeVar

from weft.kit.clock import Clock
from weft.llm import declared_lane, litellm_lane, offline, openai_compatible
from weft.llm.errors import ModelError
from weft.llm.fold import Fold
from weft.llm.line import Line, Outcome, UsageSource
from weft.llm.ports import Candidate
from weft.llm.structure_types import ChatStructure
from weft.llm.structures import declared
from weft.llm.tokens import TokenCounter
from weft.llm.types import Delta, ModelCall, Usage

LANES: dict[str, ModuleType] = {
    "openai_compatible": openai_compatible,
    "litellm": litellm_lane,
    "offline": offline,
}


class Attempt:
    """A streamed call that is being made: what has come of it so far."""

    def __init__(self, line: Line, counter: TokenCounter, candidate: Candidate, call: ModelCall, clock: Clock) -> None:
        self._line = line
        self._counter = counter
        self._candidate = candidate
        self._call = call
        self._clock = clock
        self._fold = Fold()
        self._first_token_at: datetime | None = None

    async def stream(self) -> AsyncGenerator[Delta, None]:
        """Make the call and give what it says; it is booked before this ends, however it ends."""
        outcome: Outcome = "abandoned"  # until proven otherwise: whoever leaves says nothing
        problem: Exception | None = None
        try:
            await self._line.note()
            async with aclosing(self._deltas()) as deltas:
                async for delta in deltas:
                    self._take(delta)
                    yield delta
            outcome = "succeeded"
        except Exception as error:
            outcome, problem = "failed", error
            raise
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            usage, source = self._usage(problem)
            await self._line.book(outcome, usage, source, first_token_at=self._first_token_at, problem=problem)

    def _deltas(self) -> AsyncGenerator[Delta, None]:
        target, card = self._candidate.target, self._candidate.card
        structure = declared(card, ChatStructure)
        if card.structure is not None and target.lane == "openai_compatible":
            return declared_lane.stream(target, self._call, structure)
        deltas: AsyncGenerator[Delta, None] = LANES[target.lane].stream(target, self._call)
        return deltas

    def _take(self, delta: Delta) -> None:
        if self._first_token_at is None and (delta.text or delta.reasoning or delta.tools):
            self._first_token_at = self._clock()
        self._fold.add(delta)

    def _usage(self, problem: Exception | None) -> tuple[Usage, UsageSource]:
        heard = problem.partial if isinstance(problem, ModelError) else None
        reported = self._fold.usage or (heard.usage if heard else None)
        model = self._candidate.card.name
        if reported is not None:
            self._counter.observe(model, self._call.messages, self._call.tools, reported.input)
            return reported, "reported"
        if self._fold.empty and self._line.did_nothing(problem):
            return Usage(), "estimated"
        partial = self._fold.completion()
        said = partial.text + partial.reasoning + "".join(call.arguments for call in partial.tool_calls)
        asked = self._counter.count_messages(model, self._call.messages, self._call.tools)
        return Usage(input=asked, output=self._counter.count(model, said)), "estimated"


class Made(Protocol):
    """Something a vendor made that is no stream: vectors, pictures, a video."""

    @property
    def usage(self) -> Usage | None:
        """Its tokens, where the vendor counts any."""


Result = TypeVar("Result", bound=Made)


async def make_once(line: Line, work: Callable[[], Awaitable[Result]], estimated: Callable[[], Usage]) -> Result:
    """Have it made, and book what it used; where nothing was reported, what we estimate."""
    outcome: Outcome = "cancelled"
    problem: Exception | None = None
    made: Result | None = None
    try:
        await line.note()
        made = await work()
        outcome = "succeeded"
    except Exception as error:
        outcome, problem = "failed", error
        raise
    else:
        return made
    finally:
        units: Mapping[str, str] = getattr(made, "units", {})
        usage, source = _made_usage(line, made, problem, estimated, units)
        await line.book(outcome, usage, source, units=units, problem=problem)


def _made_usage(
    line: Line,
    made: Made | None,
    problem: Exception | None,
    estimated: Callable[[], Usage],
    units: Mapping[str, str],
) -> tuple[Usage, UsageSource]:
    if made is not None and (made.usage is not None or units):
        return made.usage or Usage(), "reported"
    return Usage() if line.did_nothing(problem) else estimated(), "estimated"
