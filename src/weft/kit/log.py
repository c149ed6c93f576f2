"""Structured logs: one JSON object a line on stderr, with the request's id, and never a secret."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import orjson
import structlog

_SECRET_NAME = re.compile(r"authorization|cookie|password|secret|token$|api_?key|bearer", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"\b(weft_[a-z]{2}_|sk-|Bearer )[\w\-.]{8,}")
HIDDEN = "[hidden]"


def _hide(value: Any) -> Any:
    if isinstance(value, str):
        return _SECRET_VALUE.sub(HIDDEN, value)
    if isinstance(value, dict):
        return {key: HIDDEN if _SECRET_NAME.search(str(key)) else _hide(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_hide(inner) for inner in value]
    return value


def hide_secrets(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Take out whatever is named like a secret or shaped like one, however deep it stands."""
    hidden: dict[str, Any] = _hide(dict(event))
    return hidden


def _dumps(event: Any, **_options: Any) -> str:
    return orjson.dumps(event, default=str).decode(errors="replace")


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
    renderer: Any = structlog.dev.ConsoleRenderer() if plain else structlog.processors.JSONRenderer(serializer=_dumps)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """A logger that takes an event name and fields."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger
