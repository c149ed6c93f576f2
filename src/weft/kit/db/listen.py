"""Hearing NOTIFY: one connection a process, any number of listeners, and a way to notice what was missed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

import asyncpg

from weft.kit.db.database import driver_url
from weft.kit.log import get_logger

log = get_logger(__name__)
Heard = Callable[[str | None], None]
RETRY_SECONDS = (0.05, 0.2, 1.0, 3.0)
ALIVE_SECONDS = 5.0  # a connection that has said nothing for so long is asked whether it is still there
ANSWER_SECONDS = 5.0  # and taken for lost if it does not answer in this time


class Listener:
    """Passes notifications on to whoever listens to their channel.

    A hearer is called with the payload, or with None after the connection was lost and found again: whatever was
    sent in between is gone, so it must look at the tables. The tables are the truth, notifications only hurry.
    """

    def __init__(self, url: str) -> None:
        self._url = driver_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._hearers: dict[str, set[Heard]] = {}
        self._listening: dict[str, asyncio.Event] = {}
        self._missed: set[str] = set()  # what came to these channels while nobody listened is gone
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._keep_listening(), name="weft-listener")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @asynccontextmanager
    async def hearing(self, channel: str, heard: Heard) -> AsyncIterator[None]:
        """Call `heard` for each notification of the channel for as long as the context lasts.

        Inside, the channel is being listened to: what is committed after a look at the tables is heard.
        """
        self._hearers.setdefault(channel, set()).add(heard)
        listening = self._listening.setdefault(channel, asyncio.Event())
        self._changed.set()
        try:
            await self._until(listening)
            yield
        finally:
            self._hearers[channel].discard(heard)
            if not self._hearers[channel]:
                del self._hearers[channel]
                self._changed.set()

    async def _until(self, listening: asyncio.Event) -> None:
        """Wait for the channel, but not for a task that has died: its error is ours."""
        waiting = asyncio.ensure_future(listening.wait())
        tasks = {waiting} if self._task is None else {waiting, self._task}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        if self._task is not None and self._task.done():
            self._task.result()

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
                self._missed = {channel for channel, listening in self._listening.items() if listening.is_set()}
                for listening in self._listening.values():
                    listening.clear()

    async def _listen_on(self, connection: Any) -> None:
        lost = asyncio.Event()

        def note_loss(_connection: Any) -> None:
            lost.set()
            self._changed.set()

        connection.add_termination_listener(note_loss)
        active: set[str] = set()
        while not lost.is_set():
            self._changed.clear()
            active = await self._bring_up_to_date(connection, active)
            for channel in self._missed & active:
                self._pass_on(connection, 0, channel, None)
            self._missed = set()
            await self._quiet(connection)

    async def _quiet(self, connection: Any) -> None:
        """Wait for a change. A connection can die without a word, and nobody would hear that nothing is heard."""
        while not self._changed.is_set():
            try:
                async with asyncio.timeout(ALIVE_SECONDS):  # wait_for loses a cancellation that comes with the change
                    await self._changed.wait()
            except TimeoutError:
                await connection.execute("SELECT 1", timeout=ANSWER_SECONDS)

    async def _bring_up_to_date(self, connection: Any, active: set[str]) -> set[str]:
        wanted = set(self._hearers)
        for channel in wanted - active:
            await connection.add_listener(channel, self._pass_on)
            self._listening[channel].set()
        for channel in active - wanted:
            self._listening.pop(channel).clear()  # whoever comes while it ends waits for a new one
            await connection.remove_listener(channel, self._pass_on)
        return wanted

    def _pass_on(self, _connection: Any, _pid: int, channel: str, payload: str | None) -> None:
        for heard in tuple(self._hearers.get(channel, ())):
            heard(payload)
