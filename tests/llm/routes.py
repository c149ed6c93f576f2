"""A registry and a ledger in memory, for tests of what happens between them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from weft.llm.ports import Booking, Caller, Candidate, ModelCard, Price
from weft.llm.scripted import ScriptedVendor
from weft.llm.types import ModelCall

PRICE = Price("CNY", date(2026, 3, 6), "test", input=Decimal(2), cached_input=Decimal("0.2"), output=Decimal(3))
CALLER = Caller("CNY")


def asking(words: str = "hi") -> ModelCall:
    return ModelCall(messages=[{"role": "user", "content": words}])


def way(
    vendor: ScriptedVendor, key: str = "main", *, endpoint: str = "", price: Price | None = PRICE, **target: Any
) -> Candidate:
    """One way to that vendor; each vendor is an endpoint of its own unless named otherwise."""
    card = ModelCard("deepseek-chat", "deepseek", "text", 64_000)
    return Candidate(card, vendor.target(**target), endpoint or f"port {vendor.port}", f"deepseek/{key}", price)


@dataclass
class Routes:
    """Always the same ways."""

    ways: Sequence[Candidate]

    async def candidates(self, alias: str, caller: Caller) -> Sequence[Candidate]:
        return self.ways

    async def take(self, candidate: Candidate) -> bool:
        return True

    def settle(self, candidate: Candidate) -> None: ...


@dataclass
class Line:
    """One line of the ledger."""

    candidate: Candidate
    started_at: datetime
    booking: Booking | None = None


@dataclass
class MemoryLedger:
    """Keeps what it is told, and refuses to be told twice."""

    lines: dict[UUID, Line] = field(default_factory=dict)

    async def start(self, call_id: UUID, caller: Caller, candidate: Candidate, started_at: datetime) -> None:
        assert call_id not in self.lines
        self.lines[call_id] = Line(candidate, started_at)

    async def end(self, call_id: UUID, caller: Caller, booking: Booking) -> None:
        assert self.lines[call_id].booking is None
        self.lines[call_id].booking = booking

    @property
    def bookings(self) -> list[Booking]:
        """Every booking, in the order the calls were made; each call must have one."""
        booked = [line.booking for line in self.lines.values()]
        assert None not in booked
        return [booking for booking in booked if booking is not None]

    @property
    def outcomes(self) -> list[tuple[str, str]]:
        return [(booking.outcome, booking.usage_source) for booking in self.bookings]
