"""The data block: a heading of ours and one line of JSON; and fields as they may stand in it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.context.attacks import ATTACKS
from tests.kit.arbitrary import ANY_TEXT
from weft.context.data_block import (
    MAX_FIELD_CHARACTERS,
    clean_field,
    data_block,
    written_length,
    written_within,
)


def without_halves(text: str) -> str:
    return "".join("\ufffd" if 0xD800 <= ord(character) <= 0xDFFF else character for character in text)


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_attack_in_a_key_or_a_nested_value_stays_data(attack: str) -> None:
    """SAFE-5"""
    block = data_block("USER_PROFILE", {attack: [attack, {"in": attack}]})
    heading, line = block.splitlines()
    assert heading == "# USER_PROFILE (JSON)"
    whole = without_halves(attack)
    assert json.loads(line) == {whole: [whole, {"in": whole}]}


def test_corpus_is_large_and_has_both_languages() -> None:
    """SAFE-5"""
    assert len(set(ATTACKS)) == len(ATTACKS) >= 60
    assert sum(any("\u4e00" <= letter <= "\u9fff" for letter in attack) for attack in ATTACKS) >= 15


@given(ANY_TEXT | st.text(min_size=500, max_size=600))
def test_field_is_stripped_and_cut(text: str) -> None:
    """SAFE-2"""
    cleaned = clean_field(text)
    assert len(cleaned) <= MAX_FIELD_CHARACTERS == 512
    assert cleaned == cleaned.strip()
    assert text.strip().startswith(cleaned)
    assert clean_field(cleaned) == cleaned


@given(ANY_TEXT | st.text(max_size=400), st.integers(0, 300))
def test_text_is_held_to_what_it_is_written_in(text: str, most: int) -> None:
    """SAFE-2: the longest beginning that has room; an escape counts for what it takes, so that nothing swells."""
    kept = written_within(text, most)
    assert text.startswith(kept)
    assert written_length(kept) <= most
    assert kept == text or written_length(text[: len(kept) + 1]) > most


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  小雨 \n", "小雨"),
        ("\u3000小雨\u3000", "小雨"),
        (" \t\n", ""),
        ("长" * 512, "长" * 512),
        ("长" * 513, "长" * 512),
        (" " * 600 + "长", "长"),
        ("长" * 511 + " 长", "长" * 511),
    ],
)
def test_field_is_cut_after_it_is_stripped(text: str, cleaned: str) -> None:
    """SAFE-2"""
    assert clean_field(text) == cleaned
