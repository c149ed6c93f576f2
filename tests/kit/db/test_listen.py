"""DESIGN 5: notifications only hurry; but that nothing is heard any more is noticed, however the line died."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import pytest
from sqlalchemy.engine import make_url

from tests.people import People
from weft.kit.db import Database, listen
from weft.kit.db.listen import Listener


@dataclass
class Wire:
    """A line to the database that can go dead: open on both ends, and nothing comes through."""

    socket: str
    connections: int = 0
    dead: int = 0  # so many of them, the first ones
    url: str = ""

    def die(self) -> None:
        """Whoever is connected now hears nothing more; whoever comes from now on is served."""
        self.dead = self.connections

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Somebody comes."""
        self.connections += 1
        number = self.connections
        there, back = await asyncio.open_unix_connection(self.socket)
        await asyncio.gather(self._carry(number, reader, back), self._carry(number, there, writer))

    async def _carry(self, number: int, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65_536):
                if number > self.dead:
                    target.write(data)
                    await target.drain()
        target.close()


@asynccontextmanager
async def wire(database_url: str) -> AsyncIterator[Wire]:
    """A line over TCP in front of the database's socket."""
    url = make_url(database_url)
    line = Wire(f"{url.query['host']}/.s.PGSQL.{url.port or 5432}")
    server = await asyncio.start_server(line.connect, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    line.url = url.set(host=host, port=port, query={}).render_as_string(hide_password=False)
    async with server:
        yield line


async def test_a_line_that_dies_without_a_word_is_noticed(
    database: Database, people: People, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 5: the hearer is told to look for itself, and hears again what comes after that."""
    monkeypatch.setattr(listen, "ALIVE_SECONDS", 0.1)
    monkeypatch.setattr(listen, "ANSWER_SECONDS", 2.0)
    ann = await people.user()
    heard: asyncio.Queue[str | None] = asyncio.Queue()

    async def say(word: str) -> None:
        async with database.transaction(ann) as tx:
            await tx.notify("weft_dead", word)

    async with (
        asyncio.timeout(30),
        wire(database_url) as line,
        Listener(line.url) as listener,
        listener.hearing("weft_dead", heard.put_nowait),
    ):
        await say("before")
        assert await heard.get() == "before"
        line.die()
        await say("lost")
        assert await heard.get() is None
        await say("after")
        assert await heard.get() == "after"


async def test_a_quiet_line_is_left_as_it_is(
    database_url: str, monkeypatch: pytest.MonkeyPatch, database: Database, people: People
) -> None:
    """DESIGN 5: being asked whether it is there costs a line nothing it was to carry."""
    monkeypatch.setattr(listen, "ALIVE_SECONDS", 0.02)
    monkeypatch.setattr(listen, "ANSWER_SECONDS", 20.0)
    ann = await people.user()
    heard: asyncio.Queue[str | None] = asyncio.Queue()
    async with wire(database_url) as line, Listener(line.url) as listener:
        async with asyncio.timeout(30), listener.hearing("weft_quiet", heard.put_nowait):
            await asyncio.sleep(0.3)
            async with database.transaction(ann) as tx:
                await tx.notify("weft_quiet", "there")
            assert await heard.get() == "there"
        assert line.connections == 1


async def test_whoever_leaves_leaves_whatever_happens_at_that_moment(database_url: str) -> None:
    """SCALE-1: a server that is told to stop stops, also where its last hearer goes in the same moment."""
    async with asyncio.timeout(60):
        for turns in range(40):
            listener = Listener(database_url)
            async with listener:
                async with listener.hearing("weft_left", lambda _payload: None):
                    pass
                for _ in range(turns % 4):  # the change is noticed a step or two before the end, or not yet
                    await asyncio.sleep(0)
