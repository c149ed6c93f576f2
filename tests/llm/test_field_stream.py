"""The text field of a structured answer is read while the answer is being written."""

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.llm.field_stream import FieldStream

FIELD = "assistant_text"
KEYS = st.sampled_from([FIELD, "route", "a", 'odd "key"', "{", "assistant_tex", "文"])
# What a text may hold once it is decoded: no half of a surrogate pair.
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=30) | st.sampled_from(
    ["", "你好 🌍 👩‍👩‍👧", 'a "quoted" \\ word', "line\nline\t\x07", '{"assistant_text": "no"}', "\U0001f600" * 3]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def cut(text: str, seed: int) -> list[str]:
    """A text in random pieces, many of them of one character."""
    chance = random.Random(seed)
    pieces = []
    while text:
        size = chance.choice([1, 1, 2, 3, 7, 40])
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def read(pieces: list[str], field: str = FIELD) -> tuple[str, FieldStream]:
    stream = FieldStream(field)
    return "".join(stream.feed(piece) for piece in pieces), stream


@given(
    st.dictionaries(KEYS, VALUES, max_size=5),
    st.booleans(),
    st.sampled_from([None, 1, 4]),
    st.sampled_from(["", "Here it is:\n```json\n", 'He said "so" [1] {}. ']),
    st.integers(0, 1 << 30),
)
def test_it_reads_what_json_reads_whatever_the_cuts(
    value: dict[str, Any], ascii_only: bool, indent: int | None, ahead: str, seed: int
) -> None:
    """FLOW-7: the streamed text is the field's text, escapes and surrogate pairs cut anywhere."""
    written = ahead + json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    text, stream = read(cut(written, seed))
    expected = value.get(FIELD)
    assert text == (expected if isinstance(expected, str) else "")
    assert stream.shown == text
    assert stream.done is isinstance(expected, str)


@given(TEXT, st.integers(0, 1 << 30))
def test_nothing_is_ever_given_that_is_not_the_beginning_of_the_text(text: str, seed: int) -> None:
    """FLOW-7: after every piece, what was given is a beginning of the final text."""
    stream, given_so_far = FieldStream(FIELD), ""
    for piece in cut(json.dumps({"n": 1, FIELD: text}), seed):
        given_so_far += stream.feed(piece)
        assert text.startswith(given_so_far)
    assert given_so_far == text


def test_text_comes_with_the_piece_that_brings_it() -> None:
    """FLOW-7: no piece of text waits for a later one."""
    stream = FieldStream(FIELD)
    pieces = ['{"route":"DIRECT', '","assistant_text":"He', "llo", " wor", 'ld"', ', "x": 1}']
    assert [stream.feed(piece) for piece in pieces] == ["", "He", "llo", " wor", "ld", ""]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('{"assistant_text": "one", "assistant_text": "two"}', "one"),
        ('{"assistant_text": null, "assistant_text": "two"}', "two"),
        ('{"assistant_text": 7, "b": "x", "assistant_text": "two"}', "two"),
        ('{"assistant_text": {"assistant_text": "in"}, "b": ["assistant_text", "x"]}', ""),
        ('{"b": {"assistant_text": "inner"}, "assistant_text": "outer"}', "outer"),
        ('{"b": "assistant_text", "c": ": {", "assistant_text": "late"}', "late"),
        ('[{"assistant_text": "in a list"}]', "in a list"),
        ('{"assistant_text": "cut o', "cut o"),
        ('{"assistant_text": "a\\ud83d"}', "a\ufffd"),
        ('{"assistant_text": "\\ude00\\ud83d\\ud83d\\ude00\\ud83dz"}', "\ufffd\ufffd😀\ufffdz"),
        ('{"assistant_text": "bad \\u12"}', "bad \ufffd"),
        ('{"assistant_text": "two\nlines"}', "two\nlines"),
        ('{"assistant_text": "one"} {"assistant_text": "two"}', "one"),
        ('{"assistant\\u005ftext": "an escaped name"}', "an escaped name"),
        ("no JSON at all: a } and a ]", ""),
        ("", ""),
    ],
)
def test_odd_answers(written: str, expected: str) -> None:
    """FLOW-7: the first text of the field itself, in whatever company."""
    for seed in range(8):
        assert read(cut(written, seed))[0] == expected
