"""httpx on aiohttp's connections: what comes and what goes wrong is as httpx says it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, cast

import httpx
import pytest
from aiohttp.http_writer import StreamWriter

from weft.llm import wire
from weft.llm.clients import aclose, client_for
from weft.llm.wire import AiohttpTransport

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"


class Server:
    """What it was asked on each connection, and how many of these there were."""

    def __init__(self, *answers: bytes, keeps: bool = True, gap: float = 0.02, most: int = 1_000) -> None:
        self._answers = answers
        self._gap = gap
        self._most = most  # requests that a connection answers; it is left at the next
        self._keeps = keeps
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self.connections = 0
        self.left = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(ConnectionError):
            await self._answer(reader, writer)
        self.left.set()
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        left = self._most
        while head := await _head(reader):
            if not left:
                break
            left -= 1
            self.heads.append(head)
            length = next(
                (int(line[15:]) for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:"), 0
            )
            self.bodies.append(await reader.readexactly(length))
            for answer in self._answers:
                writer.write(answer)
                await writer.drain()
                await asyncio.sleep(self._gap)
            if not self._keeps:
                break

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        server.close()


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


@asynccontextmanager
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=AiohttpTransport(verify=False, kept_seconds=5.0), trust_env=False) as found:
        yield found


async def test_pieces_come_as_they_are_sent_and_the_connection_serves_the_next_call() -> None:
    """FLOW-7, INFRA-3: no piece waits for the next; a body that was read to its end leaves its connection open."""
    server = Server(CHUNKED + b"3\r\n\xe4\xb8\x80\r\n", b"1\r\nb\r\n", b"0\r\n\r\n")
    async with server.running() as url, client() as asking:
        for _ in range(3):
            async with asking.stream("POST", url, content=b"{}") as response:
                assert [piece async for piece in response.aiter_bytes()] == ["一".encode(), b"b"]
    assert server.connections == 1
    assert server.bodies == [b"{}"] * 3


async def test_first_words_wait_for_nothing_and_later_ones_come_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """FLOW-7: looks past the first few are a blink apart; nothing is lost, and the connection serves the next call."""
    monkeypatch.setattr(wire, "BREATH", 0.2)  # long enough for a machine that others use too
    words = [b"1\r\n%c\r\n" % letter for letter in b"abcdefgh" * 8]
    server = Server(CHUNKED, *words, b"0\r\n\r\n", gap=0.0005)
    async with server.running() as url, client() as asking:
        for _ in range(2):
            async with asking.stream("POST", url, content=b"{}") as response:
                pieces = [piece async for piece in response.aiter_bytes()]
            assert b"".join(pieces) == b"abcdefgh" * 8
            assert pieces[0].startswith(b"a")
            assert len(pieces) < len(words) / 2
    assert server.connections == 1


async def test_what_could_not_be_written_any_more_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """LED-6: a connection that is closed before a request is written whole is no failure, and nobody hears it twice."""
    server, write, lost = Server(HEAD + b"content-length: 2\r\n\r\nok"), StreamWriter._writelines, []

    def lose(self: StreamWriter, chunks: Any) -> None:
        if len(lost) < 2:
            lost.append(True)
            cast("asyncio.Transport", self.transport).abort()
        write(self, chunks)

    async with server.running() as url, client() as asking:
        assert (await asking.post(url, content=b"{}")).text == "ok"
        monkeypatch.setattr(StreamWriter, "_writelines", lose)
        assert (await asking.post(url, content=b"{}")).text == "ok"
    assert (len(lost), server.connections, server.bodies) == (2, 3, [b"{}"] * 2)


async def test_a_server_that_hangs_up_on_everybody_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """INFRA-3: whatever closes each connection before anything is written is not asked for ever."""
    write = StreamWriter._writelines

    def lose(self: StreamWriter, chunks: Any) -> None:
        cast("asyncio.Transport", self.transport).abort()
        write(self, chunks)

    monkeypatch.setattr(StreamWriter, "_writelines", lose)
    async with Server().running() as url, client() as asking:
        with raises(httpx.ReadError):
            await asking.post(url, content=b"{}")


async def test_what_somebody_may_have_heard_is_not_sent_again() -> None:
    """LED-6: a kept connection that is left once the request is there is a failure; whoever asks again books that."""
    server = Server(HEAD + b"content-length: 2\r\n\r\nok", most=1)
    async with server.running() as url, client() as asking:
        assert (await asking.post(url, content=b"{}")).text == "ok"
        with raises(httpx.RemoteProtocolError):
            await asking.post(url, content=b"{}")
    assert server.connections == 1


async def test_a_new_connection_that_is_lost_is_one() -> None:
    """LED-6: nothing is sent twice that may have been heard."""
    server = Server(b"", keeps=False)
    async with server.running() as url, client() as asking:
        with raises(httpx.RemoteProtocolError):
            await asking.post(url, content=b"{}")
    assert (server.connections, len(server.bodies)) == (1, 1)


async def test_what_is_sent_is_what_was_given() -> None:
    """INFRA-3: each header once, as it was given, and none of the library's own."""
    server = Server(HEAD + b"content-length: 2\r\n\r\nok")
    async with server.running() as url, client() as asking:
        headers = {"authorization": "Bearer k", "content-type": "application/json", "user-agent": "weft"}
        assert (await asking.post(f"{url}/a%2Fb?c=d%20e", content="{}", headers=headers)).text == "ok"
    line, *rest = server.heads[0].decode().strip().split("\r\n")
    assert line == "POST /v1/a%2Fb?c=d%20e HTTP/1.1"
    names = sorted(each.partition(":")[0].lower() for each in rest)
    expected = ["accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host"]
    assert names == [*expected, "user-agent"]


async def test_no_cookie_of_one_call_goes_with_another() -> None:
    """SEC-1: what a vendor tells one user's call is not told back by another's."""
    server = Server(HEAD + b"set-cookie: a=b\r\ncontent-length: 2\r\n\r\nok")
    async with server.running() as url:
        asking = await client_for(url)
        for _ in range(2):
            assert (await asking.post(url, content="{}")).text == "ok"
        await aclose()
    assert server.heads[0] == server.heads[1]


async def test_files_are_sent_whole() -> None:
    """INFRA-3: a form with a file in it."""
    server = Server(HEAD + b"content-length: 2\r\n\r\nok")
    async with server.running() as url, client() as asking:
        answer = await asking.post(url, data={"model": "m"}, files={"file": ("声.mp3", b"\x00\x01" * 50_000)})
    assert answer.text == "ok"
    assert b"\x00\x01" * 50_000 in server.bodies[0]


async def test_a_redirect_is_an_answer() -> None:
    """SEC-4: nobody is led to another address."""
    server = Server(b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n")
    async with server.running() as url, client() as asking:
        assert (await asking.get(url)).status_code == 302


async def test_whoever_leaves_early_closes_the_connection() -> None:
    """INFRA-3: the vendor learns at once that nobody listens any more."""
    server = Server(CHUNKED, *[b"1\r\na\r\n"] * 200)
    async with server.running() as url, client() as asking:
        async with asking.stream("POST", url, content=b"{}") as response:
            await anext(response.aiter_bytes())
        await asyncio.wait_for(server.left.wait(), 10)


@contextmanager
def raises(kind: type[Exception]) -> Iterator[None]:
    with pytest.raises(httpx.TransportError) as caught:
        yield
    assert caught.type is kind
    assert str(caught.value)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (b"", httpx.RemoteProtocolError),  # gone without a word
        (HEAD + b"content-length: 10\r\n\r\nfive5", httpx.RemoteProtocolError),
        (CHUNKED + b"5\r\nab", httpx.RemoteProtocolError),
        (CHUNKED + b"zz\r\nab\r\n", httpx.RemoteProtocolError),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", httpx.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100_000 + b"\r\n\r\n", httpx.RemoteProtocolError),
    ],
)
async def test_what_is_no_whole_answer_breaks_the_protocol(answer: bytes, kind: type[Exception]) -> None:
    """INFRA-3: what a vendor breaks off, or never was HTTP."""
    async with Server(answer, keeps=False).running() as url, client() as asking:
        with raises(kind):
            await asking.post(url, content=b"{}")


async def test_nobody_there_and_nobody_who_answers_in_time() -> None:
    """INFRA-3: a refused connection, and silence."""
    async with client() as asking:
        with raises(httpx.ConnectError):
            await asking.get("http://127.0.0.1:1/")
        async with Server().running() as url:
            with raises(httpx.ReadTimeout):
                await asking.get(url, timeout=httpx.Timeout(5, read=0.1))
