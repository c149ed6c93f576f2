"""Frames of an event stream: one JSON value each, lines ended by LF and nothing else."""

from collections.abc import Mapping
from typing import Any

import orjson

from weft.kit.text import replace_unstorable

KEEP_ALIVE = b": keep-alive\n\n"
DONE = b"data: [DONE]\n\n"


def frame(value: Any) -> bytes:
    """One event without a name."""
    return b"data: " + _json(value) + b"\n\n"


def named_frame(name: str, value: Any) -> bytes:
    """One event with a name."""
    return b"event: " + name.encode() + b"\ndata: " + _json(value) + b"\n\n"


def _json(value: Any) -> bytes:
    try:
        return orjson.dumps(value, default=_plain)
    except TypeError:  # half a surrogate pair: it must not end the stream
        return orjson.dumps(_clean(value), default=_plain)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)  # the driver's UUIDs are a class of their own


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return replace_unstorable(value)
    if isinstance(value, dict):
        return {_clean(key): _clean(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(each) for each in value]
    return value
