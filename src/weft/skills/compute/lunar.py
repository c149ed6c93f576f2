"""The Chinese lunisolar calendar: which solar day a lunar date was."""

from datetime import date
from functools import lru_cache

from lunar_python import LunarYear

from weft.skills.compute.errors import BirthDataError

# The Julian day number of the day before Python's first.
_DAY_ZERO = 1721425


def solar_date(year: int, month: int, day: int, *, leap: bool = False) -> date:
    """The solar date of a lunar one, or what the lunar calendar has instead."""
    if not 1899 <= year <= 2100:
        raise BirthDataError(f"lunar year {year} lies outside 1899 to 2100", field="date")
    found = _months(year).get((month, leap))
    if found is None and leap:
        message = f"the lunar year {year} has no leap month {month}; write leap_month false for the month itself"
        raise BirthDataError(message, field="leap_month")
    if found is None:
        raise BirthDataError(f"the lunar calendar has no month {month}; its months are 1 to 12", field="date")
    first, days = found
    if not 1 <= day <= days:
        message = f"the lunar month {year}-{month:02d} has {days} days, and so no day {day}"
        raise BirthDataError(message, field="date")
    return date.fromordinal(first + day - 1)


@lru_cache(maxsize=64)
def _months(year: int) -> dict[tuple[int, bool], tuple[int, int]]:
    """For each month of a lunar year, leap or not, the ordinal of its first day and its length."""
    # The library writes a leap month as a negative one, and lists the neighbours' months as well.
    own = [month for month in LunarYear(year).getMonths() if month.getYear() == year]
    return {
        (abs(month.getMonth()), month.getMonth() < 0): (
            int(month.getFirstJulianDay()) - _DAY_ZERO,
            int(month.getDayCount()),
        )
        for month in own
    }
