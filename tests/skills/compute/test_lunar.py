"""Lunar dates: two centuries against the rule of the calendar itself, reckoned with XEphem's sun and moon."""

from collections.abc import Iterator
from datetime import date

import ephem
import pytest

from tests.skills.compute import almanac
from weft.skills.compute.errors import BirthDataError
from weft.skills.compute.lunar import solar_date

# Where the printed calendar and today's astronomy differ by a day.
KNOWN = {
    # The court's tables of the time put this new moon after midnight; it was eight minutes before, by Beijing's sun.
    (1906, 4, False): (date(1906, 4, 23), date(1906, 4, 24)),
    # Within seconds of midnight: the slowing of the Earth will decide, and nobody knows it so far ahead.
    (2057, 9, False): (date(2057, 9, 28), date(2057, 9, 29)),
}


def beijing_day(moment: ephem.Date) -> date:
    # Until 1928 the calendar went by Beijing's own mean sun, from 1929 on by the 120th meridian.
    old = moment < ephem.Date("1928/12/31 16:00")
    return ephem.Date(moment + (7 + 45 / 60 + 40 / 3600 if old else 8) / 24).datetime().date()


def middle_terms(year: int) -> list[date]:
    """The days of the 中气 from one winter solstice to the next."""
    days = []
    for count in range(13):
        moment = ephem.Date(ephem.Date(f"{year - 1}/12/21") + count * 30.44)
        for _ in range(4):
            sun = almanac.longitude("sun", moment.datetime())
            off = (sun - 270 - 30 * count + 180) % 360 - 180
            moment = ephem.Date(moment - off * 365.2422 / 360)
        days.append(beijing_day(moment))
    return days


def new_moons(year: int) -> list[date]:
    moment, days = ephem.Date(f"{year - 1}/11/10"), []
    while moment < ephem.Date(f"{year + 1}/1/25"):
        moment = ephem.next_new_moon(ephem.Date(moment + 1))
        days.append(beijing_day(moment))
    return days


def months(year: int) -> Iterator[tuple[int, int, bool, date]]:
    """The months from the 11th of the year before: the first without a 中气 is a leap month where there are 13."""
    terms, moons = middle_terms(year), new_moons(year)
    first = max(place for place, day in enumerate(moons) if day <= terms[0])
    last = max(place for place, day in enumerate(moons) if day <= terms[12])
    number, called, leap_due = 10, year - 1, last - first == 13
    for place in range(first, last):
        empty = not any(moons[place] <= term < moons[place + 1] for term in terms)
        leap, leap_due = leap_due and empty, leap_due and not empty
        if not leap:
            number = number % 12 + 1
            called += number == 1
        yield called, number, leap, moons[place]


def test_every_month_of_two_centuries_begins_when_the_rule_says() -> None:
    """SKILL-7"""
    differing, count = {}, 0
    for year in range(1900, 2101):
        for called, number, leap, begins in months(year):
            ours = solar_date(called, number, 1, leap=leap)
            count += 1
            if ours != begins:
                differing[called, number, leap] = (begins, ours)
    assert differing == KNOWN
    assert count == 2486


@pytest.mark.parametrize(
    ("lunar", "leap", "solar"),
    [((1990, 4, 23), False, (1990, 5, 17)), ((2020, 4, 1), True, (2020, 5, 23)), ((2024, 1, 1), False, (2024, 2, 10))],
)
def test_published_dates(lunar: tuple[int, int, int], leap: bool, solar: tuple[int, int, int]) -> None:
    """PRO-8"""
    assert solar_date(*lunar, leap=leap) == date(*solar)


@pytest.mark.parametrize(
    ("lunar", "leap"),
    [
        ((2024, 4, 1), True),
        ((2023, 1, 30), False),
        ((2024, 13, 1), False),
        ((1700, 1, 1), False),
        ((2024, 1, 0), False),
    ],
)
def test_a_lunar_date_that_never_was_is_refused(lunar: tuple[int, int, int], leap: bool) -> None:
    """PRO-8"""
    with pytest.raises(BirthDataError, match=r"lunar"):
        solar_date(*lunar, leap=leap)
