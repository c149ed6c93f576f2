"""八字: the four pillars of a birth, and what is read from them."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from weft.skills.compute import sky, terms
from weft.skills.compute.birth import Birth
from weft.skills.compute.ganzhi import ANIMALS, BRANCHES, ELEMENTS, Pillar, branch_element, stem_element, ten_god
from weft.skills.compute.luck import Luck, luck_of
from weft.skills.compute.moment import Moment, Note, moment_of
from weft.skills.compute.pillars import (
    Choice,
    Dial,
    School,
    day_choice,
    dial_of,
    hour_choice,
    month_choice,
    year_choice,
)

DAY_MASTER = "日主"
_NAMES = {"year": "年柱", "month": "月柱", "day": "日柱", "hour": "时柱"}


@dataclass(frozen=True, slots=True)
class HiddenStem:
    """A stem hidden in a branch, and what it is to the day's stem."""

    stem: str
    ten_god: str


@dataclass(frozen=True, slots=True)
class PillarReading:
    """One pillar as it is read; where the birth data leave it open, `possible` names more, and `turns` says when."""

    name: str
    pinyin: str
    stem: str
    branch: str
    stem_element: str
    branch_element: str
    ten_god: str
    hidden: tuple[HiddenStem, ...]
    nayin: str
    possible: tuple[str, ...]
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BaziTime:
    """How the clock was turned into the time that rules; where the hour is not known, noon stands in for it."""

    clock: datetime
    hour_known: bool
    utc: datetime
    utc_offset: timedelta
    daylight_saving: timedelta
    ruling: datetime
    equation_of_time: timedelta
    previous_term: terms.Term
    next_term: terms.Term


@dataclass(frozen=True, slots=True)
class BaziChart:
    """The four pillars; the hour's is None where the hour is not known."""

    year: PillarReading
    month: PillarReading
    day: PillarReading
    hour: PillarReading | None
    day_master: str
    animal: str
    void: str
    elements: dict[str, int]
    elements_with_hidden: dict[str, int]
    luck: Luck | None
    time: BaziTime
    school: School
    notes: tuple[Note, ...]


def bazi(birth: Birth, school: School | None = None) -> BaziChart:
    """The chart of a birth, by the school given: the true sun, and days from 23:00, unless said otherwise."""
    school = school or School()
    moment = moment_of(birth)
    dial = dial_of(birth, moment, school)
    choices = {"year": year_choice(moment), "month": month_choice(moment), "day": day_choice(dial, school)}
    if moment.hour_known:
        choices["hour"] = hour_choice(dial)
    day_stem = choices["day"].pillar.stem
    read = {name: _read(choice, name, day_stem) for name, choice in choices.items()}
    pillars = [choice.pillar for choice in choices.values()]
    return BaziChart(
        year=read["year"],
        month=read["month"],
        day=read["day"],
        hour=read.get("hour"),
        day_master=day_stem,
        animal=ANIMALS[BRANCHES.index(choices["year"].pillar.branch)],
        void=choices["day"].pillar.void,
        elements=_count([stem_element(p.stem) for p in pillars] + [branch_element(p.branch) for p in pillars]),
        elements_with_hidden=_count([stem_element(stem) for p in pillars for stem in p.stem + p.hidden]),
        luck=_luck(birth, moment, choices),
        time=_time(moment, dial),
        school=school,
        notes=(*moment.notes, *_open(choices), *_solar_time(birth, school), *_gender(birth)),
    )


def _read(choice: Choice, name: str, day_stem: str) -> PillarReading:
    pillar = choice.pillar
    return PillarReading(
        name=pillar.name,
        pinyin=pillar.pinyin,
        stem=pillar.stem,
        branch=pillar.branch,
        stem_element=stem_element(pillar.stem),
        branch_element=branch_element(pillar.branch),
        ten_god=DAY_MASTER if name == "day" else ten_god(day_stem, pillar.stem),
        hidden=tuple(HiddenStem(stem, ten_god(day_stem, stem)) for stem in pillar.hidden),
        nayin=pillar.nayin,
        possible=tuple(each.name for each in choice.possible),
        turns=choice.turns,
    )


def _count(elements: list[str]) -> dict[str, int]:
    counted = Counter(elements)
    return {element: counted[element] for element in ELEMENTS}


def _luck(birth: Birth, moment: Moment, choices: dict[str, Choice]) -> Luck | None:
    if birth.gender not in ("female", "male"):
        return None
    year, month, day = (choices[name].pillar for name in ("year", "month", "day"))
    return luck_of(moment, year, month, day.stem, birth.gender)


def _time(moment: Moment, dial: Dial) -> BaziTime:
    last, following = terms.around(moment.reckoned)
    return BaziTime(
        clock=moment.clock,
        hour_known=moment.hour_known,
        utc=moment.reckoned,
        utc_offset=moment.offset,
        daylight_saving=moment.daylight_saving,
        ruling=dial.reckoned.replace(microsecond=0),
        equation_of_time=sky.equation_of_time(moment.reckoned),
        previous_term=last,
        next_term=following,
    )


def _open(choices: dict[str, Choice]) -> list[Note]:
    return [
        Note(
            f"{name}_open",
            f"The {name} pillar ({_NAMES[name]}) could be {_either(choice.possible)}: "
            f"it turned at {', '.join(choice.turns)}. Reckoned with: {choice.pillar.name}.",
        )
        for name, choice in choices.items()
        if not choice.certain
    ]


def _either(possible: tuple[Pillar, ...]) -> str:
    return " or ".join(pillar.name for pillar in possible)


def _solar_time(birth: Birth, school: School) -> list[Note]:
    if birth.place is not None or school.solar_time == "zone":
        return []
    return [Note("solar_time_unknown", "Without the place, day and hour follow the clock, not the sun.")]


def _gender(birth: Birth) -> list[Note]:
    if birth.gender in ("female", "male"):
        return []
    return [
        Note("luck_needs_gender", "Luck pillars run by the year's stem and a gender, female or male; there is none.")
    ]
