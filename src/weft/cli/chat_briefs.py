"""What tools were asked and what they gave, in one line each, as somebody would say it."""

from collections.abc import Mapping
from typing import Any

import orjson

MARKS: Mapping[str, str] = {"succeeded": "✓", "failed": "✗", "denied": "–", "unknown": "?"}


def asked(arguments: str | Mapping[str, Any]) -> str:
    """A tool's arguments."""
    return _listed(arguments)


def given(content: str) -> str:
    """What a tool gave: prose as it is, values with their names."""
    return _listed(content)


def error(content: str) -> str:
    """What a tool that failed says is wrong."""
    told = _read(content)
    return str(told.get("error", content)) if isinstance(told, Mapping) else content


def _listed(text: str | Mapping[str, Any]) -> str:
    values = _read(text) if isinstance(text, str) else text
    if not isinstance(values, Mapping):
        return text if isinstance(text, str) else ""
    return " · ".join(f"{name}={value if isinstance(value, str) else _json(value)}" for name, value in values.items())


def _read(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
