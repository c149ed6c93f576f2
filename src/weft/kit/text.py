"""What text must be before Weft stores it: PostgreSQL refuses NUL, and UTF-8 has no lone surrogates."""

import math
import re
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator

MAX_JSON_DEPTH = 32
_INTEGERS = range(-(2**63), 2**64)  # those that our JSON writer can write
_MAX_SHOWN = 120
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

_Path = tuple[str | int, ...]


class UnstorableError(ValueError):
    """Something in a JSON value that JSONB cannot hold: where it stands, and what is wrong with it."""

    def __init__(self, path: _Path, problem: str) -> None:
        super().__init__(f"{shown_path(path) or 'value'} {problem}")
        self.path = path
        self.problem = problem


def check_storable(text: str) -> str:
    """Return the text unchanged, or say which character cannot be stored and where it stands."""
    if (problem := _text_problem(text)) is not None:
        raise ValueError(problem)
    return text


def replace_unstorable(text: str) -> str:
    """The same text with U+FFFD where a character cannot be stored: for echoing what was refused."""
    return _UNSTORABLE.sub("\ufffd", text)


def check_storable_json(value: Any) -> Any:
    """Return a JSON value unchanged, or say where something stands in it that JSONB cannot hold."""
    pending: list[tuple[_Path, Any]] = [((), value)]
    while pending:
        path, part = pending.pop()
        if (problem := _problem(part, depth=len(path))) is not None:
            raise UnstorableError(path, problem)
        if isinstance(part, dict):
            pending.extend(((*path, key), inner) for key, inner in part.items())
        elif isinstance(part, list):
            pending.extend(((*path, index), inner) for index, inner in enumerate(part))
    return value


def shown_path(path: Iterable[str | int]) -> str:
    """Where a value stands, as a caller would write it; keys come from outside, so it is cut where it grows long."""
    written = ""
    for step in path:
        if isinstance(step, int):
            written += f"[{step}]"
        else:
            written += ("." if written else "") + replace_unstorable(step[:_MAX_SHOWN])
        if len(written) > _MAX_SHOWN:
            return written[:_MAX_SHOWN] + "…"
    return written


def _text_problem(text: str) -> str | None:
    if found := _UNSTORABLE.search(text):
        name = "a NUL character" if found[0] == "\x00" else "half of a surrogate pair"
        return f"contains {name} (U+{ord(found[0]):04X}) at position {found.start()}; remove it"
    return None


def _problem(part: Any, *, depth: int) -> str | None:
    if depth > MAX_JSON_DEPTH:
        return f"is nested more than {MAX_JSON_DEPTH} levels deep; flatten it"
    match part:
        case str():
            return _text_problem(part)
        case dict():
            return _key_problem(part)
        case float() if not math.isfinite(part):
            return f"is not a finite number; JSON has no {part}"
        case int() if part not in _INTEGERS:
            return "is an integer of more than 64 bits; write it as text"
        case _:
            return None


def _key_problem(part: dict[Any, Any]) -> str | None:
    for key in part:
        if not isinstance(key, str):
            return f"has a key that is a {type(key).__name__}; keys are text"
        if (problem := _text_problem(key)) is not None:
            return f"has a key that {problem}"
    return None


StorableText = Annotated[str, AfterValidator(check_storable)]
