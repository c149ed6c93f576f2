"""A real server over loopback in front of a real runtime, for one user whom nobody else knows."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from tests.gateways.verifier import Wire, events_in
from tests.turns import House
from weft.app import create_app
from weft.http.calling import Credentials
from weft.kit.actor import Actor
from weft.kit.ids import new_id
from weft.tools.builtin.write_file import WriteFile
from weft.tools.tool import Approval


@dataclass(frozen=True)
class Only:
    """Whoever calls is this user."""

    actor: Actor

    async def authenticate(self, credentials: Credentials) -> Actor:
        return self.actor


@dataclass
class Served:
    """A server, and a client of it."""

    house: House
    app: FastAPI
    actor: Actor
    client: httpx.AsyncClient
    url: str = ""
    threads: list[str] = field(default_factory=list)

    def input(self, message: str | list[Any] = "你好", **changes: Any) -> dict[str, Any]:
        """What a client of AG-UI 1.0 sends: a new run of a new thread, unless it says otherwise."""
        said = [{"id": f"u-{new_id()}", "role": "user", "content": message}]
        first = {"threadId": str(new_id()), "runId": f"run-{new_id()}", "protocolVersion": "1.0", "messages": said}
        return {**first, "tools": [], "context": [], "forwardedProps": {}, "state": {}, **changes}

    async def agui(self, given: dict[str, Any]) -> list[Wire]:
        """The events of a run, to its end."""
        answer = await self.client.post("/agui", json=given, headers={"Accept": "text/event-stream"})
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/event-stream")
        return events_in(answer.content)

    @asynccontextmanager
    async def watching(self, given: dict[str, Any]) -> AsyncIterator["Watching"]:
        """A run as it comes, for as long as somebody looks."""
        async with self.client.stream("POST", "/agui", json=given) as answer:
            assert answer.status_code == 200
            yield Watching(answer)


@dataclass
class Watching:
    """Somebody who reads a stream piece by piece."""

    answer: httpx.Response
    events: list[Wire] = field(default_factory=list)
    _lines: AsyncIterator[str] | None = None

    async def until(self, kind: str, times: int = 1) -> Wire:
        """Read on to the next event of that type."""
        if self._lines is None:
            self._lines = self.answer.aiter_lines()
        async for line in self._lines:
            if line.startswith("data: "):
                self.events += events_in(f"{line}\n\n".encode())
                times -= self.events[-1]["type"] == kind
                if times == 0:
                    return self.events[-1]
        raise AssertionError(f"no {kind} came")


@asynccontextmanager
async def serving(app: FastAPI) -> AsyncIterator[str]:
    """A server of the application on a free port of this machine."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    server.capture_signals = _no_signals  # type: ignore[method-assign,assignment]
    task = asyncio.ensure_future(server.serve())
    while not server.started:  # noqa: ASYNC110 - it has no event to wait for
        await asyncio.sleep(0.005)
    app.state.connections = server.server_state.connections
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


@pytest.fixture
async def served(house: House) -> AsyncIterator[Served]:
    """A server for a new user."""
    actor = await house.someone()
    app = create_app(house.weft, Only(actor))
    app.state.runtime, app.state.desk = house.runtime, house.desk
    async with serving(app) as url, httpx.AsyncClient(base_url=url, timeout=30) as client:
        yield Served(house, app, actor, client, url)


@pytest.fixture
def asks_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing a file needs somebody's word."""
    monkeypatch.setattr(WriteFile, "approval", Approval.ALWAYS)


class _no_signals:  # noqa: N801 - stands in for a method
    def __enter__(self) -> None:
        """The test's own process keeps its signal handlers."""

    def __exit__(self, *_: object) -> None: ...
