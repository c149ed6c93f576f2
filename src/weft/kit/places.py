"""Languages, time zones and countries, checked against the published data: CLDR, IANA and ISO 3166-1."""

import re
import reprlib
from importlib.resources import files
from typing import Annotated, Any

from babel import Locale, UnknownLocaleError
from babel.core import get_global
from pydantic import BeforeValidator

# All of it is read with the module: an event loop must not wait for files.
_ZONES = frozenset((files("tzdata") / "zones").read_text(encoding="utf-8").split())
_ISO_3166 = (files("tzdata") / "zoneinfo" / "iso3166.tab").read_text(encoding="utf-8")
_COUNTRIES = frozenset(re.findall(r"^([A-Z]{2})\t", _ISO_3166, re.MULTILINE))
get_global("likely_subtags")

_LANGUAGE_TAG = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?")
_short = reprlib.Repr()
_short.maxstring = _short.maxother = 50
_shown = _short.repr


def _has_locale(tag: str) -> bool:
    try:
        Locale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError):
        return False
    return True


def check_language(tag: Any) -> str:
    """The tag, if it is well-formed BCP-47 and CLDR has data for it."""
    if isinstance(tag, str) and _LANGUAGE_TAG.fullmatch(tag) and _has_locale(tag):
        return tag
    shown = reprlib.repr(tag)
    message = f"{shown} is not a language tag that CLDR has data for; write for example 'zh-CN', 'en-US' or 'ja-JP'"
    raise ValueError(message)


def check_timezone(name: Any) -> str:
    """The name, if the IANA database has a zone of that name."""
    if isinstance(name, str) and name in _ZONES:
        return name
    message = f"{reprlib.repr(name)} is not an IANA time zone; write for example 'Asia/Shanghai' or 'America/New_York'"
    raise ValueError(message)


def check_country(code: Any) -> str:
    """The code in upper case, if ISO 3166-1 has assigned it."""
    if isinstance(code, str) and code.isascii() and code.upper() in _COUNTRIES:
        return code.upper()
    message = f"{reprlib.repr(code)} is not an ISO 3166-1 alpha-2 country code; write for example 'CN' or 'US'"
    raise ValueError(message)


Language = Annotated[str, BeforeValidator(check_language)]
Timezone = Annotated[str, BeforeValidator(check_timezone)]
Country = Annotated[str, BeforeValidator(check_country)]
