"""`weft db`: where the database stands, forward, back, out and in."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Weft
from weft.kit.db import migrate


@pytest.fixture(scope="module")
async def empty_database(new_database: Any) -> str:
    """Where Weft has never been."""
    url: str = await new_database("cli_empty", empty=True)
    return url


def test_the_database_goes_forward_and_back(weft: Weft, empty_database: str) -> None:
    """Issue 1: migrations run at start, and go back one step."""
    where = {"WEFT_DATABASE_URL": empty_database}
    newest, before = migrate.revisions()[-1], migrate.revisions()[-2]
    assert weft("db", "status", "--json", **where).json() == {"current": None, "newest": newest, "up_to_date": False}
    assert "revision none" in weft("db", "status", **where).out
    assert weft("db", "upgrade", "--json", **where).json() == {"current": newest}
    assert weft("db", "upgrade", **where).out == f"The database is at revision {newest}.\n"
    assert weft("db", "downgrade", "--yes", "--json", **where).json() == {"current": before}
    assert weft("db", "status", "--json", **where).json()["up_to_date"] is False
    weft("usage", **where)
    assert weft("db", "status", "--json", **where).json()["up_to_date"] is True, "any start brings it up to date"


def test_going_back_asks_first(weft: Weft) -> None:
    """What only the newest revision can hold is deleted, so nobody does it by accident."""
    before = weft("db", "status", "--json").json()
    asked = weft("db", "downgrade")
    assert (asked.code, "Aborted" in asked.err) == (1, True)
    assert weft("db", "status", "--json").json() == before


async def test_a_dump_restores_into_an_empty_database_and_no_other(
    weft: Weft, new_database: Any, tmp_path: Path
) -> None:
    """Issue 1: a way out of a data folder, and into the next one; all of it or nothing."""
    weft("profile", "set", "username=小雨")
    profile, file = weft("profile", "show", "--json").json(), tmp_path / "备份.dump"
    dumped = weft("db", "dump", str(file), "--json").json()
    assert dumped == {"file": str(file), "bytes": file.stat().st_size}

    assert "is not empty" in weft("db", "restore", str(file)).refused(78)

    elsewhere = {"WEFT_DATABASE_URL": await new_database("cli_restored", empty=True)}
    broken = tmp_path / "broken.dump"
    broken.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert weft("db", "restore", str(broken), **elsewhere).code == 78
    assert weft("db", "status", "--json", **elsewhere).json()["current"] is None
    assert weft("db", "restore", str(file), "--json", **elsewhere).json() == {"restored": str(file)}
    assert weft("profile", "show", "--json", **elsewhere).json() == profile


def test_a_dump_that_cannot_be_written_is_told(weft: Weft, tmp_path: Path) -> None:
    """DESIGN 4: one line, and no address with a password in it."""
    told = weft("db", "dump", str(tmp_path / "no" / "such" / "folder")).refused(78)
    assert told.startswith("weft: pg_dump failed")
    assert "postgresql://" not in told
