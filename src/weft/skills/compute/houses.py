"""Ascendant, midheaven and the twelve houses."""

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import asin, atan2, cos, degrees, radians, sin, tan
from typing import Literal

from weft.skills.compute import sky

HouseSystem = Literal["whole_sign", "equal", "placidus"]
# On the very pole every point of the ecliptic stays at its height, so that none rises.
POLE = 89.99
_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Horizon:
    """How the sky stands over a place: the right ascension on its meridian, its latitude, the ecliptic's tilt."""

    meridian: float
    latitude: float
    obliquity: float

    @classmethod
    def at(cls, moment: datetime, latitude: float, longitude: float) -> "Horizon":
        """The sky over a place at a moment."""
        return cls(sky.sidereal_degrees(moment, longitude), latitude, sky.obliquity(moment))

    @property
    def in_polar_circle(self) -> bool:
        """Whether some of the ecliptic never rises or never sets here, so that Placidus has no houses."""
        return abs(self.latitude) >= 90.0 - self.obliquity

    def midheaven(self) -> float:
        """The longitude that crosses the meridian; within the polar circles it can lie below the horizon."""
        return self._on_ecliptic(self.meridian)

    def ascendant(self) -> float:
        """The longitude on the eastern horizon."""
        meridian, tilt, height = radians(self.meridian), radians(self.obliquity), radians(self.latitude)
        rising = degrees(atan2(cos(meridian), -(sin(meridian) * cos(tilt) + tan(height) * sin(tilt))))
        # Within the polar circles the ecliptic can lie the other way round: this is then the point that sets.
        ascension = atan2(sin(radians(rising)) * cos(tilt), cos(radians(rising)))
        return sky.turn(rising if sin(meridian - ascension) < 0 else rising + 180.0)

    def cusps(self, system: HouseSystem) -> tuple[float, ...]:
        """Where the twelve houses begin, the first house first."""
        rising = self.ascendant()
        if system == "placidus":
            return self._placidus(rising)
        first = rising if system == "equal" else rising // 30.0 * 30.0
        return tuple(sky.turn(first + 30.0 * count) for count in range(12))

    def _placidus(self, rising: float) -> tuple[float, ...]:
        # The eastern upper quarter's cusps have gone a third and two thirds of their way from rising to the meridian.
        eleventh, twelfth = self._share(1 / 3, upper=True), self._share(2 / 3, upper=True)
        second, third = self._share(2 / 3, upper=False), self._share(1 / 3, upper=False)
        tenth = self.midheaven()
        half = (rising, second, third, sky.turn(tenth + 180.0), sky.turn(eleventh + 180.0), sky.turn(twelfth + 180.0))
        return (*half, *(sky.turn(cusp + 180.0) for cusp in half))

    def _share(self, share: float, *, upper: bool) -> float:
        """The longitude that stands at a share of its own half arc from the meridian, above the horizon or below."""
        ascension = self.meridian
        for _ in range(_ROUNDS):
            declination = asin(sin(radians(self.obliquity)) * sin(radians(self._on_ecliptic(ascension))))
            beyond = degrees(asin(tan(radians(self.latitude)) * tan(declination)))
            before = ascension
            if upper:
                ascension = self.meridian + share * (90.0 + beyond)
            else:
                ascension = self.meridian + 180.0 - share * (90.0 - beyond)
            if abs(ascension - before) < 1e-9:
                break
        return self._on_ecliptic(ascension)

    def _on_ecliptic(self, ascension: float) -> float:
        turned = radians(ascension)
        return sky.turn(degrees(atan2(sin(turned), cos(turned) * cos(radians(self.obliquity)))))


def house_of(longitude: float, cusps: tuple[float, ...]) -> int:
    """In which house a longitude falls, 1 to 12."""
    for number, (begin, end) in enumerate(pairwise((*cusps, cusps[0])), 1):
        if sky.turn(longitude - begin) < sky.turn(end - begin):
            return number
    return 12
