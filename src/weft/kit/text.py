"""What text must be before Weft stores it: PostgreSQL refuses NUL, and UTF-8 has no lone surrogates."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

MAX_JSON_DEPTH = 32
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def check_storable(text: str) -> str:
    """Return the text unchanged, or say which character cannot be stored and where it stands."""
    if found := _UNSTORABLE.search(text):
        name = "a NUL character" if found[0] == "\x00" else "half of a surrogate pair"
        message = f"contains {name} (U+{ord(found[0]):04X}) at position {found.start()}; remove it"
        raise ValueError(message)
    return text


def replace_unstorable(text: str) -> str:
    """The same text with U+FFFD where a character cannot be stored: for echoing what was refused."""
    return _UNSTORABLE.sub("\ufffd", text)


def check_storable_json(value: Any) -> Any:
    """Return a JSON value unchanged, or say where something stands in it that JSONB cannot hold."""
    for path, part, depth in _walk(value):
        if depth > MAX_JSON_DEPTH:
            message = f"is nested more than {MAX_JSON_DEPTH} levels deep; flatten it"
            raise ValueError(message)
        if isinstance(part, str):
            try:
                check_storable(part)
            except ValueError as error:
                raise ValueError(f"{path or 'value'} {error}") from None
        elif isinstance(part, float) and (part != part or part in (float("inf"), float("-inf"))):
            message = f"{path or 'value'} is not a finite number; JSON has no {part}"
            raise ValueError(message)
    return value


def _walk(root: Any) -> Iterator[tuple[str, Any, int]]:
    pending: list[tuple[str, Any, int]] = [("", root, 0)]
    while pending:
        path, value, depth = pending.pop()
        yield path, value, depth
        if depth > MAX_JSON_DEPTH:
            continue
        if isinstance(value, dict):
            for key, inner in value.items():
                name = replace_unstorable(str(key))
                pending.append((f"key {name!r}", str(key), depth))
                pending.append((f"{path}.{name}" if path else name, inner, depth + 1))
        elif isinstance(value, list):
            pending.extend((f"{path}[{index}]", inner, depth + 1) for index, inner in enumerate(value))


StorableText = Annotated[str, AfterValidator(check_storable)]
StorableJson = Annotated[Any, BeforeValidator(check_storable_json)]
