"""`weft init` and `weft doctor`: a new installation, and what it lacks."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Weft


@pytest.fixture
async def new_installation(new_database: Any) -> dict[str, str]:
    """An environment with an empty database, and keys."""
    return {"WEFT_AUTH": "keys", "WEFT_DATABASE_URL": await new_database("cli_init", empty=True)}


def test_init_twice_makes_one_operator(weft: Weft, new_installation: dict[str, str]) -> None:
    """Issue 1: `weft init`; doing it again changes nothing that is there."""
    first, again = weft("init", "--json", **new_installation).json(), weft("init", "--json", **new_installation).json()
    assert first["operator_key"].startswith("weft_op_")
    assert again == first | {"operator_key": None}
    (operator,) = weft("keys", "operators", "list", "--json", **new_installation).json()
    assert (operator["role"], operator["business"]) == ("owner", None)


def test_init_says_what_to_do_next(weft: Weft, new_installation: dict[str, str]) -> None:
    told = weft("init", **new_installation).out
    assert "weft_op_" in told
    assert "weft keys businesses create" in told
    assert "weft serve" in told


def test_a_local_installation_needs_no_operator(weft: Weft) -> None:
    """DESIGN 7: WEFT_AUTH=local: one user, who is the operator too."""
    assert weft("init", "--json").json()["operator_key"] is None
    assert weft("keys", "operators", "list", "--json").json() == []


def test_doctor_finds_a_healthy_installation_healthy(process: Weft) -> None:
    """Issue 1: `weft doctor` checks everything."""
    found = process("doctor", "--json", WEFT_PORT="0").json()
    assert [finding for finding in found if not finding["ok"]] == []
    looked_at = {"Python", "folder", "port", "languages, zones, countries", "database", "schema", "isolation"}
    assert {finding["what"] for finding in found} == looked_at


@pytest.mark.parametrize(
    ("variables", "what", "remedy"),
    [
        ({"WEFT_PORT": "many"}, "settings", "WEFT_PORT"),
        ({"WEFT_HOST": "0.0.0.0"}, "settings", "WEFT_AUTH=keys"),
        ({"WEFT_DATABASE_URL": "postgresql://127.0.0.1:1/x"}, "database", "WEFT_DATABASE_URL"),
        ({"WEFT_DATABASE_URL": "mysql://127.0.0.1:1/x"}, "database", "WEFT_DATABASE_URL"),
    ],
)
def test_doctor_says_what_to_do(weft: Weft, variables: dict[str, str], what: str, remedy: str) -> None:
    """Issue 1: it says what to do; exit code 1 tells programs."""
    ran = weft("doctor", **variables)
    assert (ran.code, ran.err) == (1, "")
    lines = ran.out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(f"!!  {what}"))
    assert lines[at + 1].startswith("      to do: ")
    assert remedy in lines[at + 1]


def test_doctor_sees_a_folder_that_is_none(process: Weft, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    ran = process("doctor", WEFT_HOME=str(file), WEFT_DATABASE_URL="")
    assert ran.code == 1
    assert "set WEFT_HOME to a folder" in ran.out


async def test_doctor_sees_a_database_that_is_behind(weft: Weft, new_database: Any) -> None:
    where = {"WEFT_DATABASE_URL": await new_database("cli_behind"), "WEFT_PORT": "0"}
    weft("db", "downgrade", "--yes", **where)
    assert "`weft db upgrade`" in weft("doctor", **where).out
