"""Charts as JSON: everything that a tool hands on is plain, and the same each time."""

import json
from datetime import date, datetime, time, timedelta

from tests.skills.compute.almanac import PLACES
from weft.skills.compute import Birth, bazi, plain, zodiac

BIRTH = Birth(date(1990, 5, 17), time(8, 30), PLACES[0], "female")


def test_charts_are_plain_json() -> None:
    """TOOL-2"""
    for chart in (bazi(BIRTH), zodiac(BIRTH)):
        text = json.dumps(plain(chart), ensure_ascii=False)
        assert json.loads(text) == plain(chart)
    assert plain(bazi(BIRTH))["hour"]["name"] == "甲辰"
    assert plain(bazi(BIRTH))["luck"]["pillars"][0]["begins"].startswith("1994-")


def test_the_same_birth_gives_the_same_chart() -> None:
    """SKILL-7"""
    assert bazi(BIRTH) == bazi(BIRTH)
    assert zodiac(BIRTH) == zodiac(BIRTH)


def test_moments_and_durations() -> None:
    """TOOL-2"""
    moment = datetime.fromisoformat("1990-05-17T08:30:00.5+08:00")
    assert plain({"at": moment, "for": (timedelta(minutes=1.5),), 3: None}) == {
        "at": "1990-05-17T08:30:00+08:00",
        "for": [90],
        "3": None,
    }
