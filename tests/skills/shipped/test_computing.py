"""The operation behind the tool `compute`: told in few words, kept whole, and clear about what is missing."""

import json
import random
import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import anyio.to_thread
import pytest
from lunar_python.util import LunarUtil

from tests.skills.compute.almanac import PLACES
from tests.skills.shipped.shipped import files_of, skill
from weft.llm.token_estimate import estimate
from weft.profiles.skill_data import check_skill_data
from weft.skills.compute import Birth, bazi, plain, zodiac
from weft.skills.compute.cards import DECK, SPREADS
from weft.skills.compute.errors import (
    BirthDataError,
    ComputeDataMissingError,
    ComputeOptionError,
    DrawRecordError,
)
from weft.skills.compute.ganzhi import BRANCHES, STEMS, Pillar
from weft.skills.compute.relations import between, relations
from weft.skills.compute.told_tarot import MOST_DRAWS, repeated
from weft.skills.computing import Computed, Given, compute
from weft.skills.findings import Findings
from weft.skills.side_files import read_schema

NOW = datetime(2026, 3, 6, 8, tzinfo=UTC)
CHENGDU = {"name": "成都", "latitude": 30.67, "longitude": 104.07, "timezone": "Asia/Shanghai"}
BORN: dict[str, Any] = {
    "date": "1990-05-17",
    "time": "08:30",
    "calendar": "solar",
    "place": CHENGDU,
    "gender": "female",
}
GIVEN = Given(NOW, BORN)
HIM: dict[str, Any] = {"date": "1988-11-02", "calendar": "solar", "gender": "male"}
SEED = "5e" * 32
BIRTHS: list[dict[str, Any]] = [
    BORN,
    HIM,
    {"date": "1990-05-17", "calendar": "solar"},
    {
        "date": "1984-10-15",
        "time": "23:40",
        "calendar": "lunar",
        "leap_month": True,
        "place": CHENGDU,
        "gender": "male",
    },
    {"date": "2024-02-04", "calendar": "solar", "gender": "female"},
    {
        "date": "1969-12-21",
        "time": "12:00:30",
        "calendar": "solar",
        "place": {"name": "Longyearbyen", "latitude": 78.2, "longitude": 15.6, "timezone": "Arctic/Longyearbyen"},
    },
    {"date": "2100-12-31", "time": "00:00", "calendar": "solar", "gender": "other"},
]


def without(name: str) -> Given:
    return Given(NOW, {key: value for key, value in BORN.items() if key != name})


def check_kept(name: str, computed: Computed) -> Mapping[str, Any]:
    """What is kept, which the skill's own schema must allow."""
    path = skill(name).data_schema
    assert path is not None
    assert computed.keep is not None
    check_skill_data(name, computed.keep, {name: read_schema(files_of(name), path, Findings(path))}.get)
    return computed.keep


def tokens(value: Any) -> int:
    return estimate(json.dumps(value, ensure_ascii=False, separators=(",", ":")), "qwen")


@pytest.mark.parametrize("born", BIRTHS, ids=[each["date"] for each in BIRTHS[:-1]] + ["last"])
@pytest.mark.parametrize("kind", ["bazi", "zodiac"])
async def test_a_chart_is_kept_as_the_schema_says_and_is_short(kind: str, born: dict[str, Any]) -> None:
    """SKILL-7, PRO-8: with the hour or without, with the place or without, on both calendars."""
    computed = await compute(kind, {}, Given(NOW, born))
    kept = check_kept(kind, computed)
    assert set(kept) <= set(computed.result)
    assert json.loads(json.dumps(computed.result)) == computed.result
    assert tokens(computed.result) <= 620


@pytest.mark.parametrize("kind", ["bazi", "zodiac"])
async def test_any_birth_at_any_place_is_kept_as_the_schema_says(kind: str) -> None:
    """SKILL-7, PRO-8: forty of them, from 1900 to 2100 and from pole to pole, every third without its hour."""
    chance = random.Random(f"{kind} of shipped skills")
    for number in range(40):
        place = chance.choice(PLACES)
        born: dict[str, Any] = {
            "date": (date(1900, 1, 2) + timedelta(days=chance.randrange(73_000))).isoformat(),
            "calendar": "solar",
            "gender": chance.choice(["female", "male", "other"]),
            "place": {"name": place.name or "x" * 200, "latitude": place.latitude, "longitude": place.longitude}
            | {"timezone": place.timezone},
        }
        born |= {"time": f"{chance.randrange(24):02}:{chance.randrange(60):02}"} if number % 3 else {}
        computed = await compute(kind, {}, Given(NOW, born))
        check_kept(kind, computed)
        assert tokens(computed.result) <= 620


@pytest.mark.parametrize("year", [1900, 2100])
async def test_the_first_and_the_last_year_can_be_looked_at(year: int) -> None:
    """SKILL-7"""
    assert (await compute("bazi", {"year": year}, GIVEN)).result["running"]["year"].startswith(f"{year} ")


async def test_the_pillars_told_are_those_of_the_chart() -> None:
    """SKILL-7"""
    told = (await compute("bazi", {}, GIVEN)).result
    chart = bazi(Birth.from_info(BORN))
    pillars = told["chart"]["pillars"]
    readings = {"year": chart.year, "month": chart.month, "day": chart.day, "hour": chart.hour}
    for name, reading in readings.items():
        assert reading is not None
        assert pillars[name].startswith(f"{reading.name} {reading.ten_god} ")
        assert all(f"{hidden.stem}{hidden.ten_god}" in pillars[name] for hidden in reading.hidden)
    assert told["chart"]["day_master"] == "壬 (water)"
    assert chart.luck is not None
    assert told["chart"]["luck"]["pillars"][0] == "庚辰 偏印 1994-02"
    assert len(told["chart"]["luck"]["pillars"]) == len(chart.luck.pillars)


async def test_the_running_year_and_luck_are_of_the_moment_or_of_the_year_asked_for() -> None:
    """SKILL-7: a year begins at 立春, not in January; luck that begins within it is told beside the old one."""
    running = (await compute("bazi", {}, GIVEN)).result["running"]
    assert running["year"] == "2026 丙午 偏财"
    assert running["luck"] == ["丁丑 正财, from 2024-02"]
    assert "2026-day 丙壬冲" in running["year_touches"]
    january = (await compute("bazi", {}, replace(GIVEN, now=datetime(2026, 1, 20, tzinfo=UTC)))).result["running"]
    assert january["year"].startswith("2025 乙巳")
    turning = (await compute("bazi", {"year": 2024}, GIVEN)).result["running"]
    assert turning["year"].startswith("2024 甲辰")
    assert turning["luck"] == ["戊寅 七杀, from 2014-02", "丁丑 正财, from 2024-02"]
    assert "luck" not in (await compute("bazi", {"year": 1991}, GIVEN)).result["running"]


async def test_what_runs_now_is_not_kept() -> None:
    """SKILL-7: it would be stale next year; the rest of what was kept stays."""
    kept = check_kept("bazi", await compute("bazi", {}, GIVEN))
    assert "running" not in kept
    again = await compute("bazi", {"day_starts": "00:00"}, replace(GIVEN, kept=kept))
    assert check_kept("bazi", again)["school"].endswith("00:00")


@pytest.mark.parametrize("kind", ["bazi", "zodiac"])
async def test_an_unknown_hour_is_said_and_never_guessed(kind: str) -> None:
    """SKILL-7, PRO-8"""
    computed = await compute(kind, {}, without("time"))
    chart = check_kept(kind, computed)["chart"]
    assert "time unknown" in computed.result["birth"]
    assert any("not known" in note for note in chart["notes"])
    if kind == "bazi":
        assert chart["pillars"]["hour"] == "unknown"
        assert sum(chart["elements"].values()) == 6
    else:
        assert chart["ascendant"] == "unknown"
        assert "midheaven" not in chart
        assert "house" not in " ".join(chart["bodies"].values())


async def test_what_the_birth_data_leave_open_is_told_with_all_it_can_be() -> None:
    """SKILL-7: the day's pillar, the moon's sign."""
    pillars = (await compute("bazi", {}, without("time"))).result["chart"]["pillars"]
    assert pillars["day"].endswith("或 辛巳、壬午")
    bodies = (await compute("zodiac", {}, Given(NOW, HIM))).result["chart"]["bodies"]
    assert bodies["moon"].startswith("leo or virgo (noon: leo")


@pytest.mark.parametrize("kind", ["bazi", "zodiac"])
@pytest.mark.parametrize("nothing", [None, {}])
async def test_a_birth_that_is_missing_is_named_with_what_to_do(kind: str, nothing: dict[str, Any] | None) -> None:
    """SKILL-7: so that the agent asks for it and saves the answer."""
    with pytest.raises(ComputeDataMissingError, match=r"birth_info.*save_user_data") as refused:
        await compute(kind, {}, Given(NOW, nothing))
    assert (refused.value.field, refused.value.missing) == ("birth_info", ("birth_info",))


@pytest.mark.parametrize("kind", ["bazi", "zodiac"])
async def test_a_chart_of_somebody_else_is_never_kept(kind: str) -> None:
    """SKILL-7: it is told beside the user's own, where there is one."""
    computed = await compute(kind, {"birth": HIM}, GIVEN)
    beside = {"bazi": "with_the_user", "zodiac": "to_the_users"}[kind]
    assert computed.keep is None
    assert computed.result["birth"].startswith("1988-11-02")
    assert computed.result[beside]
    alone = await compute(kind, {"birth": HIM}, Given(NOW))
    assert (alone.keep, beside in alone.result) == (None, False)
    assert tokens(computed.result) <= 620


async def test_the_bodies_told_are_those_of_the_chart() -> None:
    """SKILL-7"""
    told = (await compute("zodiac", {"house_system": "placidus"}, GIVEN)).result
    chart = zodiac(Birth.from_info(BORN), "placidus")
    assert told["house_system"] == "placidus"
    for body in chart.bodies:
        said = told["chart"]["bodies"][body.name]
        assert said.startswith(f"{body.sign} {body.degree}°{body.minute:02}'")
        assert ("retrograde" in said) == body.retrograde
        assert said.endswith(f"house {body.house}")
    assert told["chart"]["ascendant"].startswith("gemini 16°33'")
    first = chart.aspects[0]
    assert told["chart"]["aspects"][0] == f"{first.first} {first.name} {first.second} {first.orb:.1f}°"


async def test_the_sky_of_a_day_is_told_without_a_birth_too() -> None:
    """SKILL-7: Mercury was retrograde from 15 March to 7 April 2025, and not a month later."""
    then = await compute("zodiac", {"sky_on": "2025-03-25"}, Given(NOW))
    later = await compute("zodiac", {"sky_on": "2025-05-01"}, Given(NOW))
    assert "mercury" in then.result["retrograde"]
    assert "mercury" not in later.result["retrograde"]
    assert then.keep is None
    assert "to_the_users" not in then.result
    met = (await compute("zodiac", {"sky_on": "2025-03-25"}, GIVEN)).result["to_the_users"]
    assert met
    assert all(("sky " in each) and ("user's " in each) and float(each.split()[-1][:-1]) <= 3 for each in met)


@pytest.mark.parametrize("kind", ["bazi", "zodiac"])
async def test_a_kept_chart_says_of_which_birth_it_is_as_that_was_given(kind: str) -> None:
    """SKILL-7: one whose birth was put right since is seen to be another's."""
    lunar = {"date": "1984-10-15", "time": "23:40", "calendar": "lunar", "leap_month": True, "gender": "male"}
    told = [(await compute(kind, {}, Given(NOW, born))).result["birth"] for born in (BORN, lunar, HIM)]
    assert told == [
        "1990-05-17 08:30 成都 female",
        "1984-10-15 lunar (leap month) = 1984-12-07 solar 23:40 place unknown male",
        "1988-11-02 time unknown place unknown male",
    ]


async def test_an_open_moon_takes_no_part_between_two_charts() -> None:
    """SKILL-7: an aspect from a moon whose sign is not known would be a guess."""
    between_them = (await compute("zodiac", {"birth": HIM}, GIVEN)).result["to_the_users"]
    assert not [each for each in between_them if "their moon" in each or "their mars" in each]


@pytest.mark.parametrize("spread", SPREADS)
async def test_a_draw_is_kept_as_the_schema_says_and_can_be_repeated(spread: str) -> None:
    """SKILL-7: from the record alone."""
    computed = await compute("tarot", {"spread": spread, "question": "换不换工作"}, Given(NOW))
    (record,) = check_kept("tarot", computed)["draws"]
    drawn = repeated(record)
    named = {card.name: card for card in DECK}
    assert [named[each["card"].split(" ", 1)[1]] for each in computed.result["cards"]] == [c.card for c in drawn.cards]
    assert [each["reversed"] for each in computed.result["cards"]] == [each.reversed for each in drawn.cards]
    assert computed.result["seed"] == record["seed"]
    assert tokens(computed.result) <= 400


async def test_draws_differ_and_one_that_is_given_its_seed_does_not() -> None:
    """SKILL-7: honest chance; an interrupted draw comes out the same."""
    free = {(await compute("tarot", {}, Given(NOW))).result["seed"] for _ in range(5)}
    bound = [(await compute("tarot", {}, Given(NOW, seed=SEED))).result for _ in range(2)]
    assert len(free) == 5
    assert bound[0] == bound[1]
    assert bound[0]["seed"] == SEED


async def test_a_model_cannot_choose_the_cards() -> None:
    """SKILL-7: neither by a seed nor by naming one."""
    for options in ({"seed": SEED}, {"cards": ["major-19"]}):
        with pytest.raises(ComputeOptionError, match="there are spread, question, reversals, verify"):
            await compute("tarot", options, Given(NOW))


async def test_the_newest_draws_are_kept_and_all_of_them_verify() -> None:
    """SKILL-7"""
    kept: Mapping[str, Any] = {}
    for number in range(MOST_DRAWS + 2):
        kept = check_kept("tarot", await compute("tarot", {"question": str(number)}, Given(NOW, kept=kept)))
    asked = [draw["question"] for draw in kept["draws"]]
    assert asked == [str(number) for number in range(MOST_DRAWS + 1, 1, -1)]
    for draw in kept["draws"]:
        repeated(draw)
    proof = await compute("tarot", {"verify": True}, Given(NOW, kept=kept))
    assert (proof.result["verified"], proof.result["question"], proof.keep) == (True, asked[0], None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cards", ["past major-19", "present major-17", "future major-21"]),
        ("cards", None),
        ("seed", "ff" * 32),
        ("seed", "short"),
        ("spread", "nine"),
        ("spread", ["three"]),
        ("algorithm", "another"),
        ("reversals", False),
    ],
)
async def test_a_record_that_was_changed_does_not_verify(field: str, value: Any) -> None:
    """SKILL-7"""
    computed = await compute("tarot", {"spread": "celtic_cross"}, Given(NOW, seed=SEED))
    assert computed.keep is not None
    changed = computed.keep["draws"][0] | {field: value}
    with pytest.raises(DrawRecordError):
        await compute("tarot", {"verify": True}, Given(NOW, kept={"draws": [changed]}))


async def test_nothing_to_verify_is_said() -> None:
    """SKILL-7"""
    with pytest.raises(ComputeDataMissingError, match="no draw yet"):
        await compute("tarot", {"verify": True}, Given(NOW))


@pytest.mark.parametrize(
    ("kind", "options", "told"),
    [
        ("runes", {}, "write one of bazi, zodiac, tarot"),
        ("bazi", {"yaer": 2027}, "there are birth, solar_time, day_starts, year"),
        ("bazi", {"year": 1700}, "year"),
        ("bazi", {"year": "soon"}, "year"),
        ("bazi", {"solar_time": "apparent"}, "solar_time"),
        ("zodiac", {"house_system": "koch"}, "house_system"),
        ("zodiac", {"sky_on": "tomorrow"}, "sky_on"),
        ("tarot", {"spread": "nine"}, "write one of single, three"),
        ("tarot", {"question": "x" * 201}, "question"),
    ],
)
async def test_an_option_that_there_is_not_is_told_with_those_that_there_are(
    kind: str, options: dict[str, Any], told: str
) -> None:
    """SKILL-7: the model can mend it."""
    with pytest.raises(ComputeOptionError, match=told):
        await compute(kind, options, GIVEN)


@pytest.mark.parametrize("kind", ["bazi", "zodiac"])
@pytest.mark.parametrize(
    "born", [{"date": "1990-13-40", "calendar": "solar"}, {"when": "1990"}, {"date": "1990-05-17"}]
)
async def test_a_birth_that_cannot_be_is_refused(kind: str, born: dict[str, Any]) -> None:
    """SKILL-7: the user's own, and one that a model made up."""
    with pytest.raises(BirthDataError):
        await compute(kind, {}, Given(NOW, born))
    with pytest.raises(BirthDataError):
        await compute(kind, {"birth": born}, GIVEN)


async def test_it_is_carried_out_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """SKILL-7: a chart takes tens of milliseconds."""
    seen: list[str] = []

    async def run_sync(function: Any) -> Any:
        seen.append(threading.current_thread().name)
        return function()

    monkeypatch.setattr(anyio.to_thread, "run_sync", run_sync)
    await compute("zodiac", {}, GIVEN)
    assert len(seen) == 1


def test_bonds_and_clashes_are_those_of_another_library() -> None:
    """SKILL-7: lunar_python's tables, for every pair of stems and of branches."""
    for at, stem in enumerate(STEMS):
        for other in STEMS:
            bond = "".join(sorted(stem + other, key=STEMS.index))
            said = [each for each in between(_of(stem), _of(other)) if each[:2] == bond and each[2] == "合"]
            assert bool(said) == (LunarUtil.HE_GAN_5[at] == other)
    for at, branch in enumerate(BRANCHES):
        for other in BRANCHES:
            pair = "".join(sorted(branch + other, key=BRANCHES.index))
            said = [each for each in between(_with(branch), _with(other)) if each[:2] == pair]
            assert (f"{pair}合" in said) == (LunarUtil.HE_ZHI_6[at] == other)
            assert (f"{pair}冲" in said) == (LunarUtil.CHONG[at] == other)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("甲子", "庚午", ["甲庚冲", "子午冲"]),
        ("丁丑", "壬子", ["丁壬合木", "子丑合"]),
        ("戊寅", "癸巳", ["戊癸合火", "寅巳刑", "寅巳害"]),
        ("丙申", "辛巳", ["丙辛合水", "巳申合", "巳申刑"]),
        ("乙丑", "辛未", ["乙辛冲", "丑未冲", "丑未刑"]),
        ("庚午", "壬午", ["午午自刑"]),
        ("甲子", "丁卯", ["子卯刑"]),
        ("甲子", "甲子", []),
    ],
)
def test_what_two_pillars_are_to_each_other(first: str, second: str, said: list[str]) -> None:
    """SKILL-7: the same from either side."""
    assert list(between(_named(first), _named(second))) == said
    assert list(between(_named(second), _named(first))) == said


def test_three_branches_make_a_frame_only_together() -> None:
    """SKILL-7"""
    pillars = {name: _named(each) for name, each in zip("abcd", ("甲申", "丙子", "戊辰", "庚午"), strict=True)}
    assert "申子辰三合水" in relations(pillars)
    del pillars["c"]
    assert not [each for each in relations(pillars) if "三合" in each]


async def test_the_same_birth_gives_the_same_bytes() -> None:
    """SKILL-10: what is kept stands in prompts."""
    told = [json.dumps((await compute("zodiac", {}, GIVEN)).result) for _ in range(3)]
    assert all(one == other for one, other in pairwise(told))
    assert plain(bazi(Birth.from_info(BORN))) == plain(bazi(Birth.from_info(BORN)))


def _named(name: str) -> Pillar:
    return next(pillar for number in range(60) if (pillar := Pillar(number)).name == name)


def _of(stem: str) -> Pillar:
    return next(pillar for number in range(60) if (pillar := Pillar(number)).stem == stem)


def _with(branch: str) -> Pillar:
    return next(pillar for number in range(60) if (pillar := Pillar(number)).branch == branch)
