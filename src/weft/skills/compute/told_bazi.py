"""八字 as a model is told it: the chart in few words, the luck and the year that run now, two charts side by side."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from weft.skills.compute import terms
from weft.skills.compute.bazi import BaziChart, PillarReading, bazi
from weft.skills.compute.birth import FIRST_YEAR, LAST_YEAR, Birth
from weft.skills.compute.ganzhi import BRANCHES, STEMS, Pillar, pillar_of, ten_god
from weft.skills.compute.luck import Age, LuckPillar
from weft.skills.compute.pillars import DayStart, School, SolarTime
from weft.skills.compute.relations import across, relations
from weft.skills.compute.telling import BirthOptions, Computed, Given, warnings, written

TYPE = "bazi"


class BaziOptions(BirthOptions):
    """The school, the year to look at, and whose chart."""

    solar_time: SolarTime = "true"
    day_starts: DayStart = "23:00"
    year: Annotated[int, Field(ge=FIRST_YEAR, le=LAST_YEAR)] | None = None


def tell(given: Given, options: BaziOptions) -> Computed:
    """The user's chart, which is kept; or another's, beside the user's where that is known."""
    school = School(options.solar_time, options.day_starts)
    if options.birth is not None:
        return Computed(_of_another(given, options, school))
    birth = given.birth(TYPE)
    chart = bazi(birth, school)
    told = _told(written(birth, given.birth_info or {}), chart)
    return Computed(told | _running(chart, given.now, options.year), {**given.kept, **told})


def _of_another(given: Given, options: BaziOptions, school: School) -> dict[str, Any]:
    birth = Birth.from_info(options.birth or {})
    chart = bazi(birth, school)
    told = (
        {"whose": "another's, not kept"}
        | _told(written(birth, options.birth or {}), chart)
        | _running(chart, given.now, options.year)
    )
    if not given.birth_info:
        return told
    own = bazi(given.birth(TYPE), school)
    return told | {
        "with_the_user": {"user_day_master": own.day_master, "relations": across(_pillars(own), _pillars(chart))}
    }


def _told(birth: str, chart: BaziChart) -> dict[str, Any]:
    chart_told: dict[str, Any] = {
        "pillars": {name: _pillar(reading) for name, reading in _read(chart).items()},
        "day_master": f"{chart.day_master} ({chart.day.stem_element})",
        "animal": chart.animal,
        "void": chart.void,
        "elements": chart.elements,
        "elements_with_hidden": chart.elements_with_hidden,
        "relations": relations(_pillars(chart)),
        "season": f"{chart.time.previous_term.name}–{chart.time.next_term.name}",
    }
    if chart.hour is None:
        chart_told["pillars"]["hour"] = "unknown"
    if chart.luck is not None:
        chart_told["luck"] = {
            "direction": chart.luck.direction,
            "starts_at": _age(chart.luck.starts_at),
            "pillars": [f"{each.name} {each.ten_god} {each.begins:%Y-%m}" for each in chart.luck.pillars],
        }
    school = f"{chart.school.solar_time} solar time, day from {chart.school.day_starts}"
    return {"birth": birth, "school": school, "chart": chart_told | warnings(chart.notes)}


def _read(chart: BaziChart) -> dict[str, PillarReading]:
    read = {"year": chart.year, "month": chart.month, "day": chart.day, "hour": chart.hour}
    return {name: reading for name, reading in read.items() if reading is not None}


def _pillars(chart: BaziChart) -> dict[str, Pillar]:
    return {
        name: pillar_of(STEMS.index(reading.stem), BRANCHES.index(reading.branch))
        for name, reading in _read(chart).items()
    }


def _pillar(reading: PillarReading) -> str:
    hidden = " ".join(f"{each.stem}{each.ten_god}" for each in reading.hidden)
    said = f"{reading.name} {reading.ten_god} 藏{hidden} {reading.nayin}"
    return said if len(reading.possible) == 1 else f"{said} 或 {'、'.join(reading.possible)}"


def _age(age: Age) -> str:
    return f"{age.years}y {age.months}m {age.days}d"


def _running(chart: BaziChart, now: datetime, year: int | None) -> dict[str, Any]:
    """The year asked for, or the one that runs since 立春, what it does to the chart, and the luck it falls into."""
    year = terms.around(now)[0].month // 12 if year is None else year
    pillar = Pillar((year - 4) % 60)
    told: dict[str, Any] = {
        "year": f"{year} {pillar.name} {ten_god(chart.day_master, pillar.stem)}",
        "year_touches": across({str(year): pillar}, _pillars(chart)),
    }
    if luck := [f"{each.name} {each.ten_god}, from {each.begins:%Y-%m}" for each in _luck_in(chart, year)]:
        told["luck"] = luck
    return {"running": told}


def _luck_in(chart: BaziChart, year: int) -> list[LuckPillar]:
    """The luck pillar that the year begins in, and one that begins in it."""
    opens, closes = (terms.terms_of(each)[1].at.date() for each in (year, year + 1))
    begun = [each for each in (chart.luck.pillars if chart.luck else ()) if each.begins < closes]
    before = [each for each in begun if each.begins <= opens]
    return before[-1:] + begun[len(before) :]
