"""Birth, life and learned facts: each has a shape, and what is wrong is told by its place."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.arbitrary import JSON
from weft.kit import clock
from weft.profiles.errors import ProfileInvalidError, UnknownProfileFieldError
from weft.profiles.shapes import MAX_FACTS, BirthInfo, check_shape, split_field

SHANGHAI = {"name": "上海", "latitude": 31.23, "longitude": 121.47, "timezone": "Asia/Shanghai"}
SOLAR = {"date": "1990-05-17", "calendar": "solar"}
LUNAR = {"date": "1990-04-30", "calendar": "lunar"}
FACT = {"fact": "养了一只猫", "source": "session 1", "at": "2026-03-06T08:00:00Z", "confidence": 0.9}


def refusal(field: str, value: Any) -> ProfileInvalidError:
    with pytest.raises(ProfileInvalidError) as refused:
        check_shape(field, value)
    return refused.value


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch) -> datetime:
    moment = datetime(2026, 3, 6, 12, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: moment)
    return moment


@pytest.mark.parametrize(
    "birth",
    [
        SOLAR,
        LUNAR,
        SOLAR | {"time": "08:30"},
        SOLAR | {"time": "23:59:59"},
        SOLAR | {"time": "00:00"},
        SOLAR | {"date": "2000-02-29"},
        SOLAR | {"place": SHANGHAI, "gender": "female"},
        SOLAR | {"place": SHANGHAI | {"latitude": -90.0, "longitude": 180.0}},
        LUNAR | {"date": "1990-02-30"},
        LUNAR | {"leap_month": True},
    ],
)
def test_birth_is_stored_as_it_was_told(birth: dict[str, Any]) -> None:
    """PRO-8: nothing is added, so what was not said cannot be taken for known."""
    assert check_shape("birth_info", birth) == birth


def test_missing_time_stays_missing() -> None:
    """PRO-8: neither stored nor read as midnight; whoever reads it sees that it is not there."""
    stored = check_shape("birth_info", SOLAR)
    assert "time" not in stored
    assert BirthInfo.model_validate(stored).time is None
    assert check_shape("birth_info", SOLAR | {"time": None}) == stored


@pytest.mark.parametrize(
    ("change", "field", "told"),
    [
        ({"date": "1990-02-29"}, "birth_info", "'1990-02-29' is not in the calendar"),
        ({"date": "1990-13-01"}, "birth_info", "is not in the calendar"),
        ({"date": "0000-01-01"}, "birth_info", "is not in the calendar"),
        ({"date": "17.5.1990"}, "birth_info.date", "'17.5.1990' is not a date; write for example '1990-05-17'"),
        ({"date": "1990-5-17"}, "birth_info.date", "is not a date"),
        ({"date": "１９９０-０５-１７"}, "birth_info.date", "is not a date"),
        ({"date": "1990-05-17T08:30"}, "birth_info.date", "is not a date"),
        ({"date": 19900517}, "birth_info.date", "valid string"),
        ({"time": "24:00"}, "birth_info.time", "'24:00' is not on the clock; write for example '08:30'"),
        ({"time": "8:30"}, "birth_info.time", "is not on the clock"),
        ({"time": "08:60"}, "birth_info.time", "is not on the clock"),
        ({"time": "08:30:61"}, "birth_info.time", "is not on the clock"),
        ({"time": "0８:30"}, "birth_info.time", "is not on the clock"),
        ({"time": ""}, "birth_info.time", "leave it out where it is not known"),
        ({"calendar": "julian"}, "birth_info.calendar", "'solar' or 'lunar'"),
        ({"calendar": None}, "birth_info.calendar", "'solar' or 'lunar'"),
        ({"leap_month": True}, "birth_info", "leap_month belongs to the lunar calendar"),
        ({"gender": "x"}, "birth_info.gender", "'female', 'male' or 'other'"),
        ({"hour": 8}, "birth_info.hour", "not permitted"),
        ({"place": "上海"}, "birth_info.place", "Place"),
        ({"place": SHANGHAI | {"name": ""}}, "birth_info.place.name", "at least 1"),
        ({"place": SHANGHAI | {"name": "a\x00"}}, "birth_info.place.name", "NUL"),
        ({"place": SHANGHAI | {"latitude": 90.1}}, "birth_info.place.latitude", "less than or equal to 90"),
        ({"place": SHANGHAI | {"latitude": -90.1}}, "birth_info.place.latitude", "greater than or equal to -90"),
        ({"place": SHANGHAI | {"latitude": float("nan")}}, "birth_info.place.latitude", "equal to"),
        ({"place": SHANGHAI | {"longitude": 180.1}}, "birth_info.place.longitude", "less than or equal to 180"),
        ({"place": SHANGHAI | {"longitude": -181}}, "birth_info.place.longitude", "greater than or equal to -180"),
        ({"place": SHANGHAI | {"timezone": "CST"}}, "birth_info.place.timezone", "'CST' is not an IANA time zone"),
        ({"place": {"name": "上海"}}, "birth_info.place.latitude", "required"),
    ],
)
def test_wrong_birth_is_told_by_its_place(change: dict[str, Any], field: str, told: str) -> None:
    """PRO-8"""
    error = refusal("birth_info", SOLAR | change)
    assert error.field == field
    assert told in error.detail


@pytest.mark.parametrize("missing", ["date", "calendar"])
def test_birth_needs_its_date_and_calendar(missing: str) -> None:
    """PRO-8"""
    error = refusal("birth_info", {name: value for name, value in SOLAR.items() if name != missing})
    assert error.field == f"birth_info.{missing}"


@pytest.mark.parametrize("date", ["1990-05-31", "1990-13-01", "1990-00-10", "1990-05-00", "0000-05-01"])
def test_lunar_months_have_up_to_30_days(date: str) -> None:
    """PRO-8"""
    assert "is not in the lunar calendar" in refusal("birth_info", LUNAR | {"date": date}).detail


@pytest.mark.parametrize("calendar", ["solar", "lunar"])
def test_nobody_is_born_in_the_future(calendar: str, noon: datetime) -> None:
    """PRO-8: one day ahead passes, for somewhere it is tomorrow already."""
    birth = {"calendar": calendar, "date": f"{noon + timedelta(days=1):%Y-%m-%d}"}
    assert check_shape("birth_info", birth) == birth
    error = refusal("birth_info", birth | {"date": f"{noon + timedelta(days=2):%Y-%m-%d}"})
    assert "'2026-03-08' lies in the future" in error.detail


def test_text_around_a_value_is_stripped() -> None:
    """PRO-8"""
    told = {"date": " 1990-05-17 ", "calendar": "solar", "time": "08:30\n"}
    assert check_shape("birth_info", told) == SOLAR | {"time": "08:30"}


@pytest.mark.parametrize(
    "life",
    [
        {},
        {"occupation": "产品经理"},
        {"industry": "互联网", "stage": "转型期", "goals": ["换一份工作", "跑完马拉松"], "concerns": []},
    ],
)
def test_every_part_of_a_life_is_optional(life: dict[str, Any]) -> None:
    """PRO-8"""
    assert check_shape("life_context", life) == life


@pytest.mark.parametrize(
    ("life", "field"),
    [
        ({"occupation": ""}, "life_context.occupation"),
        ({"occupation": "长" * 201}, "life_context.occupation"),
        ({"occupation": "\ud800"}, "life_context.occupation"),
        ({"goals": "一个目标"}, "life_context.goals"),
        ({"goals": ["好"] * 51}, "life_context.goals"),
        ({"goals": ["好", ""]}, "life_context.goals[1]"),
        ({"concerns": [{"a": 1}]}, "life_context.concerns[0]"),
        ({"hobby": "徒步"}, "life_context.hobby"),
        ([], "life_context"),
        ("产品经理", "life_context"),
    ],
)
def test_wrong_life_is_told_by_its_place(life: Any, field: str) -> None:
    """PRO-8"""
    assert refusal("life_context", life).field == field


def test_fact_is_stored_with_the_moment_it_was_learned(noon: datetime) -> None:
    """PRO-8: now, unless it is said when."""
    untimed = {name: value for name, value in FACT.items() if name != "at"}
    assert check_shape("extracted", [FACT, untimed]) == [FACT, untimed | {"at": "2026-03-06T12:00:00Z"}]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"fact": ""}, "extracted[1].fact"),
        ({"fact": "长" * 2001}, "extracted[1].fact"),
        ({"source": None}, "extracted[1].source"),
        ({"confidence": 1.01}, "extracted[1].confidence"),
        ({"confidence": -0.01}, "extracted[1].confidence"),
        ({"confidence": float("nan")}, "extracted[1].confidence"),
        ({"at": "2026-03-06T08:00:00"}, "extracted[1].at"),
        ({"at": "yesterday"}, "extracted[1].at"),
        ({"mood": "calm"}, "extracted[1].mood"),
    ],
)
def test_wrong_fact_is_told_by_its_place(change: dict[str, Any], field: str) -> None:
    """PRO-8"""
    assert refusal("extracted", [FACT, FACT | change]).field == field


def test_facts_are_limited_in_number() -> None:
    """PRO-8"""
    assert len(check_shape("extracted", [FACT] * MAX_FACTS)) == MAX_FACTS
    assert str(MAX_FACTS) in refusal("extracted", [FACT] * (MAX_FACTS + 1)).detail


@given(st.sampled_from(["birth_info", "life_context", "extracted"]), JSON)
def test_anything_is_stored_or_refused_and_never_breaks(field: str, value: Any) -> None:
    """PRO-8: what is stored is already in the shape that it is stored in."""
    try:
        stored = check_shape(field, value)
    except ProfileInvalidError:
        return
    assert check_shape(field, stored) == stored


@pytest.mark.parametrize(
    ("field", "column", "skill"),
    [
        ("birth_info", "birth_info", None),
        ("life_context", "life_context", None),
        ("extracted", "extracted", None),
        ("skill_data.bazi", "skill_data", "bazi"),
        ("skill_data.tarot-2", "skill_data", "tarot-2"),
    ],
)
def test_declared_field_is_a_column_or_a_skills_part(field: str, column: str, skill: str | None) -> None:
    """PRO-7"""
    assert split_field(field) == (column, skill)


@pytest.mark.parametrize(
    "field",
    [
        *["", "birth_infos", "birth_info.", "birth_info.time", "settings", "username", "user_id", "x\x00\ud800"],
        *["skill_data", "skill_data.", "skill_data.Bazi", "skill_data.a.b", "skill_data.-a", f"skill_data.{'a' * 65}"],
    ],
)
def test_field_that_no_skill_may_ask_for_is_refused(field: str) -> None:
    """PRO-7: identity and settings are not a skill's to declare."""
    with pytest.raises(UnknownProfileFieldError, match=r"for example 'skill_data\.bazi'"):
        split_field(field)


@pytest.mark.parametrize("field", ["", "settings", "skill_data", "user_id"])
def test_field_without_a_shape_is_refused(field: str) -> None:
    """PRO-8"""
    with pytest.raises(UnknownProfileFieldError):
        check_shape(field, {})
