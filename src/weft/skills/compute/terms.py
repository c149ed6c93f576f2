"""The twelve 节 that open the solar months, to the second.

The moments are those of the 寿星 series (lunar_python): within 3 s of JPL's DE421 from 1900 to 2050, where the
truncated series of astronomy-engine is up to a minute off. After today, nobody knows how fast the Earth will turn.
"""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from lunar_python import LunarYear

NAMES = ("小寒", "立春", "惊蛰", "清明", "立夏", "芒种", "小暑", "立秋", "白露", "寒露", "立冬", "大雪")
# A birth closer to a term than this is on neither side for certain.
MARGIN = timedelta(seconds=5)
_BEIJING_J2000 = datetime(2000, 1, 1, 4, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Term:
    """One 节: `month` counts solar months from year 0, so that 立春 opens a month divisible by 12."""

    name: str
    at: datetime
    month: int


@lru_cache(maxsize=512)
def terms_of(year: int) -> tuple[Term, ...]:
    """The twelve 节 of a solar year, 小寒 first."""
    # The library lists all 24 terms and some beyond, from the 大雪 before. Its `fromYear` will not do: it keeps one
    # year for all threads to share.
    days = LunarYear(year).getJieQiJulianDays()[2::2]
    return tuple(Term(name, _moment(days[place]), 12 * year + place - 1) for place, name in enumerate(NAMES))


def around(moment: datetime) -> tuple[Term, Term]:
    """The 节 at or before a moment, and the one after it."""
    near = [term for year in (moment.year - 1, moment.year, moment.year + 1) for term in terms_of(year)]
    place = bisect_right(near, moment, key=lambda term: term.at)
    return near[place - 1], near[place]


def between(earliest: datetime, latest: datetime) -> tuple[Term, ...]:
    """The 节 that fall into a stretch of time or within the margin of it."""
    first, last = earliest - MARGIN, latest + MARGIN
    years = range(first.year, last.year + 1)
    return tuple(term for year in years for term in terms_of(year) if first < term.at <= last)


def _moment(julian_day: float) -> datetime:
    return _BEIJING_J2000 + timedelta(seconds=round((julian_day - 2451545.0) * 86400, 1))
