"""Weft on an event loop of its own, beside the thread that reads and writes the terminal: neither waits."""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import AsyncExitStack
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import anyio.to_thread

from weft.cli.hearing import hear_changes
from weft.cli.running import Whose, acting, run
from weft.compose import Weft
from weft.kit import log
from weft.kit.actor import Actor
from weft.runs.desk import Desk
from weft.runtime import Runtime, make_runtime, operators_texts, operators_tools

LOG_FILE = "chat.log"
_LOG_BYTES = 1_000_000
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Room:
    """An open Weft that works, and who talks to it."""

    weft: Weft
    runtime: Runtime
    actor: Actor

    @property
    def desk(self) -> Desk:
        """Where turns are taken on."""
        return self.runtime.desk

    @property
    def log_file(self) -> Path:
        """Where the log goes, for the terminal belongs to the conversation."""
        return self.weft.settings.folder / LOG_FILE


class Backstage:
    """Opens Weft at its beginning, closes it at its end, and does in between what it is called for."""

    def __init__(self, whom: Whose) -> None:
        self._whom = whom
        self._opened: Future[tuple[asyncio.AbstractEventLoop, Room]] = Future()
        self._over: asyncio.Event | None = None
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._run, name="weft", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leaving.set()
        if self._opened.done() and self._opened.exception() is None and self._over is not None:
            self._opened.result()[0].call_soon_threadsafe(self._over.set)
        self._thread.join()

    def opened_within(self, seconds: float) -> bool:
        """Wait so long; whether it has been opened, or has failed to."""
        wait([self._opened], seconds)
        return self._opened.done()

    def wait(self) -> Room:
        """The open room; what kept it shut is raised."""
        return self._opened.result()[1]

    def start(self, work: Callable[[Room], Coroutine[Any, Any, Result]]) -> Future[Result]:
        """Begin some work over there."""
        loop, room = self._opened.result()
        return asyncio.run_coroutine_threadsafe(work(room), loop)

    def call(self, work: Callable[[Room], Coroutine[Any, Any, Result]]) -> Result:
        """Do some work over there, and wait for it."""
        return self.start(work).result()

    def _run(self) -> None:
        try:
            run(self._open)
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
            if not self._opened.done():
                self._opened.set_exception(error)
            else:
                log.get_logger(__name__).error("closing_failed", exc_info=error)

    async def _open(self, weft: Weft) -> None:
        self._over = asyncio.Event()
        await anyio.to_thread.run_sync(_log_to, weft.settings.folder / LOG_FILE)
        async with AsyncExitStack() as stack:
            listener = await hear_changes(weft, stack)
            texts = await anyio.to_thread.run_sync(operators_texts, weft)
            runtime = make_runtime(weft, texts, await anyio.to_thread.run_sync(operators_tools, weft))
            await stack.enter_async_context(runtime.working(listener))
            room = Room(weft, runtime, await acting(weft, self._whom))
            loading = asyncio.create_task(runtime.flow.load_early())  # while the user is still typing
            self._opened.set_result((asyncio.get_running_loop(), room))
            if not self._leaving.is_set():
                await self._over.wait()
            loading.cancel()


def _log_to(path: Path) -> None:
    """From now on, what would be logged on the terminal goes to a file, a JSON object a line."""
    log.configure("WARNING")
    root = logging.getLogger()
    formatter = root.handlers[0].formatter
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler: logging.Handler = RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8")
        path.chmod(0o600)
    except OSError:  # with a database elsewhere, nothing else needs the folder before a file is written
        handler = logging.NullHandler()
    handler.setFormatter(formatter)
    root.handlers[:] = [handler]
