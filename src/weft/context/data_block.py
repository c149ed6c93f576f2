"""What others wrote enters a prompt here only: as one line of JSON under a heading, never as an instruction."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

import orjson

MAX_FIELD_CHARACTERS = 512

# Letters of every language stay as they are: escaping Chinese more than doubles its tokens. What is written as an
# escape is what a reader cannot see or what could close a fence, a tag or a chat template's marker.
_MARKERS = frozenset("<>`")
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_INVISIBLE_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_PLAIN = re.compile(r"[ !\"#-;=?-_a-~\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7a3\u3001-\u3003\uff01-\uff1f]*")


def _is_dangerous(character: str) -> bool:
    code = ord(character)
    return (
        character in _MARKERS
        or character in _INVISIBLE_LETTERS
        or 0xE0100 <= code <= 0xE01EF  # variation selectors that can carry hidden bytes
        or unicodedata.category(character) in _INVISIBLE_CATEGORIES
    )


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _escape_dangerous(json_text: str) -> str:
    if _PLAIN.fullmatch(json_text):
        return json_text
    return "".join(_escape(character) if _is_dangerous(character) else character for character in json_text)


def clean_field(value: str) -> str:
    """A field as it may enter a block: stripped, and cut to the limit."""
    return value.strip()[:MAX_FIELD_CHARACTERS].rstrip()


def compact_json(value: Any) -> str:
    """One line of JSON that reads back as the same value and in which nothing hides."""
    return _escape_dangerous(orjson.dumps(_replace_surrogates(value)).decode())


def _replace_surrogates(value: Any) -> Any:
    """Half a surrogate pair is not text; what reaches a prompt without having been stored may hold one."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if any("\ud800" <= c <= "\udfff" for c in value) else value
    if isinstance(value, Mapping):
        return {_replace_surrogates(key): _replace_surrogates(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_surrogates(inner) for inner in value]
    return value


def data_block(title: str, values: Mapping[str, Any]) -> str:
    """The heading, and under it the values on a single line; `title` is a word of ours."""
    return f"# {title} (JSON)\n{compact_json(dict(values))}"
