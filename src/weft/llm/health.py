"""Which keys and endpoints have failed lately, so that calls go round them for a while."""

import time
from collections.abc import Callable
from dataclasses import dataclass

FAILURES_BEFORE_COOLING = 3
FIRST_COOLING = 5.0
LONGEST_COOLING = 120.0


@dataclass(slots=True)
class _Record:
    failures: int = 0
    ready_at: float = 0.0


class Health:
    """What this process knows of the ways out; each process learns for itself, within a few calls."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._now = monotonic
        self._records: dict[str, _Record] = {}

    def ready_in(self, *names: str) -> float:
        """Seconds until all of these may be tried again; 0 if they may."""
        now = self._now()
        waits = (record.ready_at - now for name in names if (record := self._records.get(name)) is not None)
        return max(0.0, *waits, 0.0)

    def cool(self, name: str, seconds: float) -> None:
        """Leave this one alone for so long."""
        record = self._records.setdefault(name, _Record())
        record.ready_at = max(record.ready_at, self._now() + seconds)

    def failed(self, name: str) -> None:
        """Note a failure; from the third in a row on, each one cools twice as long as the one before."""
        record = self._records.setdefault(name, _Record())
        record.failures += 1
        over = record.failures - FAILURES_BEFORE_COOLING
        if over >= 0:
            self.cool(name, min(FIRST_COOLING * 2**over, LONGEST_COOLING))

    def succeeded(self, *names: str) -> None:
        """These work: their failures are forgotten. A cool-down runs out by itself: the success may be older."""
        for name in names:
            if (record := self._records.get(name)) is None:
                continue
            record.failures = 0
            if record.ready_at <= self._now():
                del self._records[name]
