"""The Chinese lunisolar calendar: which solar day a lunar date was."""

from datetime import date

from tyme4py.lunar import LunarDay

from weft.skills.compute.errors import BirthDataError


def solar_date(year: int, month: int, day: int, *, leap: bool = False) -> date:
    """The solar date of a lunar one, or what the lunar calendar has instead."""
    called = f"{year}-{month:02d}-{day:02d}{' (leap month)' if leap else ''}"
    if not 1899 <= year <= 2100:
        raise BirthDataError(f"lunar date {called} lies outside 1899 to 2100", field="date")
    try:
        # The library writes a leap month as a negative one, and refuses what did not exist.
        solar = LunarDay.from_ymd(year, -month if leap else month, day).get_solar_day()
    except ValueError:
        message = (
            f"the lunar calendar has no {called}; check the month's length and whether that year had it as a leap month"
        )
        raise BirthDataError(message, field="leap_month" if leap else "date") from None
    return date(solar.get_year(), solar.get_month(), solar.get_day())
