"""JSON for a reader who may act on what it reads: one line, in which nothing hides and no marker stands."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

import orjson

# Letters of every language stay as they are: escaping Chinese more than doubles its tokens. What is written as an
# escape is what a reader cannot see, or what could close a fence, a tag or a chat template's marker.
_MARKERS = frozenset("<>`")
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_INVISIBLE_OTHERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# Everyday characters, known to be harmless: ASCII, Chinese, kana, Hangul and their punctuation. The rest is looked up.
_UNSURE = re.compile(r"[^ !\"#-;=?-_a-~\u3001-\u3003\u3041-\u3096\u309b-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff1f]")
# [INST] and its like: control tokens of some local models. JSON itself never has a capital after a bracket.
_BRACKET_MARKER = re.compile(r"\[(?=/?[a-z_]*[A-Z]\w*\])", re.ASCII)
_HALF_PAIR = re.compile("[\ud800-\udfff]")


def _is_dangerous(character: str) -> bool:
    return (
        character in _MARKERS
        or unicodedata.category(character) in _INVISIBLE_CATEGORIES
        or _INVISIBLE_OTHERS.match(character) is not None
    )


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _escape_if_dangerous(found: re.Match[str]) -> str:
    return _escape(found[0]) if _is_dangerous(found[0]) else found[0]


def _escape_dangerous(json_text: str) -> str:
    return _BRACKET_MARKER.sub(r"\\u005b", _UNSURE.sub(_escape_if_dangerous, json_text))


def _whole_characters(value: Any) -> Any:
    """The value with U+FFFD for half a surrogate pair, which what was never stored may hold."""
    if isinstance(value, str):
        return _HALF_PAIR.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {_whole_characters(key): _whole_characters(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_whole_characters(inner) for inner in value]
    return value


def compact_json(value: Any) -> str:
    """One line of JSON that reads back as the same value and in which nothing hides."""
    return _escape_dangerous(orjson.dumps(_whole_characters(value)).decode())
