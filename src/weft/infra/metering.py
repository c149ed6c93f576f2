"""How much each key has been used: asked of the booked calls, kept for moments, and never stored."""

import asyncio
from collections import defaultdict, deque
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
PENDING = timedelta(seconds=5)  # a way that was handed out and not begun by then was not taken


def start_of_day() -> datetime:
    """When the day began, in UTC: what limits a day counts from."""
    return clock.now().replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(slots=True)
class Use:
    """What one key was used for: today, in the last minute, and among those the calls that have only just begun."""

    requests: int = 0
    tokens: int = 0
    money: dict[str, Decimal] = field(default_factory=dict)
    last_minute: int = 0
    recent: int = 0


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

    A reading is kept for a few seconds. Between readings the ways handed out here are counted too, so that many
    callers at once do not all see the last free place; near a limit the reading is taken anew.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._use: dict[str, Use] = {}
        self._read_at: datetime | None = None
        self._reading = asyncio.Lock()
        self._handed: defaultdict[str, deque[datetime]] = defaultdict(deque)

    async def why_not(self, key: str, limits: Limits) -> str | None:
        """Why a key may not be used now; None where it may."""
        if not limits.any:
            return None
        await self._read(FRESH)
        if limits.share(*self._used(key)) >= NEAR:
            await self._read(AT_THE_LIMIT)
        return limits.reached(*self._used(key))

    def hand_out(self, key: str) -> None:
        """Note that a call with this key is about to begin."""
        now = clock.now()
        handed = self._handed[key]
        handed.append(now)
        while handed[0] < now - 2 * PENDING:
            handed.popleft()

    def _used(self, key: str) -> tuple[Use, int]:
        """What the key was used for, and how many calls are about to begin that the reading did not see."""
        use = self._use.get(key, Use())
        since = (self._read_at or clock.now()) - PENDING
        handed = sum(1 for moment in self._handed.get(key, ()) if moment >= since)
        return use, max(0, handed - use.recent)

    async def _read(self, at_most: timedelta) -> None:
        """Take a new reading unless there is one young enough."""
        if self._is_young(at_most):
            return
        async with self._reading:
            if self._is_young(at_most):  # somebody else took it while we waited
                return
            now = clock.now()
            day, minute = start_of_day(), now - timedelta(minutes=1)
            async with self._database.system() as tx:
                rows = await CallService(tx).by_key(day, minute, now - PENDING)
            use: defaultdict[str, Use] = defaultdict(Use)
            for row in rows:
                total = use[row.key]
                total.requests += row.requests
                total.tokens += row.tokens
                total.last_minute += row.last_minute
                total.recent += row.recent
                total.money[row.currency] = row.cost
            self._use, self._read_at = dict(use), now

    def _is_young(self, at_most: timedelta) -> bool:
        return self._read_at is not None and clock.now() - self._read_at < at_most
