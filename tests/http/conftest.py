"""The clients that tests of the HTTP frame use, and what was logged meanwhile."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from tests.clients import anyone, keys, local
from weft.kit import log

__all__ = ["Logged", "anyone", "keys", "local", "logged"]

Logged = Callable[[], list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def logged(caplog: pytest.LogCaptureFixture) -> Logged:
    """The events logged so far, as the server would write them."""
    root = logging.getLogger()
    handlers = root.handlers[:]
    log.configure("INFO")
    root.handlers[:] = handlers
    return lambda: [record.msg for record in caplog.records if isinstance(record.msg, dict)]
