"""Finds the JSON object in what a model wrote: between code fences, amid prose, with a comma too many."""

import json
import re
from collections.abc import Iterator
from typing import Any

LONGEST = 1 << 20
MOST_TRIES = 64  # places at which an object may begin

_FENCED = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]++|\\.)*+(?P<end>")?|,(?=\s*[}\]])', re.DOTALL)
_COMMA = re.compile(r",(?=\s*[}\]])")


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object that stands in a text by itself, the likeliest first; nothing is ever evaluated.

    First the whole text, then what stands in code fences, then each brace that begins an object. A comma
    before a closing bracket is forgiven, and so are bare line ends in strings.
    """
    text = text[:LONGEST].strip().removeprefix("\ufeff")
    seen: list[dict[str, Any]] = []
    for part in (text, *_FENCED.findall(text)):
        for value in _whole(part):
            if value not in seen:
                seen.append(value)
                yield value
    for value in _embedded(text):
        if value not in seen:
            seen.append(value)
            yield value


def loads(text: str) -> Any:
    """JSON as a model writes it; of a field given twice the first text counts. Raises ValueError."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError:
        repaired = _without_trailing_commas(text)
        if repaired == text:
            raise
    try:
        return _DECODER.decode(repaired)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _whole(text: str) -> Iterator[dict[str, Any]]:
    try:
        value = loads(text)
    except ValueError:
        return
    values = value if isinstance(value, list) else [value]
    if len(values) == 1 and isinstance(values[0], dict):
        yield values[0]


def _embedded(text: str) -> Iterator[dict[str, Any]]:
    clean = _without_trailing_commas(text)
    at = clean.find("{")
    for _ in range(MOST_TRIES):
        if at < 0:
            return
        try:
            value, end = _DECODER.raw_decode(clean, at)
        except (ValueError, RecursionError):
            at = clean.find("{", at + 1)
            continue
        if isinstance(value, dict):
            yield value
        at = clean.find("{", end)


def _without_trailing_commas(text: str) -> str:
    return _STRING_OR_COMMA.sub(_as_it_should_be, text)


def _as_it_should_be(found: re.Match[str]) -> str:
    if found[0] == ",":
        return ""
    # Where one string has no end none after it has: the rest is looked through once, and not from each of its quotes.
    return found[0] if found["end"] else _COMMA.sub("", found[0])


def _first_text_counts(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # The first text of a field may have been shown already while it was written.
    value: dict[str, Any] = {}
    for name, inner in pairs:
        if not isinstance(value.get(name), str):
            value[name] = inner
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_first_text_counts, parse_constant=_no_constant, strict=False)
