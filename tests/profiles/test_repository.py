"""What is asked of the database about a profile: the named columns and paths, and never more."""

import pytest

from tests.profiles.conftest import BORN, FACT, FULL, Serving, Statements, change
from weft.kit.actor import Actor
from weft.profiles.errors import UnknownProfileFieldError


def columns_read(asked: list[str]) -> list[str]:
    """What was selected from the table, statement by statement, apart from who is asking."""
    return [" ".join(text.partition("FROM")[0].split()) for text in asked if "FROM profiles" in text]


async def test_first_phase_reads_name_bio_and_settings_only(
    serving: Serving, ann: Actor, statements: Statements
) -> None:
    """PRO-5, PRO-7: one query, and none of what a skill would have to declare."""
    async with serving(ann) as profiles:
        with statements() as asked:
            await profiles.get_user_agent_context(ann.owner_id)
            assert await profiles.load_profile_fields(ann.owner_id, []) == {}
    assert columns_read(asked) == ["SELECT profiles.username, profiles.bio, profiles.settings"]
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("fields", "selected", "skills"),
    [
        (["birth_info"], "SELECT profiles.birth_info", []),
        (["life_context", "extracted"], "SELECT profiles.extracted, profiles.life_context", []),
        (["skill_data.bazi"], "SELECT profiles.skill_data[$1::TEXT] AS anon_1", ["bazi"]),
        (
            ["skill_data.tarot", "birth_info", "skill_data.bazi", "birth_info"],
            "SELECT profiles.birth_info, profiles.skill_data[$1::TEXT] AS anon_1, "
            "profiles.skill_data[$2::TEXT] AS anon_2",
            ["bazi", "tarot"],
        ),
    ],
)
async def test_only_declared_columns_and_paths_are_read(
    serving: Serving, ann: Actor, statements: Statements, fields: list[str], selected: str, skills: list[str]
) -> None:
    """PRO-7"""
    await change(serving, ann, FULL)
    async with serving(ann) as profiles:
        with statements() as asked:
            loaded = await profiles.load_profile_fields(ann.owner_id, fields)
    assert columns_read(asked) == [selected]
    assert len(asked) == 1
    assert all(repr(skill) in asked[0] for skill in skills)
    assert set(loaded) == set(fields)


async def test_declared_fields_hold_what_is_stored_and_empty_ones_none(serving: Serving, ann: Actor) -> None:
    """PRO-7: a field that was asked for is always there, whether the row, the field or its content is missing."""
    fields = ["birth_info", "life_context", "extracted", "skill_data.bazi", "skill_data.tarot"]
    async with serving(ann) as profiles:
        assert await profiles.load_profile_fields(ann.owner_id, fields) == dict.fromkeys(fields)
    await change(serving, ann, {"username": "小雨"})
    async with serving(ann) as profiles:
        assert await profiles.load_profile_fields(ann.owner_id, fields) == dict.fromkeys(fields)
    await change(serving, ann, FULL)
    async with serving(ann) as profiles:
        assert await profiles.load_profile_fields(ann.owner_id, fields) == {
            "birth_info": BORN,
            "life_context": FULL["life_context"],
            "extracted": [FACT],
            "skill_data.bazi": {"day_master": "甲"},
            "skill_data.tarot": None,
        }


@pytest.mark.parametrize("field", ["settings", "username", "skill_data", "skill_data.a'b", "user_id; --"])
async def test_undeclarable_field_is_refused_before_any_query(
    serving: Serving, ann: Actor, statements: Statements, field: str
) -> None:
    """PRO-7"""
    async with serving(ann) as profiles:
        with statements() as asked, pytest.raises(UnknownProfileFieldError):
            await profiles.load_profile_fields(ann.owner_id, ["birth_info", field])
    assert asked == []
