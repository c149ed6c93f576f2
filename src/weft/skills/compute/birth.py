"""What is known about a birth, checked: the input of every chart."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from weft.kit.places import check_timezone
from weft.skills.compute.errors import BirthDataError
from weft.skills.compute.lunar import solar_date

Calendar = Literal["solar", "lunar"]
Gender = Literal["female", "male", "other"]

# The zones, the lunar calendar and the length of the day are known well enough between these years, not beyond.
FIRST_YEAR, LAST_YEAR = 1900, 2100
_INFO_KEYS = {"date", "time", "calendar", "leap_month", "place", "gender"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where on Earth, and in which IANA zone its clocks are kept."""

    latitude: float
    longitude: float
    timezone: str
    name: str = ""

    def __post_init__(self) -> None:
        _within(self.latitude, 90, "place.latitude")
        _within(self.longitude, 180, "place.longitude")
        try:
            check_timezone(self.timezone)
        except ValueError as error:
            raise BirthDataError(str(error), field="place.timezone") from None


@dataclass(frozen=True, slots=True)
class Birth:
    """When and where somebody was born, on the solar calendar; what is not known is None."""

    date: dt.date
    time: dt.time | None = None
    place: Place | None = None
    gender: Gender | None = None
    to_the_second: bool = False

    def __post_init__(self) -> None:
        if not FIRST_YEAR <= self.date.year <= LAST_YEAR:
            message = f"date {self.date} lies outside {FIRST_YEAR} to {LAST_YEAR}, the years that can be computed"
            raise BirthDataError(message, field="date")
        if self.gender is not None and self.gender not in get_args(Gender):
            message = f"gender {self.gender!r:.40} is not known; write female, male or other, or leave it out"
            raise BirthDataError(message, field="gender")
        if self.time is not None and self.time.tzinfo is not None:
            raise BirthDataError("time must be without a zone; the zone is the place's", field="time")

    @classmethod
    def from_info(cls, info: Mapping[str, Any]) -> "Birth":
        """A birth from a profile's `birth_info`."""
        if unknown := sorted(set(info) - _INFO_KEYS):
            raise BirthDataError(f"birth_info has no {unknown[0]!r:.40}", field=unknown[0][:40])
        text = info.get("time")
        return cls(
            date=_read_date(info),
            time=None if text is None else _read_time(text),
            place=None if info.get("place") is None else _read_place(info["place"]),
            gender=info.get("gender"),
            to_the_second=isinstance(text, str) and text.count(":") == 2,
        )


def _read_date(info: Mapping[str, Any]) -> dt.date:
    text, calendar, leap = info.get("date"), info.get("calendar"), info.get("leap_month", False)
    if calendar not in get_args(Calendar):
        raise BirthDataError(f"calendar {calendar!r:.40} is not known; write solar or lunar", field="calendar")
    if leap and calendar == "solar":
        raise BirthDataError("leap_month belongs to the lunar calendar", field="leap_month")
    parts = text.split("-") if isinstance(text, str) else []
    if [len(part) for part in parts] != [4, 2, 2] or not all(part.isascii() and part.isdigit() for part in parts):
        raise BirthDataError(f"date {text!r:.40} is not a date; write for example '1990-05-17'", field="date")
    year, month, day = map(int, parts)
    if calendar == "lunar":
        return solar_date(year, month, day, leap=bool(leap))
    try:
        return dt.date(year, month, day)
    except ValueError:
        raise BirthDataError(f"date {text!r:.40} is not in the calendar", field="date") from None


def _read_time(text: Any) -> dt.time:
    try:
        # Only a clock's own way of writing: fromisoformat alone would also take '0830' and an offset.
        if len(text) in (5, 8) and text[2] == ":":
            return dt.time.fromisoformat(text)
    except (TypeError, ValueError):
        pass
    raise BirthDataError(f"time {text!r:.40} is not on the clock; write for example '08:30'", field="time")


def _read_place(info: Any) -> Place:
    try:
        return Place(
            latitude=info["latitude"],
            longitude=info["longitude"],
            timezone=info["timezone"],
            name=info.get("name", ""),
        )
    except (KeyError, TypeError, AttributeError):
        message = "place must have a latitude, a longitude and a timezone, or be left out"
        raise BirthDataError(message, field="place") from None


def _within(value: Any, limit: int, field: str) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not -limit <= value <= limit:
        raise BirthDataError(f"{field} {value!r:.40} must be a number from -{limit} to {limit}", field=field)
