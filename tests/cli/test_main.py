"""The frame of the command line: quick help, the same options everywhere, errors in one line."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from tests.cli.conftest import Weft, environment
from weft import __version__
from weft.cli.main import COMMANDS
from weft.cli.main import weft as group

HEAVY = {
    "fastapi",
    "starlette",
    "uvicorn",
    "sqlalchemy",
    "alembic",
    "asyncpg",
    "pydantic",
    "babel",
    "structlog",
    "httpx",
}


def leaves(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    """Every command that does something."""
    if not isinstance(command, click.Group):
        yield path
        return
    for name in command.list_commands(click.Context(command)):
        inner = command.get_command(click.Context(command), name)
        assert inner is not None
        yield from leaves(inner, *path, name)


every_command = pytest.mark.parametrize("path", list(leaves(group)), ids=" ".join)


def test_help_imports_nothing_heavy() -> None:
    """DESIGN 7: `weft --help` answers in under 0.3 s; what it would wait for is never imported."""
    command = [sys.executable, "-X", "importtime", "-m", "weft", "--help"]
    ran = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    imported = {name.strip().partition(".")[0] for name in re.findall(r"\|\s+\d+ \|(.+)$", ran.stderr, re.MULTILINE)}
    assert "click" in imported
    assert imported & HEAVY == set()
    for name, purpose in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(purpose)}$", ran.stdout, re.MULTILINE)


def test_the_version_is_the_packages() -> None:
    answer = CliRunner().invoke(group, ["--version"])
    assert answer.output.strip() == f"weft, version {__version__}"


@every_command
def test_every_command_answers_in_json_if_asked_and_explains_itself(path: tuple[str, ...]) -> None:
    """DESIGN 7: each takes --json; SURF-5."""
    answer = CliRunner().invoke(group, [*path, "--help"])
    assert answer.exit_code == 0
    assert "--json" in answer.output
    assert re.search(rf"^Usage: \S+ {' '.join(path)}", answer.output)
    assert len(answer.output.splitlines()[2].strip()) > 10


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["profile", "nonsense"], ["usage", "--by", "moon"], ["keys", "revoke", "x"]]
)
def test_what_is_no_command_is_told_with_the_usage(arguments: list[str]) -> None:
    answer = CliRunner().invoke(group, arguments)
    assert answer.exit_code == 2
    assert "Usage:" in answer.output


def test_a_wrong_setting_is_told_in_one_line(weft: Weft) -> None:
    """DESIGN 4: what the operator must put right; exit code 78 is EX_CONFIG."""
    assert weft("usage", WEFT_PORT="many").refused(78).startswith("weft: WEFT_PORT: ")


def test_with_json_an_error_is_json_too(weft: Weft) -> None:
    """SURF-5: programs read it too."""
    told = json.loads(weft("usage", "--json", WEFT_DATABASE_URL="mysql://a:secret@b/c").refused(78))
    assert (told["code"], told["title"]) == ("misconfigured", "Weft is not configured for this")
    assert "secret" not in str(told)


@pytest.mark.parametrize("url", ["postgresql://weft:hunter2@127.0.0.1:1/x", "postgresql://{}/no_such_database"])
def test_a_database_that_does_not_answer_is_told_in_one_line(weft: Weft, cli_database: str, url: str) -> None:
    """SURF-5: no traceback, and no password."""
    told = weft("sessions", "list", WEFT_DATABASE_URL=url if "hunter2" in url else _elsewhere(cli_database)).refused(78)
    assert "does not answer" in told
    assert "WEFT_DATABASE_URL" in told
    assert "hunter2" not in told


def _elsewhere(url: str) -> str:
    return re.sub(r"/weft_\w+\?", "/no_such_database?", url)
