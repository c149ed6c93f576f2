"""What was logged while a test of the HTTP frame ran."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from weft.kit import log

Logged = Callable[[], list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def logged(caplog: pytest.LogCaptureFixture) -> Logged:
    """The events logged so far, as the server would write them."""
    root = logging.getLogger()
    handlers = root.handlers[:]
    log.configure("INFO")
    root.handlers[:] = handlers
    return lambda: [record.msg for record in caplog.records if isinstance(record.msg, dict)]
