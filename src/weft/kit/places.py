"""Languages, time zones and countries, checked against the published data: CLDR, IANA and ISO 3166-1."""

import re
from functools import cache
from importlib.resources import files
from typing import Annotated

from babel import Locale, UnknownLocaleError
from pydantic import AfterValidator

_LANGUAGE_TAG = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?")


@cache
def _zones() -> frozenset[str]:
    return frozenset((files("tzdata") / "zones").read_text(encoding="utf-8").split())


@cache
def _countries() -> frozenset[str]:
    table = (files("tzdata") / "zoneinfo" / "iso3166.tab").read_text(encoding="utf-8")
    return frozenset(line.split("\t")[0] for line in table.splitlines() if line and not line.startswith("#"))


def _shown(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:40] + "…")


def _has_locale(tag: str) -> bool:
    try:
        Locale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError):
        return False
    return True


def check_language(tag: str) -> str:
    """The tag, if it is well-formed BCP-47 and CLDR has data for it."""
    if _LANGUAGE_TAG.fullmatch(tag) and _has_locale(tag):
        return tag
    message = (
        f"{_shown(tag)} is not a language tag that CLDR has data for; write for example 'zh-CN', 'en-US' or 'ja-JP'"
    )
    raise ValueError(message)


def check_timezone(name: str) -> str:
    """The name, if the IANA database has a zone of that name."""
    if name in _zones():
        return name
    message = f"{_shown(name)} is not an IANA time zone; write for example 'Asia/Shanghai' or 'America/New_York'"
    raise ValueError(message)


def check_country(code: str) -> str:
    """The code in upper case, if ISO 3166-1 has assigned it."""
    upper = code.upper()
    if upper in _countries():
        return upper
    message = f"{_shown(code)} is not an ISO 3166-1 alpha-2 country code; write for example 'CN' or 'US'"
    raise ValueError(message)


Language = Annotated[str, AfterValidator(check_language)]
Timezone = Annotated[str, AfterValidator(check_timezone)]
Country = Annotated[str, AfterValidator(check_country)]
