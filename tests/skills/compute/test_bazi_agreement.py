"""Five hundred births against another almanac: the sky of XEphem and the rules as the verses state them.

Summer times, minutes around terms and hours that nobody knows are among them.
"""

import random
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from lunar_python import Solar

from tests.skills.compute import almanac
from weft.skills.compute.bazi import BaziChart, bazi
from weft.skills.compute.birth import Birth, Place
from weft.skills.compute.pillars import School
from weft.skills.compute.terms import terms_of

BEIJING = almanac.PLACES[0]


def four(chart: BaziChart) -> tuple[str, ...]:
    assert chart.hour is not None
    return chart.year.name, chart.month.name, chart.day.name, chart.hour.name


def expected(birth: Birth) -> tuple[str, ...]:
    when = almanac.instant(birth)
    shown = almanac.sundial(when, birth.place.longitude)
    return *almanac.year_and_month(when), *almanac.day_and_hour(shown)


def test_five_hundred_births_anywhere_have_the_same_four_pillars() -> None:
    """SKILL-7"""
    chance = random.Random(7)
    births = [almanac.random_birth(chance) for _ in range(500)]
    compared = 0
    for birth in births:
        if almanac.near_boundary(almanac.sundial(almanac.instant(birth), birth.place.longitude), 2.0):
            continue  # the two series differ by up to a second and a half here
        assert four(bazi(birth)) == expected(birth), birth
        compared += 1
    assert compared >= 498
    summers = [birth for birth in births if almanac.is_summer_time(birth)]
    assert len(summers) >= 40, "clocks that were put forward are among them"
    assert {birth.place.name for birth in births} == {place.name for place in almanac.PLACES}


def test_sundial_agrees_within_two_seconds() -> None:
    """SKILL-7"""
    chance = random.Random(8)
    for _ in range(500):
        birth = almanac.random_birth(chance)
        theirs = almanac.sundial(almanac.instant(birth), birth.place.longitude)
        assert abs(bazi(birth).time.ruling - theirs) < timedelta(seconds=2.5), birth


def test_minutes_before_and_after_every_kind_of_term() -> None:
    """SKILL-7"""
    chance = random.Random(9)
    for count in range(240):
        term = terms_of(chance.randrange(1901, 2050))[count % 12]
        place = chance.choice(almanac.PLACES)
        for away in (-1, 1):
            # Both almanacs are within a minute of DE421; beyond it they must agree.
            when = term.at + away * timedelta(seconds=chance.randrange(60, 600))
            clock = when.astimezone(ZoneInfo(place.timezone)).replace(tzinfo=None, microsecond=0)
            if almanac.is_plain(clock, place):
                chart = bazi(Birth(clock.date(), clock.time(), place, to_the_second=True))
                assert (chart.year.name, chart.month.name) == almanac.year_and_month(when), (term, place)
                assert chart.month.possible == (chart.month.name,)


def test_unknown_hours_leave_open_what_the_minutes_of_the_day_leave_open() -> None:
    """SKILL-7, PRO-8: every pillar that some minute has is named, and none that no minute has."""
    chance = random.Random(12)
    for count in range(60):
        place, term = chance.choice(almanac.PLACES), terms_of(chance.randrange(1901, 2050))[count % 12]
        # Every other one on the day of a term, where year and month may be open too.
        on_the_day = term.at.astimezone(ZoneInfo(place.timezone)).date()
        day = on_the_day if count % 2 else almanac.random_birth(chance).date
        chart = bazi(Birth(day, None, place))
        assert chart.hour is None
        minutes = [each for each in almanac.minutes_of(day, every=10) if almanac.is_plain(each, place)]
        seen = [expected(Birth(day, each.time(), place, to_the_second=True)) for each in minutes]
        for at, pillar in enumerate((chart.year, chart.month, chart.day)):
            assert list(pillar.possible) == list(dict.fromkeys(each[at] for each in seen)), (day, place, at)


def lunar_python_chart(clock: datetime, day_starts: str) -> tuple[str, ...]:
    eight = Solar.fromYmdHms(*clock.timetuple()[:6]).getLunar().getEightChar()
    eight.setSect(1 if day_starts == "23:00" else 2)
    return eight.getYear(), eight.getMonth(), eight.getDay(), eight.getTime()


def test_both_schools_of_the_day_agree_with_lunar_python() -> None:
    """SKILL-7"""
    chance = random.Random(10)
    place = Place(35.0, 120.0, "Etc/GMT-8")
    for count in range(240):
        clock = datetime.fromisoformat("1900-02-01") + timedelta(seconds=chance.randrange(200 * 365 * 86400))
        if count % 4 == 0:
            clock = clock.replace(hour=23)
        school = School("zone", "23:00" if count % 2 else "00:00")
        chart = bazi(Birth(clock.date(), clock.time(), place, to_the_second=True), school)
        assert four(chart) == lunar_python_chart(clock, school.day_starts), (clock, school)


def test_luck_starts_when_lunar_python_says() -> None:
    """SKILL-7"""
    chance = random.Random(11)
    place = Place(35.0, 120.0, "Etc/GMT-8")
    for count in range(120):
        clock = datetime.fromisoformat("1900-02-10") + timedelta(minutes=chance.randrange(200 * 365 * 1440))
        gender = ("female", "male")[count % 2]
        chart = bazi(Birth(clock.date(), clock.time(), place, gender, to_the_second=True), School("zone"))
        eight = Solar.fromYmdHms(*clock.timetuple()[:6]).getLunar().getEightChar()
        run = eight.getYun(count % 2, 2)
        assert chart.luck is not None
        assert [pillar.name for pillar in chart.luck.pillars] == [each.getGanZhi() for each in run.getDaYun(11)[1:]], (
            clock
        )
        theirs = run.getStartYear() * 360 + run.getStartMonth() * 30 + run.getStartDay()
        ours = chart.luck.starts_at
        # They count from a term that is cut to the second, and cut minutes differently: five days of life at most.
        assert abs(ours.years * 360 + ours.months * 30 + ours.days - theirs) <= 1, clock
