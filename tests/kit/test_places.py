"""Languages, zones and countries: exactly what the published tables hold."""

import zoneinfo
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from weft.kit.places import Country, Language, Timezone, check_country, check_language, check_timezone

CHECKS = [check_language, check_timezone, check_country]
EXAMPLES = {check_language: "zh-CN", check_timezone: "Asia/Shanghai", check_country: "CN"}
NOT_OF_IANA = {"localtime"}  # a machine's own link, which Python lists where it is there


def iso_codes() -> set[str]:
    table = (files("tzdata") / "zoneinfo" / "iso3166.tab").read_text(encoding="utf-8")
    return {line[:2] for line in table.splitlines() if not line.startswith("#")}


@pytest.mark.parametrize(
    "tag",
    ["zh-CN", "zh-Hans-CN", "en-US", "ja-JP", "zh", "zh-TW", "zh-Hant-HK", "yue-HK", "sr-Latn-RS", "fil", "pt-BR"],
)
def test_language_with_locale_data_passes_unchanged(tag: str) -> None:
    """PRO-3"""
    assert check_language(tag) == tag


@pytest.mark.parametrize(
    "tag",
    [
        *["zh_CN", "EN", "", "z", "zh-cn", "ZH-CN", "zh-hans-CN", "zh-CN-Hans", "zh-CN-x-private", "en-US-posix"],
        *["root", "english", "en ", " en", "en-US\n", "zh-CN\x00", "de_DE@euro", "../en", "еn"],
        *["chn", "xx", "zz-ZZ", "en-XX", "zh-US"],
    ],
)
def test_any_other_language_is_refused(tag: str) -> None:
    """PRO-3: the wrong shape (one has a Cyrillic letter), or the right one of which CLDR knows nothing."""
    with pytest.raises(ValueError, match="language tag"):
        check_language(tag)


@pytest.mark.parametrize("name", sorted(zoneinfo.available_timezones() - NOT_OF_IANA))
def test_zone_of_iana_passes_unchanged(name: str) -> None:
    """PRO-3"""
    assert check_timezone(name) == name


@pytest.mark.parametrize(
    "name",
    [
        *["CST", "GMT+8", "UTC+8", "+08:00", "localtime", "posixrules", "", " ", "Asia", "asia/shanghai"],
        *[
            "Asia/Beijing",
            "China Standard Time",
            "Asia/Shanghai ",
            "Asia/Shanghai\n",
            "Asia/Shanghai\x00",
            "Аsia/Tokyo",
        ],
        *["../etc/passwd", "/etc/localtime", "Asia/../Asia/Shanghai", "./UTC", "posix/UTC", "right/UTC", "zone.tab"],
    ],
)
def test_any_other_zone_is_refused(name: str) -> None:
    """PRO-3: abbreviations, offsets, files of the database that are no zones, ways out of its folder."""
    with pytest.raises(ValueError, match="IANA time zone"):
        check_timezone(name)


def test_there_are_exactly_249_countries() -> None:
    """PRO-3: what ISO 3166-1 has assigned, no more and no less."""
    two_letters = [first + second for first in map(chr, range(65, 91)) for second in map(chr, range(65, 91))]
    accepted = {code for code in two_letters if is_accepted(check_country, code)}
    assert accepted == iso_codes()
    assert len(accepted) == 249


@pytest.mark.parametrize(("code", "stored"), [("CN", "CN"), ("cn", "CN"), ("Us", "US"), ("tw", "TW"), ("gB", "GB")])
def test_country_is_stored_in_upper_case(code: str, stored: str) -> None:
    """PRO-3"""
    assert check_country(code) == stored


@pytest.mark.parametrize("code", ["CHN", "zz", "", "C", "EU", "UK", "XK", "AA", "156", "CN ", "CN\n", "中国", "ＣＮ"])
def test_any_other_country_is_refused(code: str) -> None:
    """PRO-3"""
    with pytest.raises(ValueError, match="country code"):
        check_country(code)


@pytest.mark.parametrize("code", ["ß", "ﬁ", "ſk", "ĸ", "ﬆ", "ſe"])
def test_country_that_only_upper_case_would_make_one_is_refused(code: str) -> None:
    """PRO-3: 'ß'.upper() is 'SS', which is South Sudan."""
    with pytest.raises(ValueError, match="country code"):
        check_country(code)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("value", ["nowhere", None, 8, True, 1.5, ["zh-CN"], {"a": 1}, b"CN", "\ud800"])
def test_error_names_the_value_and_an_example_that_passes(check: Callable[[Any], str], value: Any) -> None:
    """PRO-3"""
    with pytest.raises(ValueError, match="write for example") as refused:
        check(value)
    assert str(refused.value).startswith(repr(value))
    assert repr(EXAMPLES[check]) in str(refused.value)
    assert check(EXAMPLES[check]) == EXAMPLES[check]


@pytest.mark.parametrize("check", CHECKS)
def test_error_stays_short_whatever_it_was_given(check: Callable[[Any], str]) -> None:
    """PRO-3"""
    with pytest.raises(ValueError, match="write for example") as refused:
        check("长" * 100_000)
    assert len(str(refused.value)) < 200


def test_error_names_the_field() -> None:
    """PRO-3: each value of a model is told by its own name, in one answer."""

    class Home(BaseModel):
        language: Language
        timezone: Timezone
        country: Country

    with pytest.raises(ValidationError) as refused:
        Home.model_validate({"language": "zh_CN", "timezone": "CST", "country": 86})
    told = {problem["loc"]: problem["msg"] for problem in refused.value.errors()}
    assert set(told) == {("language",), ("timezone",), ("country",)}
    assert "'zh_CN'" in told["language",]
    assert "'CST'" in told["timezone",]
    assert "86" in told["country",]


@given(st.text())
def test_text_of_any_kind_is_accepted_or_refused_and_never_breaks(text: str) -> None:
    """PRO-3: and what a zone or a country accepts stands in its table."""
    assert not is_accepted(check_language, text) or text.replace("-", "").isalpha()
    assert not is_accepted(check_timezone, text) or text in zoneinfo.available_timezones()
    assert not is_accepted(check_country, text) or text.upper() in iso_codes()


def is_accepted(check: Callable[[Any], str], value: str) -> bool:
    try:
        check(value)
    except ValueError:
        return False
    return True
