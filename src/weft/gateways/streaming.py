"""Answers that are streams: kept alive while nothing happens, and ended when the reader has gone."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from weft.gateways.frames import KEEP_ALIVE

HEARTBEAT_SECONDS = 15.0
MEDIA_TYPE = "text/event-stream"
_HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}  # proxies pass every piece on at once


def wants_stream(request: Request) -> bool:
    """Whether the caller asks for events."""
    return MEDIA_TYPE in request.headers.get("accept", "").lower()


def stream_documented(description: str, example: str) -> dict[int | str, dict[str, Any]]:
    """An answer that is a stream, in the words of OpenAPI."""
    content = {"schema": {"type": "string"}, "examples": {"beginning": {"value": example}}}
    return {200: {"description": description, "content": {MEDIA_TYPE: content}}}


Pieces = AsyncGenerator[bytes, None]


class EventStream(Response):
    """Server-sent events. One write per piece; whoever reads slowly is waited for, and the run is not."""

    media_type = MEDIA_TYPE

    def __init__(self, pieces: Pieces, headers: dict[str, str] | None = None) -> None:
        super().__init__(None, headers={**_HEADERS, **(headers or {})})
        del self.headers["content-length"]
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Write until there is nothing more, or until nobody reads."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        pulse = _Pulse(send)
        writing = asyncio.ensure_future(self._write(pulse))
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await asyncio.wait((writing, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            pulse.stop()
            leaving.cancel()
            writing.cancel()  # nothing, where it has ended by itself
            with suppress(asyncio.CancelledError):
                await writing  # what broke it breaks the connection: a reader must not take it for the end
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, pulse: "_Pulse") -> None:
        async with aclosing(self._pieces) as pieces:
            async for piece in pieces:
                await pulse.send(piece)


class _Pulse:
    """Sends pieces, and a comment where there were none for a while; one timer a stream, and no task while idle."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time()
        self._timer = self._loop.call_later(HEARTBEAT_SECONDS, self._beat)
        self._beating: asyncio.Task[None] | None = None

    async def send(self, piece: bytes) -> None:
        """Pass a piece on."""
        self._last = self._loop.time()
        await self._send(_body(piece))

    def stop(self) -> None:
        """No more comments."""
        self._timer.cancel()
        if self._beating is not None:
            self._beating.cancel()

    def _beat(self) -> None:
        quiet = self._loop.time() - self._last
        if quiet >= HEARTBEAT_SECONDS and (self._beating is None or self._beating.done()):
            self._last = self._loop.time()
            self._beating = self._loop.create_task(self._say_something())
            quiet = 0.0
        self._timer = self._loop.call_later(max(HEARTBEAT_SECONDS - quiet, 0.01), self._beat)

    async def _say_something(self) -> None:
        with suppress(OSError):  # the reader has gone: the stream ends by itself
            await self._send(_body(KEEP_ALIVE))


def _body(piece: bytes) -> Message:
    return {"type": "http.response.body", "body": piece, "more_body": True}


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
