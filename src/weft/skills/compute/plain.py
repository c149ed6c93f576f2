"""A chart as plain JSON values, for a tool's result and for a profile."""

from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from typing import Any


def plain(value: Any) -> Any:
    """Dataclasses as objects, moments in ISO 8601, durations in whole seconds."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return round(value.total_seconds())
    return value
