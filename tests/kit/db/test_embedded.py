"""The embedded server: shared by several processes, gone with the last, and plain words when it cannot start."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import asyncpg
import pytest

from weft.kit.db.embedded import embedded_postgres
from weft.kit.errors import OperatorError

HOLD = """
import sys
from pathlib import Path
from weft.kit import log
from weft.kit.db.embedded import embedded_postgres
log.configure()
with embedded_postgres(Path(sys.argv[1])) as url:
    print("up", flush=True)
    sys.stdin.readline()
"""


class Holder:
    """Another process that uses the embedded server."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "up\n"

    def leave(self) -> None:
        self.process.communicate("go\n", timeout=30)
        assert self.process.returncode == 0

    def die(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.communicate(timeout=30)


def _postmaster(home: Path) -> int | None:
    try:
        pid = int((home / "postgres" / "postmaster.pid").read_text().splitlines()[0])
        os.kill(pid, 0)
    except (OSError, IndexError):
        return None
    return pid


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "w"


def test_it_is_made_wherever_it_is_and_the_same_everywhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SCALE-1: also where the terminal names a locale that this machine does not have, as behind ssh."""
    monkeypatch.delenv("LC_ALL", raising=False)
    for name in ("LANG", "LC_COLLATE", "LC_MESSAGES"):
        monkeypatch.setenv(name, "xx_XX.UTF-8")
    with embedded_postgres(home) as url:
        assert "LC_ALL" not in os.environ
        assert _locale_of(url) in {("C.UTF-8", "C.UTF-8"), ("C", "C")}


def _locale_of(url: str) -> tuple[str, ...]:
    async def look() -> tuple[str, ...]:
        connection = await asyncpg.connect(url)
        try:
            return tuple(await connection.fetchrow("SELECT datcollate, datctype FROM pg_database LIMIT 1"))
        finally:
            await connection.close()

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(look())
    finally:
        loop.close()


def test_several_processes_share_one_server_and_the_last_one_stops_it(home: Path) -> None:
    """SCALE-1: whoever needs it first starts it, whoever leaves last stops it."""
    first = Holder(home)
    server = _postmaster(home)
    second = Holder(home)
    assert server is not None
    assert _postmaster(home) == server
    first.leave()
    assert _postmaster(home) == server
    second.leave()
    assert _postmaster(home) is None


def test_a_killed_process_does_not_keep_the_server_alive_for_ever(home: Path) -> None:
    """SCALE-1: SIGKILL leaves no claim behind: the next process that leaves last stops the server."""
    killed, other = Holder(home), Holder(home)
    killed.die()
    assert _postmaster(home) is not None
    other.leave()
    assert _postmaster(home) is None


def test_a_server_that_crashed_with_its_process_starts_again(home: Path) -> None:
    """A stale postmaster.pid is no obstacle."""
    holder = Holder(home)
    server = _postmaster(home)
    assert server is not None
    os.kill(server, signal.SIGKILL)
    holder.die()
    deadline = time.monotonic() + 10
    while _postmaster(home) is not None and time.monotonic() < deadline:
        time.sleep(0.05)
    again = Holder(home)
    assert _postmaster(home) not in (None, server)
    again.leave()


def test_a_folder_of_another_postgresql_is_refused_with_the_way_out(home: Path) -> None:
    (home / "postgres").mkdir(parents=True)
    (home / "postgres" / "PG_VERSION").write_text("12\n")
    with (
        pytest.raises(OperatorError, match=r"made by PostgreSQL 12 .* WEFT_DATABASE_URL"),
        embedded_postgres(home),
    ):
        pass
    assert (home / "postgres" / "PG_VERSION").read_text() == "12\n"


def test_a_folder_left_by_an_interrupted_first_start_is_refused_with_the_way_out(home: Path) -> None:
    (home / "postgres").mkdir(parents=True)
    (home / "postgres" / "base").mkdir()
    with pytest.raises(OperatorError, match=r"no finished database .* Move it away"), embedded_postgres(home):
        pass
