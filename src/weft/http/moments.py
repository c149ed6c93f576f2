"""Moments that callers name, in UTC: a date at the edge of the calendar may have no UTC."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        message = "lies beyond the years 1 to 9999 in UTC; write for example '2026-11-01T00:00:00+08:00'"
        raise ValueError(message) from None


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
