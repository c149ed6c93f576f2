"""Structured logs on stderr, with the request's id and never a secret: JSON, one object a line, or plain for people."""

import json
import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
import structlog

_SECRET_NAME = re.compile(r"authorization|cookie|password|secret|token$|api_?key|bearer", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    r"\b(?:weft_[a-z]{2}_|sk-)[\w\-.]{8,}"  # our keys and the vendors'
    r"|(?<=\bBearer )\S{8,}"
    r"|(?<=://)[^/\s@]*:[^/\s@]*(?=@)",  # name and password in an address
    re.IGNORECASE,
)
HIDDEN = "[hidden]"
_TALKATIVE = ("alembic", "crewai_core")  # their INFO says nothing to whoever runs Weft
_PLAIN = (int, float, bool, datetime, UUID, logging.LogRecord, type(None))


def _hide(value: Any) -> Any:
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Mapping):
        return {
            _hide(str(key)): HIDDEN if _SECRET_NAME.search(str(key)) else _hide(each) for key, each in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [_hide(inner) for inner in value]
    return _SECRET_VALUE.sub(HIDDEN, value if isinstance(value, str) else str(value))


def hide_secrets(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Take out whatever is named like a secret or shaped like one, however deep it stands."""
    hidden: dict[str, Any] = _hide(event)
    return hidden


def _dumps(event: Any, **_options: Any) -> str:
    try:
        return orjson.dumps(event, default=str).decode()
    except TypeError:  # half a surrogate pair, a number past 64 bits: rare, and no reason to lose the line
        return json.dumps(event, default=str, ensure_ascii=False).encode(errors="replace").decode()


def configure(level: str = "INFO", *, plain: bool = False) -> None:
    """Send Weft's logs and those of the libraries through the same line format."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        hide_secrets,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _renderer(plain=plain)],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _TALKATIVE:
        least = logging.NOTSET if root.level <= logging.DEBUG else max(logging.WARNING, root.level)
        logging.getLogger(name).setLevel(least)


def _renderer(*, plain: bool) -> Any:
    if plain:  # a traceback that shows local variables would show secrets
        return structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    return structlog.processors.JSONRenderer(serializer=_dumps)


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """A logger that takes an event name and fields."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger
