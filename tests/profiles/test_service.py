"""What can be done with a profile, on a real PostgreSQL: read it, patch it, lift it, and leave it alone."""

import asyncio
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from tests.people import People
from tests.profiles.conftest import BORN, FACT, FULL, LAZY, RULES, Serving, Stored, change
from weft.kit.actor import Actor
from weft.kit.errors import ForbiddenError
from weft.profiles.errors import (
    UnknownSettingsVersionError,
)
from weft.profiles.preferences import SettingsV1, SettingsV2
from weft.profiles.schemas import ProfileView
from weft.profiles.service import ProfileRules


async def test_user_who_never_wrote_has_the_defaults(serving: Serving, ann: Actor, stored: Stored) -> None:
    """PRO-1, PRO-2: and looking leaves nothing behind."""
    async with serving(ann) as profiles:
        assert await profiles.read(ann.owner_id) == ProfileView(user_id=ann.owner_id, settings=SettingsV1())
    assert await stored(ann) is None


async def test_what_was_written_is_what_is_read(serving: Serving, ann: Actor) -> None:
    """PRO-1, PRO-3: normalized, and with what nobody mentioned at its default."""
    written = await change(serving, ann, FULL)
    async with serving(ann) as profiles:
        assert await profiles.read(ann.owner_id) == written
    seen = written.model_dump(mode="json", exclude_none=True)
    assert seen["settings"]["preferences"] == {
        "interface_language": "zh-CN",
        "ai_language": "en-US",
        "timezone": "Asia/Shanghai",
        "country": "US",
    }
    assert seen["birth_info"] == BORN | {"leap_month": False}
    assert {name: seen[name] for name in ("username", "bio", "extracted", "skill_data", "user_tier")} == {
        "username": "小雨",
        "bio": "产品经理，喜欢徒步",
        "extracted": [FACT],
        "skill_data": {"bazi": {"day_master": "甲"}},
        "user_tier": "free",
    }


async def test_change_answers_with_the_moment_it_was_made(serving: Serving, ann: Actor) -> None:
    """PRO-1"""
    first = await change(serving, ann, {"bio": "一"})
    second = await change(serving, ann, {"bio": "二"})
    assert first.updated_at is not None
    assert second.updated_at is not None
    assert second.updated_at > first.updated_at


@pytest.mark.parametrize("untouched", sorted(FULL))
async def test_what_a_patch_does_not_name_stays(serving: Serving, ann: Actor, stored: Stored, untouched: str) -> None:
    """PRO-8: each part, while every other one is removed."""
    await change(serving, ann, FULL)
    before = await stored(ann)
    await change(serving, ann, {name: None for name in FULL if name != untouched})
    after = await stored(ann)
    assert before is not None
    assert after is not None
    assert after[untouched] == before[untouched]
    assert [name for name in FULL if after[name] == before[name]] == [untouched]


async def test_empty_patch_changes_nothing(serving: Serving, ann: Actor, stored: Stored) -> None:
    """PRO-8"""
    await change(serving, ann, FULL)
    before = await stored(ann)
    await change(serving, ann, {})
    assert await stored(ann) == before


@pytest.mark.parametrize(
    ("patch", "column", "left"),
    [
        ({"username": None}, "username", ""),
        ({"username": "  雨  "}, "username", "雨"),
        ({"bio": None}, "bio", None),
        ({"birth_info": None}, "birth_info", None),
        ({"birth_info": {"time": None}}, "birth_info", {"date": "1990-05-17", "calendar": "solar"}),
        ({"birth_info": {"date": "1991-01-01"}}, "birth_info", BORN | {"date": "1991-01-01"}),
        ({"birth_info": {"date": None, "time": None, "calendar": None}}, "birth_info", None),
        ({"life_context": {"occupation": None}}, "life_context", {"goals": ["跑完马拉松"]}),
        ({"life_context": {"goals": ["休息"]}}, "life_context", {"occupation": "产品经理", "goals": ["休息"]}),
        ({"life_context": {}}, "life_context", FULL["life_context"]),
        ({"extracted": None}, "extracted", []),
        ({"extracted": []}, "extracted", []),
        ({"skill_data": None}, "skill_data", {}),
        ({"skill_data": {"bazi": None}}, "skill_data", {}),
        ({"skill_data": {"bazi": {"day_master": None}}}, "skill_data", {"bazi": {}}),
        ({"skill_data": {"bazi": {"luck": [1]}}}, "skill_data", {"bazi": {"day_master": "甲", "luck": [1]}}),
        (
            {"skill_data": {"tarot": {"drawn": 3}}},
            "skill_data",
            {"bazi": {"day_master": "甲"}, "tarot": {"drawn": 3}},
        ),
    ],
)
async def test_patch_merges_and_null_removes(
    serving: Serving, ann: Actor, stored: Stored, patch: dict[str, Any], column: str, left: Any
) -> None:
    """PRO-8: a JSON merge patch (RFC 7396)."""
    await change(serving, ann, FULL)
    await change(serving, ann, patch)
    row = await stored(ann)
    assert row is not None
    assert row[column] == left


async def test_settings_merge_at_every_level(serving: Serving, ann: Actor, stored: Stored) -> None:
    """PRO-4, PRO-8: and fields that nobody knows stay where they are."""
    await change(serving, ann, FULL)
    patch = {
        "preferences": {"timezone": "America/New_York", "nickname": "雨"},
        "privacy": {"share": None, "ads": False},
    }
    await change(serving, ann, {"settings": patch | {"theme": {"dark": True}}})
    row = await stored(ann)
    assert row is not None
    assert row["settings"] == {
        "version": 2,
        "preferences": {
            "interface_language": "zh-CN",
            "ai_language": "en-US",
            "timezone": "America/New_York",
            "country": "US",
            "nickname": "雨",
        },
        "privacy": {"ads": False},
        "notification": {},
        "safety": {},
        "theme": {"dark": True},
    }


OLD = {"version": 1, "preferences": {"country": "JP"}, "theme": "dark"}
NEW = {"version": 2, "safety": {"adult": False}}


@pytest.mark.parametrize(
    ("rules", "before", "version"),
    [
        (RULES, None, 2),
        (RULES, {"theme": "dark"}, 2),
        (RULES, OLD, 2),
        (RULES, NEW, 2),
        (LAZY, None, 1),
        (LAZY, {"theme": "dark"}, 1),
        (LAZY, OLD, 1),
        (LAZY, NEW, 2),
    ],
)
async def test_settings_are_lifted_or_written_back_as_read(
    serving: Serving, ann: Actor, stored: Stored, rules: ProfileRules, before: dict[str, Any] | None, version: int
) -> None:
    """PRO-4: eager stores the newest version, lazy the one that it read; neither loses a field."""
    await stored.put(ann, settings=before)
    await change(serving, ann, {"settings": {"privacy": {"share": False}}}, rules)
    row = await stored(ann)
    assert row is not None
    kept = {name: value for name, value in (before or {}).items() if name not in ("version", "preferences")}
    assert row["settings"].items() >= (kept | {"version": version, "privacy": {"share": False}}).items()
    assert row["settings"]["preferences"]["country"] == (before or {}).get("preferences", {}).get("country", "CN")


async def test_older_settings_stay_as_they_are_while_something_else_changes(
    serving: Serving, ann: Actor, stored: Stored
) -> None:
    """PRO-4"""
    await stored.put(ann, settings={"theme": "dark"})
    seen = await change(serving, ann, {"username": "小雨"})
    row = await stored(ann)
    assert row is not None
    assert row["settings"] == {"theme": "dark"}
    assert isinstance(seen.settings, SettingsV1)


async def test_settings_of_an_unknown_version_are_named_and_kept(serving: Serving, ann: Actor, stored: Stored) -> None:
    """PRO-2: a newer Weft wrote them; this one neither reads nor overwrites them."""
    await stored.put(ann, settings={"version": 7, "theme": "dark"})
    before = await stored(ann)
    with pytest.raises(UnknownSettingsVersionError, match=r"settings\.version is 7"):
        await change(serving, ann, {"settings": {"privacy": {}}})
    with pytest.raises(UnknownSettingsVersionError, match=r"settings\.version is 7"):
        async with serving(ann) as profiles:
            await profiles.get_user_agent_context(ann.owner_id)
    assert await stored(ann) == before


async def test_data_of_an_uninstalled_skill_stays_and_can_be_removed(
    serving: Serving, ann: Actor, stored: Stored
) -> None:
    """PRO-8"""
    kept = {"zodiac": {"sun": "Taurus"}}
    await stored.put(ann, skill_data=kept)
    await change(serving, ann, {"skill_data": {"bazi": {"day_master": "甲"}}})
    await change(serving, ann, {"skill_data": kept})  # said again as it is, which changes nothing
    assert (await stored(ann) or {})["skill_data"] == kept | {"bazi": {"day_master": "甲"}}
    await change(serving, ann, {"skill_data": {"zodiac": None}})
    assert (await stored(ann) or {})["skill_data"] == {"bazi": {"day_master": "甲"}}


@pytest.mark.parametrize(
    ("field", "value", "column", "left"),
    [
        (
            "birth_info",
            {"date": "2000-02-29", "calendar": "solar"},
            "birth_info",
            {"date": "2000-02-29", "calendar": "solar"},
        ),
        ("life_context", {"stage": "退休"}, "life_context", {"stage": "退休"}),
        ("extracted", [], "extracted", []),
        ("skill_data.bazi", {"luck": None}, "skill_data", {"bazi": {"luck": None}}),
        ("skill_data.tarot", {}, "skill_data", {"bazi": {"day_master": "甲"}, "tarot": {}}),
        ("skill_data.bazi", None, "skill_data", {}),
        ("birth_info", None, "birth_info", None),
        ("life_context", None, "life_context", None),
    ],
)
async def test_saved_user_data_is_whole(
    serving: Serving, ann: Actor, stored: Stored, field: str, value: Any, column: str, left: Any
) -> None:
    """PRO-8: nothing of what stood there before shines through, least of all an hour of birth."""
    await change(serving, ann, FULL)
    async with serving(ann) as profiles:
        await profiles.save_user_data(ann.owner_id, field, value)
    row = await stored(ann)
    assert row is not None
    assert row[column] == left


async def test_context_of_a_user_is_name_bio_and_settings(serving: Serving, ann: Actor) -> None:
    """PRO-5"""
    await change(serving, ann, FULL)
    async with serving(ann) as profiles:
        user = await profiles.get_user_agent_context(ann.owner_id)
    assert (user.user_id, user.username, user.bio) == (ann.user_id, "小雨", "产品经理，喜欢徒步")
    assert isinstance(user.settings, SettingsV2)
    assert user.settings.preferences.ai_language == "en-US"


async def test_context_of_a_user_who_never_wrote_has_defaults(serving: Serving, ann: Actor) -> None:
    """PRO-5"""
    async with serving(ann) as profiles:
        user = await profiles.get_user_agent_context(ann.owner_id)
    assert (user.user_id, user.username, user.bio, user.settings) == (ann.user_id, "", None, SettingsV1())


@pytest.mark.parametrize("name", ["user_id", "username", "bio", "settings", "mood"])
async def test_context_of_a_user_is_frozen(serving: Serving, ann: Actor, name: str) -> None:
    """PRO-5"""
    async with serving(ann) as profiles:
        user = await profiles.get_user_agent_context(ann.owner_id)
    with pytest.raises((FrozenInstanceError, TypeError)):  # the second for a name that it has no slot for
        setattr(user, name, None)


async def test_concurrent_changes_are_all_kept(serving: Serving, ann: Actor, stored: Stored) -> None:
    """PRO-8: also the very first ones, which race to make the row."""
    await asyncio.gather(
        change(serving, ann, {"username": "小雨"}),
        change(serving, ann, {"birth_info": BORN}),
        *(change(serving, ann, {"settings": {"privacy": {f"k{n}": n}}}) for n in range(4)),
        *(change(serving, ann, {"skill_data": {"tarot": {f"k{n}": n}}}) for n in range(4)),
    )
    row = await stored(ann)
    assert row is not None
    assert (row["username"], row["birth_info"]) == ("小雨", BORN)
    assert row["settings"]["privacy"] == row["skill_data"]["tarot"] == {f"k{n}": n for n in range(4)}


async def test_another_users_profile_looks_like_one_never_written(serving: Serving, people: People, ann: Actor) -> None:
    """SEC-1: to a neighbour in the same business and to a stranger of another."""
    await change(serving, ann, FULL)
    neighbour = await people.user(ann.business_id, "bob")
    stranger = await people.user(external_id="ann")
    for other in (neighbour, stranger):
        async with serving(other) as profiles:
            assert await profiles.read(ann.owner_id) == ProfileView(user_id=ann.owner_id, settings=SettingsV1())
            assert (await profiles.get_user_agent_context(ann.owner_id)).username == ""
            assert await profiles.load_profile_fields(ann.owner_id, ["birth_info"]) == {"birth_info": None}


async def test_another_users_profile_cannot_be_changed(
    serving: Serving, people: People, ann: Actor, stored: Stored
) -> None:
    """SEC-1: with the same answer whether or not that user exists."""
    await change(serving, ann, FULL)
    before = await stored(ann)
    neighbour = await people.user(ann.business_id, "bob")
    stranger = await people.user(external_id="ann")
    for other, target in ((neighbour, ann), (stranger, ann), (ann, neighbour)):
        with pytest.raises(ForbiddenError, match="on behalf of its own user only"):
            async with serving(other) as profiles:
                await profiles.change(target.owner_id, {"username": "Mallory"})
        with pytest.raises(ForbiddenError, match="on behalf of its own user only"):
            async with serving(other) as profiles:
                await profiles.save_user_data(target.owner_id, "birth_info", BORN)
    assert await stored(ann) == before
    assert await stored(neighbour) is None


async def test_operator_who_is_no_user_writes_no_profile(serving: Serving, people: People, ann: Actor) -> None:
    """SEC-1"""
    with pytest.raises(ForbiddenError):
        async with serving(people.operator()) as profiles:
            await profiles.change(ann.owner_id, {"username": "Mallory"})
