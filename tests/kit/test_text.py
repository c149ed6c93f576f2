"""What PostgreSQL could not hold is refused with a place and a reason; everything else passes untouched."""

import tracemalloc
from typing import Annotated, Any

import orjson
import pytest
from hypothesis import given, settings
from pydantic import TypeAdapter, ValidationError

from tests.kit.arbitrary import ANY_TEXT, JSON, TEXT
from weft.kit.text import (
    MAX_JSON_DEPTH,
    StorableText,
    UnstorableError,
    check_storable,
    check_storable_json,
    replace_unstorable,
    shown_path,
)


def nested(levels: int, *, by: str) -> Any:
    value: Any = "leaf"
    for _ in range(levels):
        value = [value] if by == "list" else {"in": value}
    return value


@given(TEXT)
def test_storable_text_passes_unchanged(text: str) -> None:
    """SEC-4"""
    assert check_storable(text) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\x00", "a NUL character (U+0000) at position 0"),
        ("小雨\x00", "a NUL character (U+0000) at position 2"),
        ("ab\ud83d", "half of a surrogate pair (U+D83D) at position 2"),
        ("\udfffa", "half of a surrogate pair (U+DFFF) at position 0"),
    ],
)
def test_unstorable_text_is_refused_with_character_and_position(text: str, told: str) -> None:
    """SEC-4"""
    with pytest.raises(ValueError, match="remove it") as refused:
        check_storable(text)
    assert told in str(refused.value)


def test_storable_text_as_a_field_tells_pydantic() -> None:
    """SEC-4"""
    adapter: TypeAdapter[str] = TypeAdapter(Annotated[StorableText, "a field"])
    assert adapter.validate_python("好") == "好"
    with pytest.raises(ValidationError, match="NUL"):
        adapter.validate_python("a\x00")


@given(ANY_TEXT)
def test_what_is_echoed_can_always_be_written(text: str) -> None:
    """SEC-4: and text that could be stored is echoed as it is."""
    echoed = replace_unstorable(text)
    assert check_storable(echoed) == echoed
    assert len(echoed) == len(text)
    assert orjson.dumps(echoed)
    assert all(mine == theirs for mine, theirs in zip(echoed, text, strict=True) if mine != "\ufffd")


@given(JSON)
@settings(max_examples=60)
def test_storable_json_passes_unchanged_and_can_be_written(value: Any) -> None:
    """SEC-4"""
    assert check_storable_json(value) is value
    assert orjson.loads(orjson.dumps(value)) == value


@pytest.mark.parametrize(
    ("value", "path", "problem"),
    [
        ("a\x00", (), "NUL"),
        ({"a": {"b": ["x", "\x00"]}}, ("a", "b", 1), "NUL"),
        ({"a": [{"b": "\ud800"}]}, ("a", 0, "b"), "half of a surrogate pair"),
        ({"a": {"k\x00": 1}}, ("a",), "has a key that contains a NUL"),
        ({"\udc00": 1}, (), "has a key that contains half of a surrogate pair"),
        ({"a": {1: "x"}}, ("a",), "has a key that is a int; keys are text"),
        ([float("nan")], (0,), "JSON has no nan"),
        ({"a": float("inf")}, ("a",), "JSON has no inf"),
        ({"a": -float("inf")}, ("a",), "JSON has no -inf"),
        ({"a": 2**64}, ("a",), "more than 64 bits"),
        ([-(2**63) - 1], (0,), "more than 64 bits"),
        ([10**5000], (0,), "more than 64 bits"),
    ],
)
def test_unstorable_json_is_refused_with_its_place(value: Any, path: tuple[str | int, ...], problem: str) -> None:
    """SEC-4"""
    with pytest.raises(UnstorableError) as refused:
        check_storable_json(value)
    assert refused.value.path == path
    assert problem in refused.value.problem
    assert str(refused.value).startswith(shown_path(path) or "value")


@pytest.mark.parametrize("by", ["list", "dict"])
def test_nesting_stops_at_its_limit(by: str) -> None:
    """SEC-4: one level less passes; a hundred thousand more are refused as quickly, without recursion."""
    deepest = nested(MAX_JSON_DEPTH, by=by)
    assert check_storable_json(deepest) is deepest
    for levels in (MAX_JSON_DEPTH + 1, 100_000):
        with pytest.raises(UnstorableError, match=f"nested more than {MAX_JSON_DEPTH} levels deep; flatten it"):
            check_storable_json(nested(levels, by=by))


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b", 0, "c"], "a.b[0].c"),
        ([0, 1], "[0][1]"),
        (["a\x00", "\ud800"], "a\ufffd.\ufffd"),
    ],
)
def test_path_is_written_as_a_caller_would(path: list[str | int], written: str) -> None:
    """SEC-4"""
    assert shown_path(path) == written


@pytest.mark.parametrize("path", [["k" * 100_000], ["k"] * 100_000, ["k" * 60] * 3])
def test_path_from_outside_cannot_flood_an_error(path: list[str | int]) -> None:
    """SEC-4"""
    assert len(shown_path(path)) <= 121


def test_long_keys_over_many_values_cost_no_memory() -> None:
    """SEC-4: a body of a few hundred kilobytes must not become gigabytes of paths."""
    value = {"k" * 200_000: list(range(20_000))}
    tracemalloc.start()
    try:
        check_storable_json(value)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
