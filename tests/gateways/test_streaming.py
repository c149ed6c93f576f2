"""Streams to readers of every kind: quick, slow, stuck, gone; and what a stream that broke looks like."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.types import Message

from tests.gateways.client import Client
from tests.gateways.conftest import Served
from tests.gateways.verifier import Wire, events_in
from weft.gateways import streaming
from weft.gateways.streaming import EventStream
from weft.llm.scripted import Answer, Counts
from weft.runs.live import MOST_AT_ONCE

HIGH_WATER = 65_536  # what the server's own buffer holds before it makes a writer wait


class Reader:
    """The other side of a connection, as a server shows it to an application."""

    def __init__(self) -> None:
        self.got: list[bytes] = []
        self.open_for = asyncio.Semaphore(0)  # it takes so many more pieces
        self.gone = asyncio.Event()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.body":
            await self.open_for.acquire()
            self.got.append(message["body"])

    async def receive(self) -> Message:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    def take(self, pieces: int) -> None:
        for _ in range(pieces):
            self.open_for.release()

    def read(self, stream: EventStream) -> asyncio.Future[None]:
        """Let the stream be written to it."""
        return asyncio.ensure_future(stream({"type": "http"}, self.receive, self.send))


async def until(true: Any) -> None:
    """Wait for something that has no event."""
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.002)


async def test_a_slow_reader_is_waited_for() -> None:
    """Issue 5 item 8: nothing is made before somebody takes what was made; one piece is on its way at a time."""
    made: list[int] = []

    async def pieces() -> AsyncGenerator[bytes, None]:
        for number in range(5):
            made.append(number)
            yield b"%d" % number

    reader = Reader()
    writing = reader.read(EventStream(pieces()))
    for taken in range(3):
        await until(lambda taken=taken: len(made) == taken + 1)
        await asyncio.sleep(0.01)
        assert made == list(range(taken + 1))
        reader.take(1)
    reader.take(10)
    await writing
    assert b"".join(reader.got) == b"01234"


async def test_whoever_leaves_is_written_to_no_more() -> None:
    """SURF-1: what makes the pieces is closed, wherever it waits."""
    closed = asyncio.Event()

    async def pieces() -> AsyncGenerator[bytes, None]:
        try:
            yield b"one"
            await asyncio.sleep(3_600)
        finally:
            closed.set()

    reader = Reader()
    reader.take(10)
    writing = reader.read(EventStream(pieces()))
    await until(lambda: reader.got)
    reader.gone.set()
    async with asyncio.timeout(20):
        await writing
    assert closed.is_set()


async def test_a_stream_that_breaks_does_not_look_whole() -> None:
    """SURF-1: a client takes a proper end for success, so there is none."""

    async def pieces() -> AsyncGenerator[bytes, None]:
        yield b"one"
        raise RuntimeError("broken")

    reader = Reader()
    reader.take(10)
    with pytest.raises(RuntimeError, match="broken"):
        await reader.read(EventStream(pieces()))
    assert reader.got == [b"one"]


async def test_while_nothing_happens_the_line_is_kept_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """SURF-1: a comment now and then, which no client takes for an event; none to a reader who is behind."""
    monkeypatch.setattr(streaming, "HEARTBEAT_SECONDS", 0.02)
    enough = asyncio.Event()

    async def pieces() -> AsyncGenerator[bytes, None]:
        yield b"data: 1\n\n"
        await enough.wait()

    reader = Reader()
    reader.take(3)
    writing = reader.read(EventStream(pieces()))
    await until(lambda: len(reader.got) == 3)
    await asyncio.sleep(0.2)
    assert reader.got[1:] == [b": keep-alive\n\n"] * 2
    reader.take(1)
    await until(lambda: len(reader.got) == 4)
    await asyncio.sleep(0.1)
    assert len(reader.got) == 4  # one waits to be taken, not ten
    reader.take(10)
    enough.set()
    await writing


@asynccontextmanager
async def stuck(served: Served, given: dict[str, Any]) -> AsyncIterator[asyncio.StreamReader]:
    """A client that asks for a run over a narrow line, and does not read."""
    host, port = served.url.removeprefix("http://").split(":")
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    line.setblocking(False)
    await asyncio.get_running_loop().sock_connect(line, (host, int(port)))
    reader, writer = await asyncio.open_connection(sock=line, limit=4_096)
    body = json.dumps(given).encode()
    writer.write(b"POST /agui HTTP/1.1\r\nHost: %b:%b\r\n" % (host.encode(), port.encode()))
    writer.write(b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
    try:
        yield reader
    finally:
        writer.close()


async def rest_of(served: Served, reader: asyncio.StreamReader) -> tuple[list[Wire], int]:
    """All that is left of a chunked answer; and how much of it at most was on its way, in the server's own memory."""
    await reader.readuntil(b"\r\n\r\n")
    pieces: list[bytes] = []
    owed = 0
    while size := int(await reader.readline(), 16):
        owed = max(owed, *(each.transport.get_write_buffer_size() for each in served.app.state.connections))
        pieces.append(await reader.readexactly(size))
        await reader.readexactly(2)
    return events_in(b"".join(pieces)), owed


async def test_a_reader_who_is_stuck_holds_up_nobody_and_little_memory(served: Served) -> None:
    """Issue 5 item 8: the run ends, others see it as it happens, and the stuck one is owed a piece, not megabytes."""
    size, piece = 8_000_000, 20_000
    served.house.says(Answer("x" * size, by=piece, counts=Counts(10, 0, 10)))
    given = served.input("a very long story")
    async with stuck(served, given) as reader:
        await until(lambda: served.house.asked)
        events = await served.agui(given)
        quick = Client(list(given["messages"]))
        quick.follow(events)
        assert len(quick.messages[-1]["content"]) == size
        assert events[-1]["outcome"] == {"type": "success"}

        late = Client(list(given["messages"]))
        events, owed = await rest_of(served, reader)
        late.follow(events)
    assert 0 < owed <= HIGH_WATER + 2 * MOST_AT_ONCE + piece
    assert late.messages[-1]["content"] == quick.messages[-1]["content"]
    assert late.state["usage"] == quick.state["usage"]
