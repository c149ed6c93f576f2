"""What a profile keeps for a skill fits the schema that the skill ships, and nothing else."""

from pathlib import Path
from typing import Any

import pytest

from weft.kit.errors import OperatorError
from weft.kit.skill_name import is_skill_name
from weft.profiles.errors import ProfileInvalidError, SkillSchemaError, UnknownSkillError
from weft.profiles.skill_data import check_skill_data, no_skill

SCHEMA = {
    "type": "object",
    "properties": {
        "day_master": {"type": "string", "pattern": "^[甲乙丙丁戊己庚辛壬癸]$"},
        "pillars": {"type": "array", "items": {"$ref": "#/$defs/pillar"}},
        "asked_on": {"type": "string", "format": "date"},
    },
    "required": ["day_master"],
    "additionalProperties": False,
    "$defs": {"pillar": {"type": "string", "minLength": 2, "maxLength": 2}},
}


def check(data: Any, schema: Any = SCHEMA) -> None:
    check_skill_data("bazi", data, {"bazi": schema}.get)


@pytest.mark.parametrize(
    "data",
    [
        {"day_master": "甲"},
        {"day_master": "癸", "pillars": ["甲子", "乙丑"]},
        {"day_master": "甲", "asked_on": "2026-03-06"},
    ],
)
def test_data_that_fits_is_accepted(data: dict[str, Any]) -> None:
    """PRO-8"""
    check(data)


@pytest.mark.parametrize(
    ("data", "field", "told"),
    [
        ({}, "skill_data.bazi", "'day_master' is a required property"),
        ({"day_master": "猫"}, "skill_data.bazi.day_master", "does not match"),
        ({"day_master": 1}, "skill_data.bazi.day_master", "is not of type 'string'"),
        ({"day_master": "甲", "pillars": ["甲子", "丑"]}, "skill_data.bazi.pillars[1]", "too short"),
        ({"day_master": "甲", "asked_on": "6.3.2026"}, "skill_data.bazi.asked_on", "is not a 'date'"),
        ({"day_master": "甲", "luck": 1}, "skill_data.bazi", "'luck' was unexpected"),
        ([], "skill_data.bazi", "must be an object, not a list"),
        ("甲", "skill_data.bazi", "must be an object, not a str"),
        (None, "skill_data.bazi", "must be an object, not a NoneType"),
    ],
)
def test_data_that_does_not_fit_is_told_by_its_place(data: Any, field: str, told: str) -> None:
    """PRO-8"""
    with pytest.raises(ProfileInvalidError) as refused:
        check(data)
    assert refused.value.field == field
    assert told in refused.value.detail


def test_error_does_not_repeat_all_of_the_data() -> None:
    """PRO-8"""
    with pytest.raises(ProfileInvalidError) as refused:
        check({"day_master": "猫" * 10_000})
    assert len(refused.value.detail) < 400


@pytest.mark.parametrize("skill", ["zodiac", "", "Bazi", "bazi ", "../bazi", "b" * 65, "八字", "a\x00", "\ud800"])
def test_skill_that_is_not_installed_has_no_data(skill: str) -> None:
    """PRO-8: and a name that no skill may have is not even looked up."""

    def schema_of(name: str) -> dict[str, Any] | None:
        assert is_skill_name(name)
        return {} if name == "bazi" else None

    with pytest.raises(UnknownSkillError, match="is installed, so its data has no known shape"):
        check_skill_data(skill, {}, schema_of)


def test_installation_without_skills_knows_no_data() -> None:
    """PRO-8"""
    with pytest.raises(UnknownSkillError, match="'bazi'"):
        check_skill_data("bazi", {}, no_skill)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nope"},
        {"type": 5},
        {"properties": 5},
        {"pattern": "("},
        {"$ref": "#/$defs/missing"},
        {"$ref": "#"},
    ],
)
def test_broken_schema_is_the_operators_to_mend(schema: dict[str, Any]) -> None:
    """PRO-8: it is no fault of the caller's."""
    with pytest.raises(SkillSchemaError, match="the data schema of the skill 'bazi' cannot be used") as refused:
        check({"day_master": "甲"}, schema)
    assert isinstance(refused.value, OperatorError)


@pytest.mark.filterwarnings("ignore")  # fetching warns, and as an error the warning would hide that it fetches
def test_schema_that_points_elsewhere_fetches_nothing(tmp_path: Path) -> None:
    """PRO-8, SEC-4: not even what is there to be read."""
    elsewhere = tmp_path / "schema.json"
    elsewhere.write_text('{"type": "object"}', encoding="utf-8")
    with pytest.raises(SkillSchemaError, match="cannot be used"):
        check({"day_master": "甲"}, {"$ref": elsewhere.as_uri()})


@pytest.mark.parametrize("name", ["bazi", "tarot-2", "a", "0", "a-b-c", "a" * 64])
def test_name_that_a_skill_may_have(name: str) -> None:
    """SKILL-5"""
    assert is_skill_name(name)


@pytest.mark.parametrize("name", ["", "A", "a_b", "-a", "a-", "a--b", "a.b", "a b", "a\n", "八字", "a" * 65, "é"])
def test_name_that_no_skill_may_have(name: str) -> None:
    """SKILL-5"""
    assert not is_skill_name(name)
