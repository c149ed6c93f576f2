"""`weft serve`: from a fresh folder to a clean end, over real HTTP."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.cli.conftest import environment, program
from tests.cli.terminal import at_a_terminal

JSON = {"content-type": "application/json"}


@contextmanager
def serving(home: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """The server in a process of its own, which is gone afterwards whatever happens."""
    given = {"WEFT_HOME": str(home), "WEFT_PORT": "0"} | variables
    server = subprocess.Popen(
        program("serve", "--json"),
        env=environment(**given),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        yield server
    finally:
        server.kill()
        server.communicate()


def ready(server: subprocess.Popen[str]) -> dict[str, Any]:
    """What it says when it is ready."""
    assert server.stdout is not None
    told: dict[str, Any] = json.loads(server.stdout.readline())
    return told


def postgres_of(home: Path) -> int | None:
    """The process that serves the data folder, if any does."""
    try:
        number = int((home / "postgres" / "postmaster.pid").read_text(encoding="utf-8").splitlines()[0])
        os.kill(number, 0)
    except (FileNotFoundError, ProcessLookupError):
        return None
    return number


def test_it_serves_until_it_is_told_to_stop_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """Issue 1, SCALE-1: the embedded PostgreSQL starts and stops on its own; SIGTERM is a graceful end."""
    home = tmp_path / "weft"
    with serving(home) as server:
        told = ready(server)
        assert told | {"url": None} == {"ready": True, "url": None, "auth": "local"}
        assert postgres_of(home) is not None
        with httpx.Client(base_url=told["url"], timeout=30) as client:
            for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/api/profile"):
                assert client.get(path).status_code == 200
            assert client.patch("/api/profile", json={"username": "小雨"}).json()["username"] == "小雨"
            too_much = client.patch("/api/profile", content=iter([b" " * 2**20, b" "]), headers=JSON)
            assert too_much.status_code == 413
            assert client.get("/api/profile", headers={"host": "evil.example"}).status_code == 403
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=20)
    assert (server.returncode, out) == (0, "")
    lines = [json.loads(line) for line in err.splitlines()]
    assert {"event", "level", "timestamp"} <= set.intersection(*(set(line) for line in lines))
    assert [line for line in lines if line["level"] != "info"] == []
    assert postgres_of(home) is None
    assert (home / "postgres" / "PG_VERSION").is_file()


def test_what_turns_need_is_loaded_before_anybody_asks_for_one(tmp_path: Path) -> None:
    """DESIGN 5: the heavy libraries come after the port is open, and no user waits for them."""
    with serving(tmp_path / "weft") as server:
        ready(server)
        assert server.stderr is not None
        events = [event := json.loads(line) for line in _until("flow_loaded", server.stderr)]
        assert event["seconds"] > 0
        assert "database_upgraded" in [each["event"] for each in events]
        assert not [each for each in events if each["logger"].startswith(("alembic", "crewai"))]


def test_it_leaves_without_waiting_for_what_nobody_needs_any_more(tmp_path: Path) -> None:
    """SCALE-1: told to stop while it still imports, it closes what is its own and is gone."""
    home = tmp_path / "weft"
    with serving(home) as server:
        ready(server)
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=30)
    events = [json.loads(line)["event"] for line in err.splitlines()]
    assert (server.returncode, out, events[-1]) == (0, "", "embedded_postgres_stopped")
    assert "flow_loaded" not in events
    assert postgres_of(home) is None


def _until(event: str, lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield line
        if event in line:
            return


def test_at_a_terminal_the_log_is_for_people(tmp_path: Path) -> None:
    """SURF-5: whoever starts Weft by hand reads lines, not JSON; elsewhere it is JSON."""
    with at_a_terminal("serve", module="weft", WEFT_HOME=str(tmp_path / "weft"), WEFT_PORT="0") as terminal:
        terminal.wait_for("embedded_postgres_ready")
        terminal.wait_for("Weft is ready at http://127.0.0.1:")
        assert "{" not in terminal.shown
        terminal.signal(signal.SIGTERM)
        terminal.ends()


def test_told_to_stop_while_it_starts_it_leaves_nothing_behind_either(tmp_path: Path) -> None:
    """Issue 1: the embedded PostgreSQL never outlives who started it by a signal."""
    home = tmp_path / "weft"
    with serving(home) as server:
        deadline = time.monotonic() + 30
        while not (home / "postgres.users").exists():
            assert server.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        server.send_signal(signal.SIGTERM)
        out, _ = server.communicate(timeout=30)
    assert (server.returncode, out) == (0, "")
    assert postgres_of(home) is None


def test_a_port_that_is_taken_is_told_before_anything_starts(tmp_path: Path) -> None:
    """DESIGN 4: what the operator must put right is refused at start; exit code 78."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with serving(tmp_path / "weft", WEFT_PORT=port) as server:
            out, err = server.communicate(timeout=20)
    assert (server.returncode, out) == (78, "")
    told = json.loads(err)
    assert port in told["detail"]
    assert "WEFT_PORT" in told["detail"]
    assert not (tmp_path / "weft").exists()
