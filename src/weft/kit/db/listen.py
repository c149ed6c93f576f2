"""Hearing NOTIFY: one connection a process, any number of listeners, and a way to notice what was missed."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

import asyncpg

from weft.kit.log import get_logger

log = get_logger(__name__)
Heard = Callable[[str | None], None]
RETRY_SECONDS = (0.05, 0.2, 1.0, 3.0)


class Listener:
    """Passes notifications on to whoever listens to their channel.

    A listener is called with the payload, or with None after the connection was lost and found again: whatever was
    sent in between is gone, so it must look at the tables. The tables are the truth, notifications only hurry.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._hearers: defaultdict[str, set[Heard]] = defaultdict(set)
        self._changed = asyncio.Event()
        self._ready = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._keep_listening(), name="weft-listener")
        await self._ready.wait()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @asynccontextmanager
    async def hearing(self, channel: str, heard: Heard) -> AsyncIterator[None]:
        """Call `heard` for each notification of the channel for as long as the context lasts."""
        self._hearers[channel].add(heard)
        self._changed.set()
        try:
            yield
        finally:
            self._hearers[channel].discard(heard)

    async def _keep_listening(self) -> None:
        attempt = 0
        while True:
            try:
                connection = await asyncpg.connect(self._url, server_settings={"application_name": "weft-listen"})
            except (OSError, asyncpg.PostgresError) as error:
                log.warning("listener_cannot_connect", error=str(error))
                await asyncio.sleep(RETRY_SECONDS[min(attempt, len(RETRY_SECONDS) - 1)])
                attempt += 1
                continue
            attempt = 0
            try:
                await self._listen_on(connection)
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                log.warning("listener_lost_connection", error=str(error))
            finally:
                connection.terminate()

    async def _listen_on(self, connection: Any) -> None:
        lost = asyncio.Event()

        def note_loss(_connection: Any) -> None:
            lost.set()
            self._changed.set()

        connection.add_termination_listener(note_loss)
        listened: set[str] = set()
        first_round = True
        while not lost.is_set():
            self._changed.clear()
            for channel in set(self._hearers) - listened:
                await connection.add_listener(channel, self._pass_on)
                listened.add(channel)
            if first_round:
                first_round = False
                self._tell_everyone_to_look()
                self._ready.set()
            await self._changed.wait()

    def _tell_everyone_to_look(self) -> None:
        for hearers in self._hearers.values():
            for heard in tuple(hearers):
                heard(None)

    def _pass_on(self, _connection: Any, _pid: int, channel: str, payload: str) -> None:
        for heard in tuple(self._hearers.get(channel, ())):
            heard(payload)
