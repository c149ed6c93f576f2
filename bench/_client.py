"""The client of a load: one connection a turn, parsed in C, so that it takes little from the two sides it measures."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import httptools
import orjson

ANSWER_SECONDS = 300


@dataclass(frozen=True)
class Heard:
    """A streamed answer, whole; seconds until the mark came, from before the connection was opened."""

    status: int
    first: float
    body: bytes


async def post(url: str, body: Mapping[str, object], mark: bytes) -> Heard:
    """Ask and read to the end."""
    address = urlsplit(url)
    sent = orjson.dumps(body)
    head = (
        f"POST {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: application/json\r\n"
        f"Accept: text/event-stream\r\nContent-Length: {len(sent)}\r\nConnection: close\r\n\r\n"
    )
    loop, begun = asyncio.get_running_loop(), time.perf_counter()
    async with asyncio.timeout(ANSWER_SECONDS):
        transport, reading = await loop.create_connection(
            lambda: _Reading(mark), address.hostname or "", address.port or 80
        )
        try:
            transport.write(head.encode() + sent)
            await reading.over
        finally:
            transport.close()
    first = reading.first - begun if reading.first else float("nan")
    return Heard(reading.parser.get_status_code(), first, b"".join(reading.pieces))


class _Reading(asyncio.Protocol):
    """What comes in on one connection."""

    def __init__(self, mark: bytes) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.pieces: list[bytes] = []
        self.first = 0.0
        self._mark = mark

    def data_received(self, data: bytes) -> None:
        """Some of it came."""
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._break(error)

    def on_body(self, piece: bytes) -> None:
        """A part of the body, without its framing."""
        if not self.first and self._mark in piece:
            self.first = time.perf_counter()
        self.pieces.append(piece)

    def on_message_complete(self) -> None:
        """It is whole."""
        if not self.over.done():
            self.over.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes."""
        self._break(exc or ConnectionError("the connection was closed before the end of the answer"))

    def _break(self, error: Exception) -> None:
        if not self.over.done():
            self.over.set_exception(error)
