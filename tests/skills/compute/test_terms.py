"""The 节: published minutes, and two other series."""

from datetime import UTC, datetime, timedelta

import astronomy
import pytest

from tests.skills.compute import almanac
from weft.skills.compute.terms import MARGIN, NAMES, around, between, terms_of


@pytest.mark.parametrize(
    ("name", "published"),
    [
        # To the minute, in Beijing time, as printed almanacs have them.
        ("立春", "1984-02-04 23:19"),
        ("立春", "2000-02-04 20:40"),
        ("立春", "2020-02-04 17:03"),
        ("立春", "2021-02-03 22:59"),
        ("立春", "2022-02-04 04:51"),
        ("立春", "2024-02-04 16:27"),
        ("立春", "2025-02-03 22:10"),
        ("惊蛰", "2024-03-05 10:23"),
        ("清明", "2024-04-04 15:02"),
        ("立夏", "2024-05-05 08:10"),
        ("立秋", "2024-08-07 08:09"),
        ("大雪", "2024-12-06 23:17"),
    ],
)
def test_published_minutes(name: str, published: str) -> None:
    """SKILL-7"""
    minute = datetime.fromisoformat(published + "+08:00")
    term = terms_of(minute.year)[NAMES.index(name)]
    assert abs(term.at - minute) <= timedelta(seconds=45), term


def test_every_term_of_two_centuries_agrees_with_astronomy_engine() -> None:
    """SKILL-7: what differs is that library's truncated series, up to 54 s off DE421 until 2050; ours is 3 s off."""
    apart = []
    for year in range(1900, 2101):
        for place, term in enumerate(terms_of(year)):
            start = astronomy.Time((term.at - datetime(2000, 1, 1, 12, tzinfo=UTC)) / timedelta(days=1) - 1)
            found = astronomy.SearchSunLongitude((285 + 30 * place) % 360, start, 2)
            apart.append(abs((found.ut - start.ut - 1) * 86400))
    assert max(apart) < 65
    assert sorted(apart)[len(apart) // 2] < 15


def test_sun_stands_where_the_term_says_by_xephem() -> None:
    """SKILL-7"""
    for year in range(1901, 2050, 4):
        for place, term in enumerate(terms_of(year)):
            off = (almanac.longitude("sun", term.at) - (285 + 30 * place) + 180) % 360 - 180
            assert abs(off) < 1 / 1200, (term, off)  # a twentieth of an arc-minute: 73 s of time


def test_around_holds_the_moment() -> None:
    """SKILL-7"""
    term = terms_of(2024)[1]
    assert around(term.at)[0] == term
    assert around(term.at - timedelta(seconds=1))[1] == term
    assert around(datetime(2024, 1, 1, tzinfo=UTC))[0].name == "大雪"
    assert around(datetime(2024, 12, 31, tzinfo=UTC))[1].name == "小寒"


def test_between_takes_the_margin_along() -> None:
    """SKILL-7"""
    term = terms_of(2024)[1]
    before = term.at - timedelta(days=1)
    assert between(before, term.at - MARGIN / 2) == (term,)
    assert between(before, term.at - 2 * MARGIN) == ()
    assert between(term.at + MARGIN / 2, term.at + timedelta(days=1)) == (term,)
