"""The command line, in this process where that will do and in one of its own where it will not."""

import contextlib
import io
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from weft.cli import main


class Ran(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """What it answered; it succeeded, then."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    def refused(self, code: int = 1) -> str:
        """The one line in which it told what is wrong."""
        assert (self.code, self.out) == (code, ""), self
        assert self.err.count("\n") == 1, self.err
        return self.err


Weft = Callable[..., Ran]


def environment(**variables: str) -> dict[str, str]:
    """What a command sees: nothing of Weft's but what is given."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WEFT_", "EDITOR", "VISUAL"))}
    return kept | variables


def program(*arguments: str) -> list[str]:
    """The command line of a process of its own."""
    return [sys.executable, "-m", "weft", *arguments]


@pytest.fixture(autouse=True)
def blocking_is_an_error() -> None:
    """Here it is none: a command's event loop serves nobody else, so it may wait."""


@pytest.fixture(scope="module")
async def cli_database(new_database: Any, request: pytest.FixtureRequest) -> str:
    """A database for the commands of one file."""
    url: str = await new_database(request.module.__name__.rpartition(".")[2])
    return url


@pytest.fixture
def settings_of_tests(cli_database: str, tmp_path: Path) -> dict[str, str]:
    """The environment that commands run in, unless a test says otherwise."""
    return {"WEFT_HOME": str(tmp_path / "home"), "WEFT_DATABASE_URL": cli_database}


@pytest.fixture
def process(settings_of_tests: dict[str, str]) -> Weft:
    """Runs a command in a process of its own: `process("doctor", WEFT_AUTH="keys")`."""

    def run(*arguments: str, **variables: str) -> Ran:
        env = environment(**settings_of_tests | variables)
        ran = subprocess.run(
            program(*arguments), env=env, capture_output=True, encoding="utf-8", check=False, timeout=60
        )
        assert "Traceback" not in ran.stderr, ran.stderr
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    return run


@pytest.fixture
def weft(settings_of_tests: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Weft:
    """Runs a command here, on a thread that has no event loop yet: a process of its own would cost a second each."""

    def run(*arguments: str, **variables: str) -> Ran:
        out, err, codes = io.StringIO(), io.StringIO(), [0]

        def command() -> None:
            try:
                main.main()
            except SystemExit as end:
                codes.append(end.code if isinstance(end.code, int) else 1)

        root = logging.getLogger()
        handlers, level = root.handlers[:], root.level
        with monkeypatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            patch.setattr(sys, "argv", ["weft", *arguments])
            patch.setattr(sys, "stdin", io.StringIO())
            patch.setattr(os, "environ", environment(**settings_of_tests | variables))
            thread = threading.Thread(target=command)
            thread.start()
            thread.join()
        root.handlers[:], root.level = handlers, level
        return Ran(codes[-1], out.getvalue(), err.getvalue())

    return run
