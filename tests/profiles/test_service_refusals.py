"""Bad input to a profile: a clear error with the place, and a row that stays as it was."""

from typing import Any

import orjson
import pytest

from tests.profiles.conftest import FACT, FULL, Serving, Stored, change
from weft.kit.actor import Actor
from weft.kit.errors import CallerError
from weft.profiles.errors import (
    ProfileInvalidError,
    ProfileTooLargeError,
    UnknownProfileFieldError,
    UnknownSettingsVersionError,
    UnknownSkillError,
)
from weft.profiles.service import MAX_SETTINGS_BYTES, MAX_SKILL_DATA_BYTES

DEEP: Any = "leaf"
for _ in range(2_000):
    DEEP = {"in": DEEP}

BAD: list[tuple[dict[str, Any], type[CallerError], str, str]] = [
    ({"username": "a\x00"}, ProfileInvalidError, "username", "a NUL character"),
    ({"username": "\ud83d"}, ProfileInvalidError, "username", "half of a surrogate pair"),
    ({"username": "雨" * 256}, ProfileInvalidError, "username", "at most 255"),
    ({"username": 5}, ProfileInvalidError, "username", "valid string"),
    ({"username": {"first": "Ann"}}, ProfileInvalidError, "username", "valid string"),
    ({"bio": "a\udfff"}, ProfileInvalidError, "bio", "half of a surrogate pair"),
    ({"bio": "长" * 4001}, ProfileInvalidError, "bio", "at most 4000"),
    ({"settings": "dark"}, ProfileInvalidError, "settings", "must be an object, not a str"),
    ({"settings": {"version": 3}}, UnknownSettingsVersionError, "settings.version", "is 3; this Weft knows"),
    ({"settings": {"version": "2"}}, UnknownSettingsVersionError, "settings.version", "is '2'"),
    ({"settings": {"preferences": {"timezone": "CST"}}}, ProfileInvalidError, "settings.preferences.timezone", "'CST'"),
    ({"settings": {"preferences": {"country": "CHN"}}}, ProfileInvalidError, "settings.preferences.country", "'CHN'"),
    ({"settings": {"preferences": []}}, ProfileInvalidError, "settings.preferences", "Preferences"),
    ({"settings": {"safety": "always"}}, ProfileInvalidError, "settings.safety", "valid dictionary"),
    ({"settings": {"privacy": {"note": "a\x00"}}}, ProfileInvalidError, "settings.privacy.note", "a NUL character"),
    ({"settings": {"a\x00": 1}}, ProfileInvalidError, "settings", "a key that contains a NUL"),
    ({"settings": {"privacy": {"n": 2**64}}}, ProfileInvalidError, "settings.privacy.n", "more than 64 bits"),
    ({"settings": {"privacy": {"n": float("inf")}}}, ProfileInvalidError, "settings.privacy.n", "not a finite number"),
    ({"settings": {"privacy": DEEP}}, ProfileInvalidError, "settings.privacy.in", "nested more than 32 levels"),
    ({"settings": {"privacy": {"n": "a" * 17_000}}}, ProfileTooLargeError, "settings", "at most 16384 are kept"),
    ({"birth_info": ""}, ProfileInvalidError, "birth_info", "BirthInfo"),
    ({"birth_info": []}, ProfileInvalidError, "birth_info", "BirthInfo"),
    ({"birth_info": False}, ProfileInvalidError, "birth_info", "BirthInfo"),
    ({"birth_info": {"date": "1990-02-30"}}, ProfileInvalidError, "birth_info", "not in the calendar"),
    ({"birth_info": {"place": {"name": "上海"}}}, ProfileInvalidError, "birth_info.place.latitude", "required"),
    ({"life_context": {"hobby": "徒步"}}, ProfileInvalidError, "life_context.hobby", "not permitted"),
    ({"life_context": 0}, ProfileInvalidError, "life_context", "LifeContext"),
    ({"extracted": {}}, ProfileInvalidError, "extracted", "valid list"),
    ({"extracted": [FACT | {"confidence": 2}]}, ProfileInvalidError, "extracted[0].confidence", "less than or equal"),
    ({"skill_data": []}, ProfileInvalidError, "skill_data", "one object per skill"),
    ({"skill_data": {"bazi": 5}}, ProfileInvalidError, "skill_data.bazi", "must be an object, not a int"),
    ({"skill_data": {"bazi": {"day_master": 1}}}, ProfileInvalidError, "skill_data.bazi.day_master", "'string'"),
    ({"skill_data": {"bazi": {"x": "\ud800"}}}, ProfileInvalidError, "skill_data.bazi.x", "half of a surrogate"),
    ({"skill_data": {"bazi": DEEP}}, ProfileInvalidError, "skill_data.bazi.in", "nested more than 32 levels"),
    ({"skill_data": {"tarot": {"x": "a" * 66_000}}}, ProfileTooLargeError, "skill_data.tarot", "at most 65536"),
    ({"skill_data": {"zodiac": {}}}, UnknownSkillError, "skill_data.zodiac", "no skill named 'zodiac'"),
    ({"skill_data": {"../x": {}}}, UnknownSkillError, "skill_data.../x", "no skill named '../x'"),
    ({"user_tier": "gold"}, UnknownProfileFieldError, "user_tier", "'user_tier' is not a profile field"),
    ({"user_id": "me"}, UnknownProfileFieldError, "user_id", "'user_id' is not a profile field"),
    ({"mood": "calm"}, UnknownProfileFieldError, "mood", "'mood' is not a profile field"),
]


@pytest.mark.parametrize(("patch", "kind", "field", "told"), BAD, ids=range(len(BAD)))
async def test_bad_input_is_told_clearly_and_changes_nothing(
    serving: Serving,
    ann: Actor,
    stored: Stored,
    patch: dict[str, Any],
    kind: type[CallerError],
    field: str,
    told: str,
) -> None:
    """PRO-2, PRO-3, PRO-8, SEC-4: not even what was right in the same patch."""
    await change(serving, ann, FULL)
    before = await stored(ann)
    with pytest.raises(kind) as refused:
        await change(serving, ann, {"life_context": {"stage": "转型期"}} | patch)
    assert refused.value.field is not None
    assert refused.value.field.startswith(field)
    assert told in refused.value.detail
    assert len(refused.value.detail) < 500
    assert refused.value.detail.encode()
    assert await stored(ann) == before


async def test_bad_first_write_leaves_no_row(serving: Serving, ann: Actor, stored: Stored) -> None:
    """PRO-3"""
    with pytest.raises(ProfileInvalidError):
        await change(serving, ann, {"settings": {"preferences": {"country": "zz"}}})
    assert await stored(ann) is None


@pytest.mark.parametrize(
    ("part", "limit", "written"),
    [
        ("settings", MAX_SETTINGS_BYTES, lambda note: {"settings": {"privacy": {"note": note}}}),
        ("skill_data.tarot", MAX_SKILL_DATA_BYTES, lambda note: {"skill_data": {"tarot": {"note": note}}}),
    ],
)
@pytest.mark.parametrize("letter", ["a", "长"])
async def test_part_may_fill_its_limit_and_no_byte_more(
    serving: Serving, ann: Actor, stored: Stored, part: str, limit: int, written: Any, letter: str
) -> None:
    """SEC-4: bytes as JSON, of the whole part as it would be stored."""

    async def size() -> int:
        held = await stored(ann) or {}
        return len(orjson.dumps(held["settings"] if part == "settings" else held["skill_data"]["tarot"]))

    await change(serving, ann, written(""))
    letters, rest = divmod(limit - await size(), len(letter.encode()))
    await change(serving, ann, written(letter * letters + "a" * rest))
    assert await size() == limit
    with pytest.raises(ProfileTooLargeError, match=f"{part}: would be {limit + 1} bytes as JSON; at most {limit}"):
        await change(serving, ann, written(letter * letters + "a" * (rest + 1)))
    assert await size() == limit


async def test_many_small_writes_reach_the_limit_too(serving: Serving, ann: Actor) -> None:
    """SEC-4"""
    note = "a" * (MAX_SETTINGS_BYTES // 2)
    await change(serving, ann, {"settings": {"privacy": {"one": note}}})
    with pytest.raises(ProfileTooLargeError):
        await change(serving, ann, {"settings": {"privacy": {"two": note}}})


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [
        ("settings", {}, UnknownProfileFieldError),
        ("username", "Ann", UnknownProfileFieldError),
        ("skill_data", {}, UnknownProfileFieldError),
        ("skill_data.zodiac", {}, UnknownSkillError),
        ("skill_data.bazi", {"day_master": 1}, ProfileInvalidError),
        ("skill_data.bazi", {"x": "\x00"}, ProfileInvalidError),
        ("skill_data.tarot", {"x": "a" * 66_000}, ProfileTooLargeError),
        ("birth_info", {"date": "1990-05-17"}, ProfileInvalidError),
        ("birth_info", "1990-05-17", ProfileInvalidError),
        ("extracted", [{"fact": "x"}], ProfileInvalidError),
    ],
)
async def test_bad_user_data_is_refused_and_changes_nothing(
    serving: Serving, ann: Actor, stored: Stored, field: str, value: Any, kind: type[CallerError]
) -> None:
    """PRO-8"""
    await change(serving, ann, FULL)
    before = await stored(ann)
    with pytest.raises(kind):
        async with serving(ann) as profiles:
            await profiles.save_user_data(ann.owner_id, field, value)
    assert await stored(ann) == before
