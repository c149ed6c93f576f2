"""Luck pillars: ten years each, counted from the month's pillar, forward or back by the year's stem and the gender."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from weft.skills.compute import terms
from weft.skills.compute.birth import Gender
from weft.skills.compute.ganzhi import Pillar, is_yang, ten_god
from weft.skills.compute.moment import Moment

Direction = Literal["forward", "backward"]
_PILLARS = 10


@dataclass(frozen=True, slots=True)
class Age:
    """An age; three days to the 节 make a year, one day four months, a double hour ten days."""

    years: int
    months: int
    days: int


@dataclass(frozen=True, slots=True)
class LuckPillar:
    """Ten years under one pillar."""

    name: str
    ten_god: str
    nayin: str
    begins: date
    age: Age


@dataclass(frozen=True, slots=True)
class Luck:
    """The luck pillars; `earliest` and `latest` differ where the birth data leave the start open."""

    direction: Direction
    starts_at: Age
    earliest: Age
    latest: Age
    pillars: tuple[LuckPillar, ...]


def luck_of(moment: Moment, year: Pillar, month: Pillar, day_stem: str, gender: Gender) -> Luck:
    """The luck pillars of a woman or a man."""
    forward = is_yang(year.stem) == (gender == "male")
    starts_at = start_age(moment.reckoned, forward=forward)
    bounds = sorted(
        (start_age(instant, forward=forward) for instant in (moment.earliest, moment.reckoned, moment.latest)),
        key=lambda age: (age.years, age.months, age.days),
    )
    begins = _later(moment.clock.date(), starts_at)
    return Luck(
        direction="forward" if forward else "backward",
        starts_at=starts_at,
        earliest=bounds[0],
        latest=bounds[-1],
        pillars=tuple(
            _luck_pillar(month.step(count + 1 if forward else -count - 1), count, begins, starts_at, day_stem)
            for count in range(_PILLARS)
        ),
    )


def start_age(instant: datetime, *, forward: bool) -> Age:
    """At what age the first luck pillar begins: the time to the next 节, or since the last one, at 3 days a year."""
    last, following = terms.around(instant)
    distance = following.at - instant if forward else instant - last.at
    minutes = distance // timedelta(minutes=1)
    years, minutes = divmod(minutes, 3 * 24 * 60)
    months, minutes = divmod(minutes, 6 * 60)
    return Age(years, months, minutes // 12)


def _luck_pillar(pillar: Pillar, count: int, begins: date, age: Age, day_stem: str) -> LuckPillar:
    return LuckPillar(
        name=pillar.name,
        ten_god=ten_god(day_stem, pillar.stem),
        nayin=pillar.nayin,
        begins=_later(begins, Age(10 * count, 0, 0)),
        age=Age(age.years + 10 * count, age.months, age.days),
    )


def _later(day: date, age: Age) -> date:
    months = day.year * 12 + day.month - 1 + age.years * 12 + age.months
    year, month = divmod(months, 12)
    last = monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last)) + timedelta(days=age.days)
