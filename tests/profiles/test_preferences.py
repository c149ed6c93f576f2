"""Settings: every version reads, unknown ones are named, and lifting loses nothing."""

from typing import Any, Literal, Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tests.kit.arbitrary import JSON, OBJECTS, TEXT
from weft.profiles.errors import ProfileInvalidError, UnknownSettingsVersionError
from weft.profiles.preferences import (
    FAMILY,
    ProfileSettings,
    Settings,
    SettingsFamily,
    SettingsV1,
    SettingsV2,
    parse_profile_settings,
    upgrade_to_latest,
)

DEFAULTS = {
    "interface_language": "zh-CN",
    "ai_language": "zh-CN",
    "timezone": "Asia/Shanghai",
    "country": "CN",
}
KNOWN = {"version", "preferences", "privacy", "notification", "safety", *DEFAULTS}
UNKNOWN = st.dictionaries(TEXT.filter(lambda name: name not in KNOWN), JSON, max_size=3)


NEWER = {"version": 3, "safety": {}, "quiet_hours": "never"}


class SettingsV3(Settings):
    """What a later release would add: one class with one step."""

    version: Literal[3] = 3
    safety: dict[str, Any]
    quiet_hours: str

    @classmethod
    def upgrade_from(cls, previous: Settings) -> Self:
        return cls.model_validate(previous.model_dump(exclude={"version"}) | {"quiet_hours": "22:00-07:00"})


@pytest.mark.parametrize("raw", [None, {}, {"version": 1}])
def test_nothing_or_no_version_reads_as_the_first_with_its_defaults(raw: Any) -> None:
    """PRO-2"""
    assert parse_profile_settings(raw).model_dump() == {
        "version": 1,
        "preferences": DEFAULTS,
        "privacy": {},
        "notification": {},
    }


def test_second_version_is_the_first_and_safety() -> None:
    """PRO-2"""
    first, second = (parse_profile_settings({"version": version}).model_dump() for version in (1, 2))
    assert second == first | {"version": 2, "safety": {}}


@pytest.mark.parametrize(("version", "kind"), [(1, SettingsV1), (2, SettingsV2)])
def test_each_version_reads_as_its_own_kind(version: int, kind: type[Settings]) -> None:
    """PRO-4"""
    raw = {"version": version, "preferences": {"country": "us", "timezone": "America/New_York"}, "privacy": {"a": [1]}}
    settings = parse_profile_settings(raw)
    assert type(settings) is kind
    assert settings.preferences.country == "US"
    assert settings.preferences.ai_language == "zh-CN"
    assert settings.privacy == {"a": [1]}


@pytest.mark.parametrize(
    ("version", "named"),
    [
        (0, "0"),
        (3, "3"),
        (-1, "-1"),
        (99, "99"),
        ("1", "'1'"),
        ("v2", "'v2'"),
        (True, "True"),
        (1.0, "1.0"),
        (2.5, "2.5"),
        (None, "None"),
        ([1], "[1]"),
        ({"major": 1}, "{'major': 1}"),
        ("\ud800", r"'\ud800'"),
    ],
)
def test_unknown_version_is_an_error_that_names_it(version: Any, named: str) -> None:
    """PRO-2: never a silent default, and what merely equals a version is none."""
    with pytest.raises(UnknownSettingsVersionError) as refused:
        parse_profile_settings({"version": version})
    assert refused.value.detail == f"settings.version is {named}; this Weft knows versions 1, 2"
    assert refused.value.field == "settings.version"
    assert refused.value.code == "unknown_settings_version"


def test_unknown_version_is_named_briefly() -> None:
    """PRO-2"""
    with pytest.raises(UnknownSettingsVersionError) as refused:
        parse_profile_settings({"version": "9" * 100_000})
    assert len(refused.value.detail) < 200


@pytest.mark.parametrize("raw", [[], "settings", 1, True, [1, 2]])
def test_settings_that_are_no_object_are_refused(raw: Any) -> None:
    """PRO-2"""
    with pytest.raises(ProfileInvalidError, match="settings: must be an object, not a ") as refused:
        parse_profile_settings(raw)
    assert refused.value.field == "settings"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("field", "value", "example"),
    [
        ("interface_language", "zh_CN", "'zh-CN'"),
        ("ai_language", "chn", "'en-US'"),
        ("timezone", "GMT+8", "'Asia/Shanghai'"),
        ("country", "CHN", "'CN'"),
        ("country", 86, "'CN'"),
        ("timezone", None, "'Asia/Shanghai'"),
    ],
)
def test_wrong_preference_is_told_with_field_value_and_example(
    version: int, field: str, value: Any, example: str
) -> None:
    """PRO-3"""
    with pytest.raises(ProfileInvalidError) as refused:
        parse_profile_settings({"version": version, "preferences": {field: value}})
    assert refused.value.field == f"settings.preferences.{field}"
    assert refused.value.detail.startswith(f"settings.preferences.{field}: {value!r} is not ")
    assert example in refused.value.detail


@pytest.mark.parametrize("field", ["preferences", "privacy", "notification", "safety"])
@pytest.mark.parametrize("value", [[], "text", 1, None])
def test_part_that_is_no_object_is_refused(field: str, value: Any) -> None:
    """PRO-2"""
    with pytest.raises(ProfileInvalidError) as refused:
        parse_profile_settings({"version": 2, field: value})
    assert refused.value.field == f"settings.{field}"


@pytest.mark.parametrize(
    ("raw", "field", "told"),
    [
        ({"privacy": {"note": "a\x00"}}, "settings.privacy.note", "a NUL character"),
        ({"notification": {"to": ["ok", "\ud83d"]}}, "settings.notification.to[1]", "half of a surrogate pair"),
        ({"theme": {"size": float("nan")}}, "settings.theme.size", "not a finite number"),
        ({"theme": {"size": 2**70}}, "settings.theme.size", "more than 64 bits"),
        ({"preferences": {"nick\x00": 1}}, "settings.preferences", "a key that contains a NUL"),
    ],
)
def test_what_cannot_be_stored_is_told_with_its_path(raw: Any, field: str, told: str) -> None:
    """PRO-2: in fields that are known and in fields that are not."""
    with pytest.raises(ProfileInvalidError) as refused:
        parse_profile_settings(raw)
    assert refused.value.field == field
    assert told in refused.value.detail


def test_too_deep_settings_are_refused_without_recursion() -> None:
    """PRO-2"""
    deep: Any = "leaf"
    for _ in range(50_000):
        deep = {"in": deep}
    with pytest.raises(ProfileInvalidError, match="nested more than 32 levels"):
        parse_profile_settings({"privacy": deep})


@given(UNKNOWN, UNKNOWN, OBJECTS, OBJECTS)
@settings(max_examples=60)
def test_upgrade_loses_no_field_it_does_not_know(
    beside: dict[str, Any], inside: dict[str, Any], privacy: dict[str, Any], notification: dict[str, Any]
) -> None:
    """PRO-4: at no level, whatever the field holds."""
    raw = {"version": 1, "preferences": inside, "privacy": privacy, "notification": notification, **beside}
    lifted = upgrade_to_latest(parse_profile_settings(raw))
    assert isinstance(lifted, SettingsV2)
    assert lifted.model_dump(mode="json") == raw | {
        "version": 2,
        "preferences": DEFAULTS | inside,
        "safety": {},
    }


@given(UNKNOWN, st.sampled_from([1, 2]))
@settings(max_examples=40)
def test_what_is_written_reads_back_the_same(beside: dict[str, Any], version: int) -> None:
    """PRO-4"""
    settings = parse_profile_settings({"version": version, **beside})
    assert parse_profile_settings(settings.model_dump(mode="json")) == settings


def test_newest_version_is_lifted_to_itself() -> None:
    """PRO-4"""
    settings = parse_profile_settings({"version": 2, "safety": {"adult": False}})
    assert upgrade_to_latest(settings) == settings


def test_field_that_a_newer_version_claims_is_kept_where_it_fits() -> None:
    """PRO-4: `safety` in version 1 is a field nobody knows; in version 2 it has a meaning."""
    settings = parse_profile_settings({"version": 1, "safety": {"adult": False}})
    assert upgrade_to_latest(settings).model_dump()["safety"] == {"adult": False}


def test_field_that_a_newer_version_claims_is_told_where_it_does_not_fit() -> None:
    """PRO-4: an error for the caller, not a crash."""
    settings = parse_profile_settings({"version": 1, "safety": "always"})
    with pytest.raises(ProfileInvalidError) as refused:
        upgrade_to_latest(settings)
    assert refused.value.field == "settings.safety"


@pytest.mark.parametrize("raw", [None, {"version": 1}, {"version": 2, "safety": {"adult": False}}])
def test_third_version_takes_one_class_and_one_step(raw: Any) -> None:
    """PRO-4: settings of every earlier version arrive in it, step by step, with what they held."""
    family = SettingsFamily(SettingsV1, SettingsV2, SettingsV3)
    settings = family.parse(None if raw is None else raw | {"theme": "dark", "preferences": {"country": "jp"}})
    lifted = family.upgrade(settings)
    assert isinstance(lifted, SettingsV3)
    assert lifted.quiet_hours == "22:00-07:00"
    assert lifted.model_dump(exclude={"version", "quiet_hours", "safety"}) == settings.model_dump(
        exclude={"version", "safety"}
    )
    assert lifted.safety == settings.model_dump().get("safety", {})
    assert family.parse(lifted.model_dump(mode="json")) == lifted


def test_third_version_is_unknown_until_it_is_added() -> None:
    """PRO-2"""
    with pytest.raises(UnknownSettingsVersionError, match="is 3; this Weft knows versions 1, 2"):
        FAMILY.parse(NEWER)
    assert SettingsFamily(SettingsV1, SettingsV2, SettingsV3).parse(NEWER).version == 3


@pytest.mark.parametrize("version", range(1, FAMILY.latest + 1))
def test_api_knows_every_version_that_the_family_knows(version: int) -> None:
    """PRO-2: one list of versions serves both."""
    adapter: TypeAdapter[Any] = TypeAdapter(ProfileSettings)
    assert adapter.validate_python({"version": version}) == FAMILY.parse({"version": version})


def test_settings_are_frozen() -> None:
    """PRO-5"""
    settings = parse_profile_settings(None)
    with pytest.raises(ValidationError, match="frozen"):
        settings.preferences.country = "US"
    with pytest.raises(ValidationError, match="frozen"):
        settings.version = 2
