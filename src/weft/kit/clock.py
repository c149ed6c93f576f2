"""The one place that reads the clock, so that tests can set it."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)
