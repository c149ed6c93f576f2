"""How much each key has been used: asked of the booked calls, kept for moments, and never stored."""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from weft.calls.service import CallService
from weft.kit import clock
from weft.kit.db import Database

FRESH = timedelta(seconds=3)  # while a key is far from its limits
NEAR, AT_THE_LIMIT = 0.8, timedelta(milliseconds=200)  # from this share of a limit on


def start_of_day() -> datetime:
    """When the day began, in UTC: what limits a day counts from."""
    return clock.now().replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(slots=True)
class Use:
    """What one key was used for: today, and in the last minute."""

    requests: int = 0
    tokens: int = 0
    money: dict[str, Decimal] = field(default_factory=dict)
    last_minute: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """What a key may be used for; None does not limit."""

    requests_per_minute: int | None = None
    requests_per_day: int | None = None
    tokens_per_day: int | None = None
    money_per_day: Decimal | None = None
    money_currency: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Limits":
        """The limits in a key's row."""
        return cls(**{name: row[name] for name in cls.__slots__})

    @property
    def any(self) -> bool:
        """Whether there is anything to meter."""
        return self != Limits()

    def share(self, use: Use, pending: int) -> float:
        """How much of the limit that is nearest has been used."""
        spent = use.money.get(self.money_currency or "", Decimal(0))
        return max(
            (use.last_minute + pending) / self.requests_per_minute if self.requests_per_minute else 0.0,
            (use.requests + pending) / self.requests_per_day if self.requests_per_day else 0.0,
            use.tokens / self.tokens_per_day if self.tokens_per_day else 0.0,
            float(spent / self.money_per_day) if self.money_per_day else 0.0,
        )

    def reached(self, use: Use, pending: int) -> str | None:
        """Which limit is reached, in words; calls that are about to begin count as begun."""
        requests, minute = use.requests + pending, use.last_minute + pending
        if self.requests_per_minute is not None and minute >= self.requests_per_minute:
            return f"{minute} of {self.requests_per_minute} requests in this minute are used"
        if self.requests_per_day is not None and requests >= self.requests_per_day:
            return f"{requests} of {self.requests_per_day} requests of this day are used"
        if self.tokens_per_day is not None and use.tokens >= self.tokens_per_day:
            return f"{use.tokens} of {self.tokens_per_day} tokens of this day are used"
        spent = use.money.get(self.money_currency or "", Decimal(0))
        if self.money_per_day is not None and spent >= self.money_per_day:
            return f"{spent:f} of {self.money_per_day:f} {self.money_currency} of this day are spent"
        return None


class Meter:
    """One process's view of how much keys are used.

    Used is what the last reading says, and on top of it what this process has claimed since: many callers at once do
    not all get the last free place. Only calls can be counted on top; what a call costs is known when it is booked, so
    for a key with a limit of tokens or money each claim begins with a new reading.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._use: dict[str, Use] = {}
        self._read_at: datetime | None = None
        self._reading = asyncio.Lock()
        self._claimed: Counter[str] = Counter()  # claims whose calls do not stand in the ledger yet
        self._begun: defaultdict[str, deque[datetime]] = defaultdict(deque)  # those that do, and when they did

    async def why_not(self, key: str, limits: Limits) -> str | None:
        """Why a key may not be used now; None where it may."""
        if not limits.any:
            return None
        await self._read(FRESH)
        if limits.share(*self._used(key)) >= NEAR:
            await self._read(AT_THE_LIMIT)
        return limits.reached(*self._used(key))

    async def take(self, key: str, limits: Limits) -> bool:
        """Claim a place for one call; whoever claims settles."""
        if limits.any:
            spends = limits.tokens_per_day is not None or limits.money_per_day is not None
            if spends and self._since_reading(key):
                await self._read(timedelta(0))
            if await self.why_not(key, limits) is not None:
                return False
        self._claimed[key] += 1
        return True

    def settle(self, key: str) -> None:
        """The claimed call stands in the ledger now, or will never be made."""
        self._claimed[key] -= 1
        begun = self._begun[key]
        begun.append(clock.now())
        while begun[0] < (self._read_at or begun[0]):
            begun.popleft()

    def _since_reading(self, key: str) -> int:
        """Calls of this process that the reading cannot have seen."""
        read_at = self._read_at
        begun = sum(1 for moment in self._begun.get(key, ()) if read_at is None or moment >= read_at)
        return self._claimed[key] + begun

    def _used(self, key: str) -> tuple[Use, int]:
        return self._use.get(key, Use()), self._since_reading(key)

    async def _read(self, at_most: timedelta) -> None:
        """Take a new reading unless there is one young enough."""
        if self._is_young(at_most):
            return
        asked_at = clock.now()
        async with self._reading:
            if self._is_young(at_most) or (self._read_at is not None and self._read_at >= asked_at):
                return  # somebody else took it while we waited
            now = clock.now()
            day, minute = start_of_day(), now - timedelta(minutes=1)
            async with self._database.system() as tx:
                rows = await CallService(tx).by_key(day, minute)
            use: defaultdict[str, Use] = defaultdict(Use)
            for row in rows:
                total = use[row.key]
                total.requests += row.requests
                total.tokens += row.tokens
                total.last_minute += row.last_minute
                total.money[row.currency] = row.cost
            self._use, self._read_at = dict(use), now

    def _is_young(self, at_most: timedelta) -> bool:
        return self._read_at is not None and clock.now() - self._read_at < at_most
