"""The four pillars of a moment, and for each what else it could be.

Year and month turn at the exact instant of a 节 (year: 立春). Day and hour follow the sun at the place, by the
school: which time rules, and whether a day begins at 23:00 (子初换日) or at midnight (子正换日).
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal, get_args

from weft.skills.compute import sky, terms
from weft.skills.compute.birth import Birth
from weft.skills.compute.errors import one_of
from weft.skills.compute.ganzhi import STEMS, Pillar, pillar_of
from weft.skills.compute.moment import Moment

SolarTime = Literal["true", "mean", "zone"]
DayStart = Literal["23:00", "00:00"]
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class School:
    """How days and hours are reckoned: by the true or the mean sun, or the zone's time without daylight saving."""

    solar_time: SolarTime = "true"
    day_starts: DayStart = "23:00"

    def __post_init__(self) -> None:
        one_of(self.solar_time, get_args(SolarTime), "solar_time")
        one_of(self.day_starts, get_args(DayStart), "day_starts")


@dataclass(frozen=True, slots=True)
class Dial:
    """What the ruling time showed: at the moment reckoned with, and at the first and the last possible one."""

    reckoned: datetime
    earliest: datetime
    latest: datetime


@dataclass(frozen=True, slots=True)
class Choice:
    """A pillar, and everything it can be in the order of time; more than one when the birth data leave it open."""

    pillar: Pillar
    possible: tuple[Pillar, ...]
    turns: tuple[str, ...] = ()

    @property
    def certain(self) -> bool:
        """Whether the birth data leave only this one."""
        return len(self.possible) == 1


def dial_of(birth: Birth, moment: Moment, school: School) -> Dial:
    """The time by which days and hours are reckoned."""
    if birth.place is None:
        # Nothing is known to correct the clock by.
        first, last = _clock_range(moment)
        return Dial(moment.clock, first, last)
    east = birth.place.longitude

    def shown(instant: datetime) -> datetime:
        if school.solar_time == "true":
            return sky.true_solar(instant, east)
        if school.solar_time == "mean":
            return sky.mean_solar(instant, east)
        return instant.replace(tzinfo=None) + moment.offset - moment.daylight_saving

    return Dial(shown(moment.reckoned), shown(moment.earliest), shown(moment.latest))


def year_choice(moment: Moment) -> Choice:
    """The year's pillar, which turns at 立春."""
    return _by_terms(moment, lambda month: Pillar((month // 12 - 4) % 60))


def month_choice(moment: Moment) -> Choice:
    """The month's pillar, which turns at each 节."""
    return _by_terms(moment, lambda month: Pillar((month + 14) % 60))


def day_choice(dial: Dial, school: School) -> Choice:
    """The day's pillar."""
    shift = _HOUR if school.day_starts == "23:00" else timedelta(0)
    first, last = (dial.earliest + shift).date(), (dial.latest + shift).date()
    days = [first + timedelta(days=count) for count in range((last - first).days + 1)]
    return Choice(
        day_pillar((dial.reckoned + shift).date()),
        tuple(day_pillar(day) for day in days),
        tuple(f"{datetime.combine(day, datetime.min.time()) - shift:%Y-%m-%d %H:%M}" for day in days[1:]),
    )


def hour_choice(dial: Dial) -> Choice:
    """The hour's pillar: twelve double hours, 子 from 23:00; its stem follows the day that begins at 23:00."""
    first, last = _double_hour(dial.earliest), _double_hour(dial.latest)
    starts = [first + 2 * _HOUR * count for count in range((last - first) // (2 * _HOUR) + 1)]
    turns = tuple(f"{start - _HOUR:%Y-%m-%d %H:%M}" for start in starts[1:])
    return Choice(_hour_pillar(_double_hour(dial.reckoned)), tuple(map(_hour_pillar, starts)), turns)


def day_pillar(day: date) -> Pillar:
    """The pillar of a day; the sixty have run on unbroken since before there were solar dates."""
    return Pillar((day.toordinal() + 14) % 60)


def _by_terms(moment: Moment, pillar: Callable[[int], Pillar]) -> Choice:
    reckoned = pillar(terms.around(moment.reckoned)[0].month)
    possible, turns = [pillar(terms.around(moment.earliest - terms.MARGIN)[0].month)], []
    for term in terms.between(moment.earliest, moment.latest):
        if pillar(term.month) != possible[-1]:
            possible.append(pillar(term.month))
            turns.append(f"{term.name} {term.at + moment.offset:%Y-%m-%d %H:%M:%S}")
    return Choice(reckoned, tuple(possible), tuple(turns))


def _double_hour(shown: datetime) -> datetime:
    """The double hour's start, moved by an hour so that 子 stands at midnight of the day that it opens."""
    moved = shown + _HOUR
    return moved.replace(hour=moved.hour // 2 * 2, minute=0, second=0, microsecond=0)


def _hour_pillar(start: datetime) -> Pillar:
    day_stem = STEMS.index(day_pillar(start.date()).stem)
    branch = start.hour // 2
    return pillar_of((day_stem % 5 * 2 + branch) % 10, branch)


def _clock_range(moment: Moment) -> tuple[datetime, datetime]:
    if moment.hour_known:
        return moment.clock, moment.clock
    midnight = moment.clock.replace(hour=0)
    return midnight, midnight + timedelta(hours=24) - timedelta(seconds=1)
