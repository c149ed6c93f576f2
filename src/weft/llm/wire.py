"""httpx on aiohttp's connections: requests, answers and errors are httpx's own, the bytes are read in C.

Measured in docs/decisions/0014: httpx's own connections cost more a streamed token than all that Weft does with it.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import aiohttp
import httpx
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

_ERRORS: tuple[tuple[type[Exception], type[httpx.TransportError]], ...] = (  # the first that fits
    (aiohttp.ConnectionTimeoutError, httpx.ConnectTimeout),
    (aiohttp.ServerTimeoutError, httpx.ReadTimeout),
    (aiohttp.ClientConnectorError, httpx.ConnectError),
    (aiohttp.ServerDisconnectedError, httpx.RemoteProtocolError),
    (aiohttp.ClientOSError, httpx.ReadError),
    (aiohttp.ClientError, httpx.RemoteProtocolError),
    (HttpProcessingError, httpx.RemoteProtocolError),
    (OSError, httpx.ReadError),
)
LOOKS_AT_ONCE = 4  # first words wait for nothing
BREATH = 0.008  # seconds between two looks at what goes on: nobody sees more, and each look costs as much as a token
MOST_LEFT = 3  # connections that are found closed before one is taken for a failure
_CLOSED_BEFORE = "closing transport"  # aiohttp's word for what was not written any more
_OURS = frozenset({"transfer-encoding"})  # a body is sent whole


class AiohttpTransport(httpx.AsyncBaseTransport):
    """Connections of one event loop, kept for a while; as many as are asked for at once."""

    def __init__(self, verify: ssl.SSLContext | bool, kept_seconds: float) -> None:
        self._verify = verify
        self._kept_seconds = kept_seconds
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send it, and give the answer once its head is there."""
        body = await request.aread()
        with _as_httpx():
            response = await self._sent(request, body)
        return httpx.Response(response.status, headers=list(response.raw_headers), stream=_Body(response))

    async def _sent(self, request: httpx.Request, body: bytes) -> aiohttp.ClientResponse:
        """Send it; again, where its connection was known to be closed before all of it was written.

        Some servers leave a kept connection without a word once they have answered. What was written whole is never
        sent again here: somebody may have heard it, and every call that was heard stands in the ledger.
        """
        for _ in range(MOST_LEFT):
            try:
                return await self._send(request, body)
            except aiohttp.ClientConnectionError as error:
                if _CLOSED_BEFORE not in str(error.__cause__ or error):
                    raise
        return await self._send(request, body)

    async def _send(self, request: httpx.Request, body: bytes) -> aiohttp.ClientResponse:
        timeouts = request.extensions.get("timeout", {})
        return await self._opened().request(
            request.method,
            URL(str(request.url), encoded=True),
            headers=[(name, value) for name, value in request.headers.multi_items() if name not in _OURS],
            data=body or None,
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(sock_connect=timeouts.get("connect"), sock_read=timeouts.get("read")),
        )

    async def aclose(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ssl=self._verify, keepalive_timeout=self._kept_seconds),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                skip_auto_headers=("accept", "accept-encoding", "content-type", "user-agent"),
            )
        return self._session


class _Body(httpx.AsyncByteStream):
    """What has come since the last look, in one piece."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        content, looks = self._response.content, 0
        with _as_httpx():
            while piece := await content.readany():
                yield piece
                looks += 1
                if looks > LOOKS_AT_ONCE:
                    await self._breathe()

    async def _breathe(self) -> None:
        """Leave what comes to the kernel for a moment; then it is read at once."""
        connection = self._response.connection
        protocol = None if connection is None else connection.protocol
        if protocol is None:
            return  # all of it has come
        protocol.pause_reading()
        try:
            await asyncio.sleep(BREATH)
        finally:
            protocol.resume_reading()

    async def aclose(self) -> None:
        """Give the connection back; one whose answer was not read to its end is closed."""
        self._response.close()


@contextmanager
def _as_httpx() -> Iterator[None]:
    """What goes wrong on the wire, as httpx says it."""
    try:
        yield
    except (aiohttp.ClientError, HttpProcessingError, OSError) as error:
        kind = next(kind for known, kind in _ERRORS if isinstance(error, known))
        raise kind(str(error) or type(error).__name__) from error
