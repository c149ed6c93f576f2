"""The sky as a model is told it: a birth's chart in few words, the sky of a day over it, two charts side by side."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from weft.skills.compute.aspects import Aspect, aspects_of
from weft.skills.compute.birth import Birth, Place
from weft.skills.compute.houses import HouseSystem
from weft.skills.compute.telling import BirthOptions, Computed, Given, warnings, written
from weft.skills.compute.zodiac import Position, ZodiacChart, zodiac

TYPE = "zodiac"
_MOST_ASPECTS = 12
_CLOSE = 3.0  # degrees: wider ones between two skies are hardly felt, and there are many
_GREENWICH = Place(0.0, 0.0, "UTC")


class ZodiacOptions(BirthOptions):
    """The house system, the day whose sky is looked at, and whose chart."""

    house_system: HouseSystem = "whole_sign"
    sky_on: dt.date | None = None


def tell(given: Given, options: ZodiacOptions) -> Computed:
    """The user's chart, which is kept; or another's, or the sky of a day, beside the user's where that is known."""
    if options.birth is not None:
        return Computed(_of_another(given, options))
    if options.sky_on is not None:
        return Computed(_sky(given, options.sky_on))
    birth = given.birth(TYPE)
    told = _told(written(birth, given.birth_info or {}), zodiac(birth, options.house_system))
    return Computed(told, {**given.kept, **told})


def _of_another(given: Given, options: ZodiacOptions) -> dict[str, Any]:
    birth = Birth.from_info(options.birth or {})
    chart = zodiac(birth, options.house_system)
    told = {"whose": "another's, not kept"} | _told(written(birth, options.birth or {}), chart)
    return told | {"to_the_users": _across(given, chart, "their")} if given.birth_info else told


def _sky(given: Given, day: dt.date) -> dict[str, Any]:
    """The sky at noon UTC of a day: where all stands, what runs backward, and how it meets the user's chart."""
    sky = zodiac(Birth(date=day, time=dt.time(12), place=_GREENWICH, to_the_second=True))
    told: dict[str, Any] = {
        "sky_on": f"{day.isoformat()} 12:00 UTC",
        "bodies": _bodies(sky.bodies, houses=False),
        "retrograde": [body.name for body in sky.bodies if body.retrograde],
    }
    return told | {"to_the_users": _across(given, sky, "sky")} if given.birth_info else told


def _told(birth: str, chart: ZodiacChart) -> dict[str, Any]:
    angles = (each for each in (chart.ascendant, chart.midheaven) if each is not None)
    told: dict[str, Any] = {"bodies": _bodies(chart.bodies, houses=chart.houses is not None)}
    told |= {angle.name: _position(angle) for angle in angles}
    if chart.ascendant is None:
        told["ascendant"] = "unknown"
    told["aspects"] = [_aspect(each) for each in chart.aspects[:_MOST_ASPECTS]]
    system = chart.houses.system if chart.houses else "none"
    return {"birth": birth, "house_system": system, "chart": told | warnings(chart.notes)}


def _bodies(bodies: Iterable[Position], *, houses: bool) -> dict[str, str]:
    return {body.name: _position(body) + (f" house {body.house}" if houses and body.house else "") for body in bodies}


def _position(position: Position) -> str:
    said = f"{position.sign} {position.degree}°{position.minute:02}'"
    if len(position.possible_signs) > 1:
        said = f"{' or '.join(position.possible_signs)} (noon: {said})"
    return f"{said} retrograde" if position.retrograde else said


def _aspect(aspect: Aspect) -> str:
    return f"{aspect.first} {aspect.name} {aspect.second} {aspect.orb:.1f}°"


def _across(given: Given, other: ZodiacChart, whose: str) -> list[str]:
    """The close aspects from another sky to the user's own, the closest first; those of an open moon are left out."""
    own = _sure(zodiac(given.birth(TYPE)).bodies, "user's")
    theirs = _sure(other.bodies, whose)
    found = aspects_of(
        {name: body.longitude for name, body in (theirs | own).items()},
        {name: body.speed or 0.0 for name, body in (theirs | own).items()},
    )
    crossing = [each for each in found if each.orb <= _CLOSE and (each.first in theirs) != (each.second in theirs)]
    return [_aspect(each) for each in crossing[:_MOST_ASPECTS]]


def _sure(bodies: Iterable[Position], whose: str) -> dict[str, Position]:
    return {f"{whose} {body.name}": body for body in bodies if len(body.possible_signs) == 1}
