"""The sky at a birth: signs of sun, moon and planets, ascendant, midheaven, houses, aspects (tropical, geocentric)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import get_args

from weft.skills.compute import sky
from weft.skills.compute.aspects import Aspect, aspects_of
from weft.skills.compute.birth import Birth
from weft.skills.compute.errors import one_of
from weft.skills.compute.houses import POLE, Horizon, HouseSystem, house_of
from weft.skills.compute.moment import Moment, Note, moment_of

SIGN_NAMES = {
    "aries": "白羊座",
    "taurus": "金牛座",
    "gemini": "双子座",
    "cancer": "巨蟹座",
    "leo": "狮子座",
    "virgo": "处女座",
    "libra": "天秤座",
    "scorpio": "天蝎座",
    "sagittarius": "射手座",
    "capricorn": "摩羯座",
    "aquarius": "水瓶座",
    "pisces": "双鱼座",
}
SIGNS = tuple(SIGN_NAMES)
_SAMPLES = 4


@dataclass(frozen=True, slots=True)
class Position:
    """A place on the ecliptic; `possible_signs` names more than one where the birth data leave it open."""

    name: str
    longitude: float
    sign: str
    degree: int
    minute: int
    possible_signs: tuple[str, ...]
    speed: float | None = None
    retrograde: bool = False
    house: int | None = None


@dataclass(frozen=True, slots=True)
class Houses:
    """The twelve houses, by the system that they were made with."""

    system: HouseSystem
    cusps: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ZodiacChart:
    """The chart; without hour or place it has no ascendant, midheaven or houses."""

    utc: datetime
    utc_offset: timedelta
    hour_known: bool
    bodies: tuple[Position, ...]
    ascendant: Position | None
    midheaven: Position | None
    houses: Houses | None
    aspects: tuple[Aspect, ...]
    notes: tuple[Note, ...]


def zodiac(birth: Birth, house_system: HouseSystem = "whole_sign") -> ZodiacChart:
    """The chart of a birth."""
    one_of(house_system, get_args(HouseSystem), "house_system")
    moment = moment_of(birth)
    angles, houses, notes = _horizon(birth, moment, house_system)
    longitudes = {body: sky.longitude(body, moment.reckoned) for body in sky.BODIES}
    speeds = {body: sky.speed(body, moment.reckoned) for body in sky.BODIES}
    bodies = tuple(_body(body, longitudes[body], speeds[body], moment, houses) for body in sky.BODIES)
    return ZodiacChart(
        utc=moment.reckoned,
        utc_offset=moment.offset,
        hour_known=moment.hour_known,
        bodies=bodies,
        ascendant=angles.get("ascendant"),
        midheaven=angles.get("midheaven"),
        houses=houses,
        aspects=_lasting(aspects_of(longitudes, speeds), speeds, moment),
        notes=(*moment.notes, *notes, *_open((*bodies, *angles.values()))),
    )


def _horizon(
    birth: Birth, moment: Moment, system: HouseSystem
) -> tuple[dict[str, Position], Houses | None, list[Note]]:
    place = birth.place
    if place is None or not moment.hour_known:
        text = "Ascendant, midheaven and houses need both the hour and the place of birth."
        return {}, None, [Note("no_houses", text)]
    if abs(place.latitude) > POLE:
        return {}, None, [Note("no_houses", "Nothing rises or sets on the pole; there is no ascendant and no house.")]
    skies = [Horizon.at(when, place.latitude, place.longitude) for when in _samples(moment)]
    reckoned, notes = Horizon.at(moment.reckoned, place.latitude, place.longitude), []
    if system == "placidus" and reckoned.in_polar_circle:
        system = "whole_sign"
        notes = [Note("placidus_undefined", "Placidus has no houses within the polar circles; these are whole signs.")]
    angles = {
        "ascendant": _position("ascendant", reckoned.ascendant(), [each.ascendant() for each in skies]),
        "midheaven": _position("midheaven", reckoned.midheaven(), [each.midheaven() for each in skies]),
    }
    return angles, Houses(system, tuple(round(cusp, 4) for cusp in reckoned.cusps(system))), notes


def _body(body: str, longitude: float, speed: float, moment: Moment, houses: Houses | None) -> Position:
    possible = [sky.longitude(body, when) for when in _samples(moment)]
    house = None if houses is None else house_of(longitude, houses.cusps)
    return _position(body, longitude, possible, speed=speed, house=house)


def _position(
    name: str, longitude: float, possible: list[float], *, speed: float | None = None, house: int | None = None
) -> Position:
    minutes = int(longitude * 60)
    return Position(
        name=name,
        longitude=round(longitude, 4),
        sign=sign_of(longitude),
        degree=minutes // 60 % 30,
        minute=minutes % 60,
        possible_signs=tuple(dict.fromkeys(map(sign_of, possible))),
        speed=None if speed is None else round(speed, 4),
        retrograde=speed is not None and speed < 0,
        house=house,
    )


def sign_of(longitude: float) -> str:
    """The tropical sign of a longitude."""
    return SIGNS[int(longitude // 30) % 12]


def _samples(moment: Moment) -> list[datetime]:
    """Moments over the whole stretch that the birth data allow, so near each other that no sign is stepped over."""
    step = (moment.latest - moment.earliest) / _SAMPLES
    return [moment.earliest + step * count for count in range(_SAMPLES + 1)]


def _lasting(found: tuple[Aspect, ...], speeds: dict[str, float], moment: Moment) -> tuple[Aspect, ...]:
    """The aspects that hold at every moment the birth can have been; the others would be a guess."""
    if moment.latest - moment.earliest <= timedelta(minutes=1):
        return found
    for when in (moment.earliest, moment.latest):
        there = aspects_of({body: sky.longitude(body, when) for body in sky.BODIES}, speeds)
        held = {(aspect.first, aspect.second, aspect.name) for aspect in there}
        found = tuple(aspect for aspect in found if (aspect.first, aspect.second, aspect.name) in held)
    return found


def _open(positions: tuple[Position, ...]) -> list[Note]:
    return [
        Note(
            f"{position.name}_open",
            f"The {position.name} could be in {' or '.join(position.possible_signs)}: the birth data do not say. "
            f"Reckoned with: {position.sign}.",
        )
        for position in positions
        if len(position.possible_signs) > 1
    ]
