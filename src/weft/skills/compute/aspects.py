"""The five main aspects between bodies."""

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from weft.skills.compute import sky

AspectName = Literal["conjunction", "sextile", "square", "trine", "opposition"]
_ANGLES: dict[AspectName, tuple[float, float]] = {
    "conjunction": (0.0, 8.0),
    "sextile": (60.0, 4.0),
    "square": (90.0, 7.0),
    "trine": (120.0, 7.0),
    "opposition": (180.0, 8.0),
}
# The sun and the moon are felt from farther away.
_LIGHTS, _LIGHTS_ORB = {"sun", "moon"}, 2.0


@dataclass(frozen=True, slots=True)
class Aspect:
    """Two bodies at one of the angles; `orb` is how far off it they are, in degrees."""

    first: str
    second: str
    name: AspectName
    orb: float
    applying: bool


def aspects_of(longitudes: dict[str, float], speeds: dict[str, float]) -> tuple[Aspect, ...]:
    """Every aspect among the bodies, the closest first."""
    found = [
        aspect
        for first, second in combinations(longitudes, 2)
        if (aspect := _between(first, second, longitudes, speeds)) is not None
    ]
    return tuple(sorted(found, key=lambda aspect: aspect.orb))


def _between(first: str, second: str, longitudes: dict[str, float], speeds: dict[str, float]) -> Aspect | None:
    ahead = sky.apart(longitudes[first], longitudes[second])
    wider = _LIGHTS_ORB if {first, second} & _LIGHTS else 0.0
    for name, (angle, orb) in _ANGLES.items():
        off = abs(ahead) - angle
        if abs(off) <= orb + wider:
            growing = (speeds[first] - speeds[second]) * (1 if ahead > 0 else -1)
            return Aspect(first, second, name, round(abs(off), 2), off * growing < 0)
    return None
