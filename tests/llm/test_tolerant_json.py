"""A JSON object is found in whatever a model wrote around it, and nothing is made up."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.endless import assert_quick
from weft.llm.tolerant_json import loads, objects_in

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT | st.sampled_from(["a,}", "```", ',"]', "\\"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, VALUES, min_size=1, max_size=4)


@given(OBJECTS, st.sampled_from([None, 2]), st.booleans(), st.sampled_from(["{}", "```json\n{}\n```", "Here: {} done"]))
def test_an_object_is_found_unchanged(value: dict[str, Any], indent: int | None, ascii_only: bool, around: str) -> None:
    """FLOW-3: fences and prose are peeled off; commas inside texts stay."""
    written = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert next(objects_in(around.replace("{}", written)), None) == value


@given(OBJECTS)
def test_a_comma_too_many_is_forgiven(value: dict[str, Any]) -> None:
    """FLOW-3: ahead of a closing bracket, never inside a text."""
    written = json.dumps(value)
    assert next(objects_in(written[:-1] + " ,\n}")) == value


@given(st.text(max_size=120))
def test_nothing_can_break_it(text: str) -> None:
    """FLOW-3: whatever a model writes."""
    assert all(isinstance(each, dict) for each in objects_in(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("no object", []),
        ("[1, 2]", []),
        ('"{}"', [{}]),
        ("{'single': 'quotes'}", []),
        ("{a: 1}", []),
        ('{"a": NaN}', []),
        ('{"a": __import__("os")}', []),
        ('{"a": 1} {"a": 2}', [{"a": 1}, {"a": 2}]),
        ('{"a": 1, "a": "x", "a": "y"}', [{"a": "x"}]),
        ('{"a": {"b": 1}', [{"b": 1}]),
        ("{" * 5000, []),
        ('{"a":' * 5000, []),
        ("[" * 100_000, []),
    ],
)
def test_what_is_taken_and_what_is_not(text: str, expected: list[Any]) -> None:
    """FLOW-3: no guessing, no evaluation, no crash on depth."""
    assert list(objects_in(text)) == expected


def test_what_is_no_json_is_an_error() -> None:
    """FLOW-3: also when it is nested beyond all measure."""
    for text in ("{", "[" * 100_000):
        with pytest.raises(ValueError, match=r"."):
            loads(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1,} and 5" tall', {"a": 1}),
        ('5" tall: {"a": 1,}', {"a": 1}),
        ('{"a": [1, 2,],} said "she', {"a": [1, 2]}),
    ],
)
def test_a_quote_too_many_around_it_hides_nothing(text: str, value: dict[str, Any]) -> None:
    """FLOW-3"""
    assert next(objects_in(text)) == value


def test_an_endless_answer_is_read_in_no_time() -> None:
    """SEC-4: a model that was talked into it must not hold up all the others."""
    assert_quick(lambda text: list(objects_in(text)))
