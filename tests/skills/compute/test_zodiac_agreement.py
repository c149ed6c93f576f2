"""Five hundred skies against another almanac: longitudes by XEphem, horizon and houses by what they mean."""

import math
import random

import ephem
import pytest

from tests.skills.compute import almanac
from weft.skills.compute import sky
from weft.skills.compute.birth import Birth
from weft.skills.compute.houses import Horizon

ARC_MINUTE = 1 / 60


def apart(first: float, second: float) -> float:
    return abs((first - second + 180) % 360 - 180)


def skies(seed: int, count: int) -> list[Birth]:
    chance = random.Random(seed)
    return [almanac.random_birth(chance) for _ in range(count)]


def equatorial(longitude: float, birth: Birth) -> tuple[float, float, float]:
    """Hour angle, declination and latitude in radians of a point of the ecliptic, as XEphem turns the sky."""
    observer = ephem.Observer()
    observer.lon, observer.lat = math.radians(birth.place.longitude), math.radians(birth.place.latitude)
    observer.date = ephem.Date(almanac.instant(birth).replace(tzinfo=None))
    point = ephem.Equatorial(ephem.Ecliptic(math.radians(longitude), 0.0, epoch=observer.date), epoch=observer.date)
    return float(observer.sidereal_time() - point.ra), float(point.dec), float(observer.lat)


def test_five_hundred_skies_agree_within_an_arc_minute() -> None:
    """SKILL-7"""
    worst = dict.fromkeys(sky.BODIES, 0.0)
    for birth in skies(21, 500):
        when = almanac.instant(birth)
        for body in sky.BODIES:
            worst[body] = max(worst[body], apart(sky.longitude(body, when), almanac.longitude(body, when)))
    assert max(worst.values()) < ARC_MINUTE, worst
    assert worst["sun"] < ARC_MINUTE / 10


def test_the_ascendant_stands_on_the_eastern_horizon() -> None:
    """SKILL-7: at every latitude, on both halves of the Earth."""
    for birth in skies(22, 500):
        horizon = Horizon.at(almanac.instant(birth), birth.place.latitude, birth.place.longitude)
        hour, declination, latitude = equatorial(horizon.ascendant(), birth)
        height = math.sin(latitude) * math.sin(declination) + math.cos(latitude) * math.cos(declination) * math.cos(
            hour
        )
        assert abs(math.degrees(math.asin(height))) < ARC_MINUTE, birth
        assert math.sin(hour) < 0, birth


def test_the_midheaven_crosses_the_meridian() -> None:
    """SKILL-7"""
    for birth in skies(23, 500):
        horizon = Horizon.at(almanac.instant(birth), birth.place.latitude, birth.place.longitude)
        hour, _, _ = equatorial(horizon.midheaven(), birth)
        assert apart(math.degrees(hour), 0.0) < ARC_MINUTE, birth


@pytest.mark.parametrize(
    ("place", "share", "upper"), [(10, 1 / 3, True), (11, 2 / 3, True), (1, 2 / 3, False), (2, 1 / 3, False)]
)
def test_placidus_cusps_have_gone_their_share_of_their_own_arc(place: int, share: float, upper: bool) -> None:
    """SKILL-7"""
    compared = 0
    for birth in skies(24, 200):
        horizon = Horizon.at(almanac.instant(birth), birth.place.latitude, birth.place.longitude)
        if horizon.in_polar_circle:
            continue
        hour, declination, latitude = equatorial(horizon.cusps("placidus")[place], birth)
        half_day = math.degrees(math.acos(-math.tan(latitude) * math.tan(declination)))
        wanted = -share * half_day if upper else -180 + share * (180 - half_day)
        assert apart(math.degrees(hour), wanted) < 2 * ARC_MINUTE, birth
        compared += 1
    assert compared > 100
