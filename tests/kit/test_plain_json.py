"""JSON for a reader who may act on what it reads: one line that reads back as it was, and in which nothing hides."""

import json
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.arbitrary import ANY_TEXT, JSON
from weft.kit.plain_json import compact_json

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# What Unicode calls default-ignorable and does not class as control, format or unassigned; and an empty Braille cell.
IGNORABLE = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, *range(0xFE00, 0xFE10)}
IGNORABLE |= {0xFFA0, *range(0xE0100, 0xE01F0)}
EVERY_CHARACTER = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]


def is_dangerous(character: str) -> bool:
    return character in "<>`" or ord(character) in IGNORABLE or unicodedata.category(character) in HIDDEN


def without_halves(text: str) -> str:
    return "".join("\ufffd" if 0xD800 <= ord(character) <= 0xDFFF else character for character in text)


def test_every_dangerous_character_of_unicode_is_escaped_and_no_other() -> None:
    """SAFE-2: all of them; what is escaped reads back, also beyond the first plane."""
    everything = "".join(EVERY_CHARACTER)
    written = compact_json(everything)
    assert set(written) == {character for character in EVERY_CHARACTER if not is_dangerous(character)}
    assert json.loads(written) == everything


@given(ANY_TEXT)
def test_text_stands_on_one_line_and_reads_back(text: str) -> None:
    """SAFE-2"""
    written = compact_json({"bio": text})
    assert len(written.splitlines()) == 1
    assert not any(is_dangerous(character) for character in written)
    assert json.loads(written) == {"bio": without_halves(text)}


@given(JSON)
@settings(max_examples=60)
def test_any_value_reads_back(value: Any) -> None:
    """SAFE-1: keys are escaped like values."""
    written = compact_json(value)
    assert json.loads(written) == value
    assert not any(is_dangerous(character) for character in written)


@given(st.text(st.sampled_from('[]/"\\,:{}AIinstu_0123456789.e+- <')))
def test_bracketed_words_never_break_the_json(text: str) -> None:
    """SAFE-2: escaping a bracket touches text only, never an array."""
    value: Any = {text: [text, [True, None, 1.5e100, -0.0, [12], [[]], [text]]]}
    assert json.loads(compact_json(value)) == value


@pytest.mark.parametrize(
    "marker", ["[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[gMASK]", "[TOOL_CALLS]", "[UNUSED_TOKEN_1]"]
)
def test_bracketed_control_token_is_broken_up(marker: str) -> None:
    """SAFE-2: some local models read these as the end of the user's turn."""
    written = compact_json({"bio": f"a{marker}b"})
    assert marker not in written
    assert json.loads(written) == {"bio": f"a{marker}b"}


@pytest.mark.parametrize("text", ["[1]", "[x]", "[见附件]", "[ INST ]", "a[0]"])
def test_everyday_brackets_stay(text: str) -> None:
    """SAFE-2"""
    assert compact_json(text) == f'"{text}"'


@pytest.mark.parametrize(
    "text",
    [
        "产品经理，喜欢徒步。",
        "「生命」？！",
        "デザイナー",
        "개발자",
        "Ünïcödé",
        "العربية",
        "हिन्दी",
        "😀",
        "50 % & more",
        "a\u3000b",
    ],
)
def test_letters_of_every_language_stay_as_they_are(text: str) -> None:
    """SAFE-2: an escaped Chinese character costs several times its tokens."""
    assert compact_json({"bio": text}) == f'{{"bio":"{text}"}}'


@pytest.mark.parametrize(
    ("character", "written"),
    [
        ("\n", r"\n"),
        ("\x00", r"\u0000"),
        ("\x7f", r"\u007f"),
        ("\x85", r"\u0085"),
        ("<", r"\u003c"),
        (">", r"\u003e"),
        ("`", r"\u0060"),
        ("\u200b", r"\u200b"),
        ("\u202e", r"\u202e"),
        ("\u2028", r"\u2028"),
        ("\ufe0f", r"\ufe0f"),
        ("\u3040", r"\u3040"),
        ("\U000e0041", r"\udb40\udc41"),
        ("\U0010ffff", r"\udbff\udfff"),
        ("\ud83d", "\ufffd"),
    ],
)
def test_escape_is_json_own(character: str, written: str) -> None:
    """SAFE-2: any reader of JSON undoes it; half of a surrogate pair, which is no text, becomes U+FFFD."""
    assert compact_json(f"a{character}b") == f'"a{written}b"'
