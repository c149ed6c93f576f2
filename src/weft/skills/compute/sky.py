"""Where things stand in the sky: apparent places of the ecliptic of date, sidereal time, the sun's own time."""

from datetime import UTC, datetime, timedelta
from math import atan2, degrees

import astronomy

BODIES = ("sun", "moon", "mercury", "venus", "mars", "jupiter", "saturn", "uranus", "neptune", "pluto")
_BODY = {name: astronomy.Body[name.capitalize()] for name in BODIES}
_J2000 = datetime(2000, 1, 1, 12, tzinfo=UTC)


def _time(moment: datetime) -> astronomy.Time:
    # Universal Time stands for UTC: they are never more than 0.9 s apart.
    return astronomy.Time((moment - _J2000) / timedelta(days=1))


def turn(angle: float) -> float:
    """An angle brought into 0 to 360 degrees."""
    # A tiny negative angle would round up to 360 itself, which is no longitude.
    return angle % 360.0 % 360.0


def apart(first: float, second: float) -> float:
    """How far the first angle lies ahead of the second, from -180 to 180 degrees."""
    return (first - second + 180.0) % 360.0 - 180.0


def longitude(body: str, moment: datetime) -> float:
    """A body's apparent geocentric longitude on the true ecliptic of date, in degrees."""
    when = _time(moment)
    if body == "sun":
        return turn(astronomy.SunPosition(when).elon)
    return turn(astronomy.Ecliptic(astronomy.GeoVector(_BODY[body], when, True)).elon)


def speed(body: str, moment: datetime) -> float:
    """How fast a body's longitude grows, in degrees a day; below zero it is retrograde."""
    half = timedelta(hours=6)
    return apart(longitude(body, moment + half), longitude(body, moment - half)) * 2


def obliquity(moment: datetime) -> float:
    """The true obliquity of the ecliptic, in degrees."""
    turned = astronomy.Rotation_ECT_EQD(_time(moment)).rot
    return degrees(atan2(abs(turned[1][2]), turned[1][1]))


def sidereal_degrees(moment: datetime, east: float) -> float:
    """Local apparent sidereal time, as the right ascension on the meridian in degrees."""
    return turn(astronomy.SiderealTime(_time(moment)) * 15.0 + east)


def mean_solar(moment: datetime, east: float) -> datetime:
    """What a clock set to the longitude's mean sun shows: naive, since it belongs to no zone."""
    return moment.astimezone(UTC).replace(tzinfo=None) + timedelta(hours=east / 15.0)


def true_solar(moment: datetime, east: float) -> datetime:
    """What a sundial at the longitude shows: twelve when the sun crosses the meridian."""
    return mean_solar(moment, east) + equation_of_time(moment)


def equation_of_time(moment: datetime) -> timedelta:
    """How far a sundial is ahead of the mean sun."""
    angle = astronomy.HourAngle(astronomy.Body.Sun, _time(moment), astronomy.Observer(0.0, 0.0, 0.0))
    mean = moment.astimezone(UTC)
    mean_degrees = (mean.hour * 3600 + mean.minute * 60 + mean.second + mean.microsecond / 1e6) / 240.0
    return timedelta(hours=apart(angle * 15.0 + 180.0, mean_degrees) / 15.0)
