"""One unit of work: all or nothing, and what waits for the commit."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import structlog
from sqlalchemy import text

from tests.people import People
from weft.kit.actor import Actor
from weft.kit.db import Database, Transaction
from weft.kit.db.listen import Listener
from weft.kit.errors import WorldError
from weft.profiles.service import ProfileService


async def test_actions_run_after_the_commit_and_in_order(database: Database, people: People) -> None:
    """DESIGN 6: work leaves only after commit; what it sees is committed."""
    ann, seen = await people.user(), []

    async def look(name: str) -> None:
        async with database.transaction(ann) as tx:
            seen.append((name, (await ProfileService(tx).read(ann.owner_id)).username))

    async with database.transaction(ann) as tx:
        tx.after_commit(lambda: look("first"))
        tx.after_commit(lambda: look("second"))
        await ProfileService(tx).change(ann.owner_id, {"username": "Ann"})
        assert seen == []
    assert seen == [("first", "Ann"), ("second", "Ann")]


async def test_a_rollback_forgets_them(database: Database, people: People) -> None:
    ann, seen = await people.user(), []

    async def note() -> None:
        seen.append("ran")

    with pytest.raises(RuntimeError):
        async with database.transaction(ann) as tx:
            tx.after_commit(note)
            await ProfileService(tx).change(ann.owner_id, {"username": "Ann"})
            raise RuntimeError
    async with database.transaction(ann) as tx:
        assert (await ProfileService(tx).read(ann.owner_id)).username == ""
    assert seen == []


async def test_a_follow_up_that_fails_is_logged_and_stops_nobody(database: Database, people: People) -> None:
    ann, seen = await people.user(), []

    async def fail() -> None:
        raise ValueError("follow-up")

    async def note() -> None:
        seen.append("ran")

    with structlog.testing.capture_logs() as logs:
        async with database.transaction(ann) as tx:
            tx.after_commit(fail)
            tx.after_commit(note)
    assert seen == ["ran"]
    assert [entry["event"] for entry in logs] == ["after_commit_failed"]


async def test_a_notification_leaves_at_commit_and_dies_with_a_rollback(
    database: Database, people: People, database_url: str
) -> None:
    """DESIGN 5: LISTEN/NOTIFY carries only what is committed."""
    ann = await people.user()
    heard: asyncio.Queue[str | None] = asyncio.Queue()
    async with Listener(database_url) as listener, listener.hearing("weft_test", heard.put_nowait):
        with pytest.raises(RuntimeError):
            async with database.transaction(ann) as tx:
                await tx.notify("weft_test", "lost")
                raise RuntimeError
        async with database.transaction(ann) as tx:
            await tx.notify("weft_test", "kept 你好")
        assert await asyncio.wait_for(heard.get(), 5) == "kept 你好"


async def test_a_listener_that_loses_its_connection_says_look_for_yourselves(
    database: Database, people: People, database_url: str
) -> None:
    """DESIGN 5: the database decides, the notification only hurries; what was missed is found by looking."""
    ann = await people.user()
    heard: asyncio.Queue[str | None] = asyncio.Queue()

    async def next_of(wanted: str | None) -> None:
        while await asyncio.wait_for(heard.get(), 10) != wanted:
            pass

    async with Listener(database_url) as listener, listener.hearing("weft_lost", heard.put_nowait):
        async with database.transaction(ann) as tx:
            await tx.notify("weft_lost", "before")
        await next_of("before")
        await _end_listeners(database_url)
        await next_of(None)
        async with database.transaction(ann) as tx:
            await tx.notify("weft_lost", "after")
        await next_of("after")


async def _end_listeners(url: str) -> None:
    connection = await asyncpg.connect(url)
    ended = await connection.fetch(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'weft-listen' AND datname = current_database()"
    )
    await connection.close()
    assert ended


async def _end(tx: Transaction, url: str) -> None:
    """The server ends the transaction's connection."""
    pid = await tx.connection.scalar(text("SELECT pg_backend_pid()"))
    connection = await asyncpg.connect(url)
    await connection.fetchval("SELECT pg_terminate_backend($1)", pid)
    await connection.close()


async def test_a_database_that_goes_away_in_mid_request_is_the_worlds_fault(
    database: Database, people: People, database_url: str
) -> None:
    """DESIGN 4: errors are classed by who acts; a lost connection is 503, and the next request finds a new one."""
    ann = await people.user()
    own = Database(database_url, pool_size=1)
    with pytest.raises(WorldError, match="try again"):
        async with own.transaction(ann) as tx:
            await _end(tx, database_url)
            await tx.connection.execute(text("SELECT 1"))
    async with own.transaction(ann) as tx:
        assert await tx.connection.scalar(text("SELECT 1")) == 1
    await own.close()


async def test_a_listener_takes_the_address_as_people_write_it(database_url: str) -> None:
    """A driver's name in the address, and a task that dies, must not leave a server waiting for ever."""
    url = database_url.replace("postgresql://", "postgresql+asyncpg://")
    async with asyncio.timeout(10), Listener(url) as listener, listener.hearing("weft_name", print):
        pass


async def test_a_database_that_cannot_be_reached_is_the_worlds_fault(people: People, tmp_path: Path) -> None:
    """DESIGN 4: the embedded server's socket may be gone: that is 503, not a fault of ours."""
    gone = Database(f"postgresql://postgres@/postgres?host={tmp_path}")
    with pytest.raises(WorldError):
        async with gone.transaction(Actor("nobody", frozenset())):
            pytest.fail("there is nothing to work on")
    await gone.close()


_IDLE = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'weft' AND state LIKE 'idle in transaction%'"


async def test_a_cancellation_leaves_no_transaction_behind(people: People, new_database: Any) -> None:
    """SEC-1: whenever work is cancelled, the next one on its connection begins anew, as whoever does it then."""
    ann, bob = await people.user(), await people.user()
    rng = random.Random(11)
    own = Database(await new_database("cancelled"), pool_size=1)

    async def work() -> None:
        async with own.transaction(ann) as tx:
            for _ in range(5):
                await tx.connection.execute(text("SELECT pg_sleep(0.001)"))

    async with own.transaction(bob) as tx:
        await tx.connection.execute(text("SELECT 1"))
    for _ in range(60):
        tasks = [asyncio.create_task(work()) for _ in range(2)]
        await asyncio.sleep(rng.uniform(0.0, 0.012))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with own.transaction(bob) as tx:
            assert await tx.connection.scalar(text("SELECT weft_user()")) == bob.user_id
    async with own.system() as tx:
        assert await tx.connection.scalar(text("SELECT current_setting('weft.user', true)")) in (None, "")
    connection = await asyncpg.connect(own.url)
    assert await connection.fetchval(_IDLE + " AND datname = current_database()") == 0
    await connection.close()
    await own.close()


async def test_a_commit_that_nobody_hears_is_the_worlds_fault(database_url: str, people: People) -> None:
    """DESIGN 4: a connection that is lost between the work and its commit is told of, and not taken for done."""
    ann = await people.user()
    own = Database(database_url, pool_size=1)
    with pytest.raises(WorldError, match="try again"):
        async with own.transaction(ann) as tx:
            await _end(tx, database_url)
    async with own.transaction(ann) as tx:
        assert await tx.connection.scalar(text("SELECT weft_user()")) == ann.user_id
    await own.close()


@asynccontextmanager
async def _half_closed(socket: Path, folder: Path) -> AsyncIterator[asyncio.Event]:
    """The same server in another folder: its clients hear its last word, and that it has gone once this is set."""
    gone = asyncio.Event()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while piece := await reader.read(65_536):
                writer.write(piece)
                await writer.drain()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs, ours = await asyncio.open_unix_connection(socket)
        asking = asyncio.create_task(pump(reader, ours))
        await pump(theirs, writer)
        await gone.wait()
        writer.close()
        asking.cancel()
        ours.close()

    server = await asyncio.start_unix_server(serve, folder / socket.name)
    yield gone
    server.close()


async def test_a_server_that_has_said_goodbye_and_not_gone_is_the_worlds_fault(
    database_url: str, people: People, tmp_path: Path
) -> None:
    """DESIGN 4: between its last word and the end of the connection the driver only knows that it cannot go on."""
    ann = await people.user()
    base, _, folder = database_url.partition("?host=")
    async with _half_closed(Path(folder) / ".s.PGSQL.5432", tmp_path) as gone:
        own = Database(f"{base}?host={tmp_path}", pool_size=1)
        with pytest.raises(WorldError, match="try again"):
            async with own.transaction(ann) as tx:
                await _end(tx, database_url)
                await asyncio.sleep(0.2)  # its last word is here
        gone.set()
        async with own.transaction(ann) as tx:
            assert await tx.connection.scalar(text("SELECT weft_user()")) == ann.user_id
        await own.close()
