"""HTTP/1.1 by hand on one connection: a test vendor must be able to break every rule of it."""

import asyncio
import socket
import struct
from collections.abc import Mapping
from http import HTTPStatus

LARGEST_HEAD = 64 << 10
LARGEST_BODY = 64 << 20


class ClientGoneError(Exception):
    """The client closed the connection."""


class Connection:
    """Reads requests, writes responses, and notices at once when the client leaves."""

    def __init__(self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.number = number
        self._reader = reader
        self._writer = writer
        self._ahead: asyncio.Task[bytes] | None = None

    async def read_request(self) -> tuple[str, str, tuple[tuple[bytes, bytes], ...], bytes] | None:
        """Method, path, headers and body of the next request; None when the client is done."""
        try:
            head = await self._read_ahead() + await self._reader.readuntil(b"\r\n\r\n")
            first, *lines = head[:-4].split(b"\r\n")
            method, path, _version = first.decode("latin-1").split(" ", 2)
            headers = tuple(_header(line) for line in lines)
            length = next((int(value) for name, value in headers if name.lower() == b"content-length"), 0)
            body = await self._reader.readexactly(min(length, LARGEST_BODY))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
            return None
        return method, path, headers, body

    async def send_whole(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        """A response with its length."""
        await self._write(_head(status, {**headers, "content-length": str(len(body))}) + body)

    async def send_head(self, status: int, content_type: str) -> None:
        """The head of a response that goes on piece by piece."""
        await self._write(_head(status, {"content-type": content_type, "transfer-encoding": "chunked"}))

    async def send_piece(self, piece: bytes) -> None:
        """One piece, in one write."""
        await self._write(b"%x\r\n%b\r\n" % (len(piece), piece))

    async def send_end(self) -> None:
        """The end of a response that came in pieces."""
        await self._write(b"0\r\n\r\n")

    async def pause(self, seconds: float | None) -> None:
        """Wait so long, or for ever, but no longer than the client stays."""
        if self._ahead is None:
            self._ahead = asyncio.create_task(self._reader.read(1))
        if not self._ahead.done():
            await asyncio.wait({self._ahead}, timeout=seconds)
        if self._ahead.done() and (self._ahead.exception() or not self._ahead.result()):
            raise ClientGoneError

    def abort(self) -> None:
        """Close without a word: the other side sees a reset."""
        raw: socket.socket | None = self._writer.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def close(self) -> None:
        """Close what is open, whatever has been said."""
        if self._ahead is not None:
            self._ahead.cancel()
            await asyncio.wait({self._ahead})
        self._writer.close()

    async def _read_ahead(self) -> bytes:
        # While an answer is sent, one byte is awaited, only to notice when the client leaves.
        if self._ahead is None:
            return b""
        byte = await self._ahead
        self._ahead = None
        return byte

    async def _write(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            await self._writer.drain()
        except ConnectionError:
            raise ClientGoneError from None


def _header(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name, value.strip()


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    known = status in HTTPStatus.__members__.values()
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase if known else 'Unknown'}"]
    lines += [f"{name}: {value}" for name, value in {"content-type": "application/json", **headers}.items()]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
