"""Log lines are JSON, carry what was bound, and hide secrets wherever they stand."""

import contextlib
import io
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
import structlog

from weft.kit import log

Lines = Callable[[], list[dict[str, Any]]]
BUSINESS_KEY = "weft_bk_1f3a9c04_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4"


@pytest.fixture
def restored_logging() -> Iterator[None]:
    """Logging as it was before, once the test is over."""
    root = logging.getLogger()
    handlers, level, loggers = root.handlers[:], root.level, structlog.get_config()
    yield
    root.handlers[:], root.level = handlers, level
    for name in log._TALKATIVE:
        logging.getLogger(name).setLevel(logging.NOTSET)
    structlog.configure(**loggers)


@pytest.fixture
def lines(restored_logging: None) -> Lines:
    """What the server would have logged so far."""
    written = io.StringIO()
    with contextlib.redirect_stderr(written):
        log.configure("INFO")
    return lambda: [orjson.loads(line) for line in written.getvalue().splitlines()]


def test_a_line_has_its_event_level_time_and_what_was_bound(lines: Lines) -> None:
    """Issue 1: structured logs with request ids."""
    with structlog.contextvars.bound_contextvars(request_id="r1"):
        log.get_logger("weft.test").info("happened", count=3, at=datetime(2026, 1, 2, tzinfo=UTC))
    (line,) = lines()
    assert line | {"timestamp": None} == {
        "event": "happened",
        "level": "info",
        "logger": "weft.test",
        "request_id": "r1",
        "count": 3,
        "at": "2026-01-02T00:00:00+00:00",
        "timestamp": None,
    }


def test_libraries_log_in_the_same_form(lines: Lines) -> None:
    logging.getLogger("some.library").warning("key %s refused", BUSINESS_KEY)
    (line,) = lines()
    assert (line["event"], line["level"], line["logger"]) == ("key [hidden] refused", "warning", "some.library")


@pytest.mark.parametrize("name", ["authorization", "Cookie", "db_password", "client_secret", "access_token", "api_key"])
def test_what_is_named_like_a_secret_is_hidden_at_any_depth(lines: Lines, name: str) -> None:
    """SEC-3: secrets appear in no log."""
    log.get_logger("weft.test").info("happened", outer=[{"inner": {name: "plainly readable"}}])
    assert lines()[0]["outer"] == [{"inner": {name: "[hidden]"}}]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"key {BUSINESS_KEY}!", "key [hidden]!"),
        ("sk-proj-0123456789abcdef", "[hidden]"),
        ("header 'Bearer abcdefgh+/12345='", "header 'Bearer [hidden]"),
        ("postgresql://weft:hunter2@db.example:5432/weft", "postgresql://[hidden]@db.example:5432/weft"),
        ("a bearer of news; task-list; https://a.example/b@c", "a bearer of news; task-list; https://a.example/b@c"),
    ],
)
def test_what_is_shaped_like_a_secret_is_hidden_and_nothing_else(lines: Lines, text: str, shown: str) -> None:
    """SEC-3: secrets appear in no log."""
    log.get_logger("weft.test").info("happened", text=text, error=ValueError(text))
    line = lines()[0]
    assert (line["text"], line["error"]) == (shown, shown)


def test_counts_of_tokens_are_no_secrets(lines: Lines) -> None:
    log.get_logger("weft.test").info("happened", input_tokens=12, ok=True, nothing=None)
    line = lines()[0]
    assert (line["input_tokens"], line["ok"], line["nothing"]) == (12, True, None)


def test_a_traceback_is_text_without_secrets_and_without_local_variables(lines: Lines) -> None:
    """SEC-3: secrets appear in no error."""
    password = "local variable"  # noqa: F841
    try:
        raise RuntimeError(BUSINESS_KEY)
    except RuntimeError:
        log.get_logger("weft.test").exception("failed")
    line = lines()[0]
    assert "RuntimeError: [hidden]" in line["exception"]
    assert "local variable" not in line["exception"].replace('password = "local variable"', "")


def test_a_line_that_json_cannot_hold_is_not_lost(lines: Lines) -> None:
    log.get_logger("weft.test").info("happened", half="\ud800", big=2**70, keys={1: "a"})
    line = lines()[0]
    assert (line["big"], line["keys"]) == (2**70, {"1": "a"})


def test_the_level_is_kept(lines: Lines) -> None:
    log.get_logger("weft.level").debug("not this")
    log.get_logger("weft.level").info("this")
    assert [line["event"] for line in lines()] == ["this"]


def test_talkative_libraries_are_heard_only_where_everything_is(lines: Lines) -> None:
    """SURF-5: a first start shows what happens, and no library's small talk."""
    logging.getLogger("alembic.runtime.migration").info("Will assume transactional DDL.")
    logging.getLogger("alembic.runtime.migration").warning("this matters")
    assert [line["event"] for line in lines()] == ["this matters"]
    written = io.StringIO()
    with contextlib.redirect_stderr(written):
        log.configure("DEBUG")
    logging.getLogger("alembic.runtime.migration").info("Will assume transactional DDL.")
    assert "transactional" in written.getvalue()
    log.configure("ERROR")
    logging.getLogger("alembic.runtime.migration").warning("not at this level")
    assert "not at this level" not in written.getvalue()


def test_on_a_terminal_an_error_shows_its_traceback_without_secrets(restored_logging: None) -> None:
    """SEC-3: what a command logs hides secrets too."""
    written = io.StringIO()
    with contextlib.redirect_stderr(written):
        log.configure("WARNING", plain=True)
    try:
        raise RuntimeError(BUSINESS_KEY)
    except RuntimeError:
        log.get_logger("weft.plain").exception("failed", token=BUSINESS_KEY)
    assert "RuntimeError: [hidden]" in written.getvalue()
    assert BUSINESS_KEY not in written.getvalue()


def test_a_logger_that_was_used_before_follows_what_is_configured_now(restored_logging: None) -> None:
    """Issue 1: `weft chat` moves its logs to a file after the first line; tests look at lines the same way."""
    used_before = log.get_logger("weft.test")
    with contextlib.redirect_stderr(io.StringIO()):
        log.configure("INFO")
        used_before.info("first")
        log.configure("INFO")
    with structlog.testing.capture_logs() as logs:
        used_before.info("second")
    assert [line["event"] for line in logs] == ["second"]
