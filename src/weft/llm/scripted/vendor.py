"""The scripted vendor itself: an OpenAI-compatible server on a free port of this machine."""

import asyncio
import threading
import time
from types import TracebackType
from typing import Any, Literal, Self

from weft.llm.scripted.connection import LARGEST_HEAD, ClientGoneError, Connection
from weft.llm.scripted.counting import PrefixCache
from weft.llm.scripted.endpoints import Endpoints
from weft.llm.scripted.journal import Exchange
from weft.llm.scripted.media import Media
from weft.llm.scripted.script import Decide, Reply, Script
from weft.llm.types import Target

CLOSING_SECONDS = 5.0


class ScriptedVendor:
    """Use it as a context manager: `with` serves from its own thread, `async with` from the running loop."""

    def __init__(
        self,
        *answers: Reply,
        default: Reply | None = None,
        key: str | None = None,
        models: tuple[str, ...] = ("scripted",),
    ) -> None:
        self._script = Script(answers, default)
        self.media = Media()
        self._endpoints = Endpoints(self._script, PrefixCache(), key, models, self.media)
        self._key = key
        self._models = models
        self._server: asyncio.Server | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._busy: set[asyncio.Task[None]] = set()
        self._connections = 0
        self.log: list[Exchange] = []
        self.port = 0

    @property
    def base_url(self) -> str:
        """Where it listens, up to and with `/v1`."""
        return f"http://127.0.0.1:{self.port}/v1"

    def target(self, lane: Literal["openai_compatible", "litellm"] = "openai_compatible", **changes: Any) -> Target:
        """A target that leads here."""
        fields: dict[str, Any] = {
            "vendor": "openai",
            "model": self._models[0],
            "api_key": self._key or "sk-none",
        }
        return Target(**{**fields, "base_url": self.base_url, "lane": lane, **changes})

    def enqueue(self, *answers: Reply) -> None:
        """Give these to the next requests, one each."""
        self._script.enqueue(*answers)

    def when(self, words: str, answer: Reply) -> None:
        """Answer so whenever the newest user message contains the words."""
        self._script.when(words, answer)

    def decide_with(self, decide: Decide) -> None:
        """Ask this function what to answer when queue and rules have nothing."""
        self._script.decide_with(decide)

    def wait_settled(self, seconds: float = 5.0) -> None:
        """Wait until every request has ended, whichever side ended it."""
        deadline = time.monotonic() + seconds
        while not self._settled:
            if time.monotonic() > deadline:
                raise TimeoutError("the vendor is still answering")
            time.sleep(0.002)

    async def settled(self, seconds: float = 5.0) -> None:
        """The same without blocking the loop."""
        async with asyncio.timeout(seconds):
            while not self._settled:  # noqa: ASYNC110 - an event would belong to one loop
                await asyncio.sleep(0.002)

    def __enter__(self) -> Self:
        ready = threading.Event()
        self._thread = threading.Thread(
            target=self._serve_in_thread, args=(ready,), name="scripted-vendor", daemon=True
        )
        self._thread.start()
        ready.wait(CLOSING_SECONDS)
        return self

    def __exit__(self, *_error: object) -> None:
        if self._loop is not None and self._thread is not None:
            asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(CLOSING_SECONDS)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(CLOSING_SECONDS)

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self._close()

    @property
    def _settled(self) -> bool:
        return all(exchange.ended_at is not None for exchange in self.log)

    def _serve_in_thread(self, ready: threading.Event) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.run_until_complete(self._open())
        ready.set()
        self._loop.run_forever()
        self._loop.close()

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=LARGEST_HEAD, backlog=4096)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._busy:
            task.cancel()
        if self._busy:
            await asyncio.wait(self._busy, timeout=CLOSING_SECONDS)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        task = asyncio.create_task(self._serve(Connection(self._connections, reader, writer)))
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)

    async def _serve(self, connection: Connection) -> None:
        try:
            while request := await connection.read_request():
                exchange = Exchange(*request, connection=connection.number, received_at=time.monotonic())
                self.log.append(exchange)
                if not await self._answer(exchange, connection):
                    break
        except asyncio.CancelledError:
            connection.abort()
        finally:
            await connection.close()

    async def _answer(self, exchange: Exchange, connection: Connection) -> bool:
        try:
            return await self._endpoints.answer(exchange, connection)
        except ClientGoneError:
            exchange.disconnected = not exchange.complete
            return False
        finally:
            exchange.ended_at = time.monotonic()
