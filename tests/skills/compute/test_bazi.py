"""Charts: published ones, daylight saving, schools, and what is said where something is not known."""

from datetime import timedelta
from typing import Any

import pytest

from weft.skills.compute.bazi import BaziChart, bazi
from weft.skills.compute.birth import Birth
from weft.skills.compute.errors import ComputeOptionError
from weft.skills.compute.pillars import School

BEIJING = {"name": "北京", "latitude": 39.9042, "longitude": 116.4074, "timezone": "Asia/Shanghai"}
URUMQI = {"name": "乌鲁木齐", "latitude": 43.8256, "longitude": 87.6168, "timezone": "Asia/Shanghai"}
NEW_YORK = {"name": "New York", "latitude": 40.7128, "longitude": -74.006, "timezone": "America/New_York"}
SAN_FRANCISCO = {
    "name": "San Francisco",
    "latitude": 37.7749,
    "longitude": -122.4194,
    "timezone": "America/Los_Angeles",
}
HAWAII = {"name": "Honolulu", "latitude": 21.3, "longitude": -157.87, "timezone": "Pacific/Honolulu"}


def chart(
    date: str, time: str | None = None, place: Any = BEIJING, school: School | None = None, **more: Any
) -> BaziChart:
    info = {"date": date, "calendar": "solar", "place": place, **more}
    return bazi(Birth.from_info(info if time is None else {**info, "time": time}), school)


def names(read: BaziChart) -> str:
    pillars = (read.year, read.month, read.day, read.hour)
    return " ".join(pillar.name for pillar in pillars if pillar is not None)


def codes(read: BaziChart) -> list[str]:
    return [note.code for note in read.notes if note.code != "luck_needs_gender"]


@pytest.mark.parametrize(
    ("date", "time", "place", "solar_time", "pillars"),
    [
        ("1940-11-27", "07:12", SAN_FRANCISCO, "true", "庚辰 丁亥 甲戌 戊辰"),  # Bruce Lee, as it is commonly printed
        # Barack Obama: printed by the clock of his birth certificate; the sun stood half an hour earlier.
        ("1961-08-04", "19:24", HAWAII, "zone", "辛丑 乙未 己巳 甲戌"),
        ("1961-08-04", "19:24", HAWAII, "true", "辛丑 乙未 己巳 癸酉"),
        ("2000-01-01", "12:00", BEIJING, "true", "己卯 丙子 戊午 戊午"),
    ],
)
def test_published_charts(date: str, time: str, place: Any, solar_time: Any, pillars: str) -> None:
    """SKILL-7"""
    assert names(chart(date, time, place, School(solar_time))) == pillars


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("1986-05-04", "1986-09-13"),
        ("1987-04-12", "1987-09-12"),
        ("1988-04-17", "1988-09-10"),
        ("1989-04-16", "1989-09-16"),
        ("1990-04-15", "1990-09-15"),
        ("1991-04-14", "1991-09-14"),
    ],
)
def test_china_s_summers_with_daylight_saving(first: str, last: str) -> None:
    """SKILL-7: the first and the last whole day of each, as published."""
    for day in (first, last):
        assert chart(day, "12:00").time.daylight_saving == timedelta(hours=1)
    before = chart(first[:5] + "04-01", "12:00").time
    assert (before.daylight_saving, before.utc_offset) == (timedelta(0), timedelta(hours=8))


def test_daylight_saving_moves_the_hour_pillar() -> None:
    """SKILL-7: half past nine on that summer's clock was before half past eight by the sun."""
    assert chart("1988-07-01", "09:30").hour.branch == "辰"
    assert chart("1992-07-01", "09:30").hour.branch == "巳"
    assert chart("1988-07-01", "09:30", school=School("zone")).time.ruling.hour == 8


def test_true_sun_moves_the_day_far_from_the_zone_s_meridian() -> None:
    """SKILL-7"""
    east, west = chart("1995-03-10", "00:30"), chart("1995-03-10", "00:30", URUMQI)
    assert (east.hour.branch, west.hour.branch) == ("子", "亥")
    assert west.time.ruling.date() < east.time.clock.date()
    assert west.day.name != east.day.name


def test_schools_of_the_day_differ_between_23_and_midnight_only() -> None:
    """SKILL-7"""
    zi, midnight = School("zone", "23:00"), School("zone", "00:00")
    assert names(chart("2000-01-01", "22:59", school=zi)) == names(chart("2000-01-01", "22:59", school=midnight))
    early, late = chart("2000-01-01", "23:30", school=zi), chart("2000-01-01", "23:30", school=midnight)
    assert (early.day.name, late.day.name) == ("己未", "戊午")
    # Both give the hour the stem of the day to come.
    assert early.hour.name == late.hour.name == "甲子"


def test_an_unknown_hour_has_no_pillar_and_says_so() -> None:
    """PRO-8"""
    read = chart("1990-05-17", gender="male")
    assert read.hour is None
    assert not read.time.hour_known
    assert codes(read) == ["hour_unknown", "day_open"]
    assert sum(read.elements.values()) == 6
    # Midnight on the summer clock was before 23:00 by the sun.
    assert read.day.possible == ("辛巳", "壬午")
    assert read.luck is not None
    assert read.luck.earliest != read.luck.latest


def test_an_unknown_hour_on_the_day_of_a_term_leaves_other_pillars_open() -> None:
    """SKILL-7"""
    read = chart("2024-02-04")
    assert codes(read) == ["hour_unknown", "year_open", "month_open", "day_open"]
    assert read.year.possible == ("癸卯", "甲辰")
    assert read.month.possible == ("乙丑", "丙寅")
    assert read.month.turns[0].startswith("立春 2024-02-04 16:27")
    assert "year_open" not in codes(chart("2024-02-05"))
    assert codes(chart("2024-03-05")) == ["hour_unknown", "month_open", "day_open"]


def test_the_minute_of_a_term_is_on_neither_side() -> None:
    """SKILL-7"""
    assert codes(chart("2024-02-04", "16:26")) == []
    assert codes(chart("2024-02-04", "16:27")) == ["year_open", "month_open"]
    assert codes(chart("2024-02-04", "16:28")) == []
    assert names(chart("2024-02-04", "16:26"))[:5] == "癸卯 乙丑"
    assert names(chart("2024-02-04", "16:28"))[:5] == "甲辰 丙寅"


def test_a_term_is_one_instant_all_over_the_world() -> None:
    """SKILL-7: 16:27 in Beijing was 03:27 in New York."""
    assert chart("2024-02-04", "03:20", NEW_YORK).year.name == "癸卯"
    assert chart("2024-02-04", "03:35", NEW_YORK).year.name == "甲辰"


def test_without_a_place_the_clock_rules_and_other_zones_are_thought_of() -> None:
    """PRO-8"""
    read = chart("2024-02-04", "20:30", None)
    assert codes(read) == ["place_unknown", "year_open", "month_open", "solar_time_unknown"]
    assert (read.hour.branch, read.day.name) == ("戌", "戊戌")
    assert codes(chart("2024-02-20", "12:00", None)) == ["place_unknown", "solar_time_unknown"]


def test_a_clock_reading_shown_twice_or_never_is_said() -> None:
    """SKILL-7"""
    twice = chart("1990-10-28", "01:30", NEW_YORK)
    assert codes(twice)[0] == "clock_twice"
    # By the sun it was 00:50 the first time, and 01:50 the second.
    assert [name[-1] for name in twice.hour.possible] == ["子", "丑"]
    assert codes(chart("1990-04-01", "02:30", NEW_YORK))[0] == "clock_skipped"
    assert codes(chart("1990-10-29", "01:30", NEW_YORK)) == []


def test_a_lunar_date_gives_the_chart_of_its_solar_day() -> None:
    """PRO-8"""
    assert names(chart("1990-04-23", "08:30", calendar="lunar")) == names(chart("1990-05-17", "08:30"))
    leap = chart("2020-04-01", "08:30", calendar="lunar", leap_month=True)
    assert names(leap) == names(chart("2020-05-23", "08:30"))


def test_luck_runs_by_the_year_and_the_gender() -> None:
    """SKILL-7"""
    woman, man = (chart("1990-05-17", "08:30", gender=gender).luck for gender in ("female", "male"))
    assert woman is not None
    assert man is not None
    assert (woman.direction, man.direction) == ("backward", "forward")
    assert [pillar.name for pillar in woman.pillars[:2]] == ["庚辰", "己卯"]
    assert [pillar.name for pillar in man.pillars[:2]] == ["壬午", "癸未"]
    assert (woman.starts_at.years, man.starts_at.years) == (3, 6)
    assert man.pillars[1].begins.year - man.pillars[0].begins.year == 10


@pytest.mark.parametrize("gender", [None, "other"])
def test_no_luck_pillars_without_the_gender_that_they_need(gender: str | None) -> None:
    """SKILL-7"""
    read = chart("1990-05-17", "08:30", gender=gender)
    assert read.luck is None
    assert read.notes[-1].code == "luck_needs_gender"


def test_what_is_read_from_the_pillars() -> None:
    """SKILL-7"""
    read = chart("1990-05-17", "08:30")
    assert names(read) == "庚午 辛巳 壬午 甲辰"
    assert [pillar.ten_god for pillar in (read.year, read.month, read.day, read.hour)] == [
        "偏印",
        "正印",
        "日主",
        "食神",
    ]
    assert [pillar.nayin for pillar in (read.year, read.month, read.day, read.hour)] == [
        "路旁土",
        "白蜡金",
        "杨柳木",
        "覆灯火",
    ]
    assert read.elements == {"wood": 1, "fire": 3, "earth": 1, "metal": 2, "water": 1}
    assert (read.animal, read.void, read.day_master) == ("马", "申酉", "壬")


def test_an_unknown_school_is_refused() -> None:
    """SKILL-7"""
    with pytest.raises(ComputeOptionError, match=r"true, mean, zone"):
        School("sidereal")
    with pytest.raises(ComputeOptionError, match=r"23:00, 00:00"):
        School(day_starts="12:00")
