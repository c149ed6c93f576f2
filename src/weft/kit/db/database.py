"""The pools of connections: one under the application's role, one under the narrow role for system work."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import UUID

import asyncpg
import orjson
from sqlalchemy import text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from weft.kit.actor import Actor, Reach
from weft.kit.db.transaction import Transaction
from weft.kit.errors import OperatorError, WorldError
from weft.kit.log import get_logger

log = get_logger(__name__)


class DatabaseLostError(WorldError):
    """The database does not answer, or not any more: nobody knows whether what was being written is."""


class _NotConnectedError(Exception):
    """No connection could be had."""


# The last: what the driver says where the server has said that it ends the connection, and has not ended it yet.
_DRIVERS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
_LOST = (DBAPIError, PoolTimeoutError, _NotConnectedError, *_DRIVERS)
_LOST_STATES = ("08", "53", "57P")  # SQLSTATE: connection lost, out of connections or memory, shutting down
APP_ROLE = "weft_app"
SYSTEM_ROLE = "weft_system"
SYSTEM = Actor(via="system", rights=frozenset())

# Begins a transaction and says who acts in it, in one round trip; what stands in it is an enum's word and two UUIDs.
_BEGIN_AS = (
    "BEGIN; SELECT set_config('weft.reach', '{reach}', true), set_config('weft.business', '{business}', true),"
    " set_config('weft.user', '{user}', true)"
)
_OPEN_TABLES = text(
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
    " AND relname <> 'alembic_version' AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY relname"
)


def driver_url(url: str) -> URL:
    """The same address for our driver; anything but PostgreSQL is refused."""
    try:
        parsed = make_url(url)
    except Exception as error:
        raise OperatorError(
            "WEFT_DATABASE_URL is not a URL; write postgresql://user:password@host:5432/name"
        ) from error
    if parsed.get_backend_name() not in ("postgresql", "postgres"):
        raise OperatorError(f"WEFT_DATABASE_URL names {parsed.get_backend_name()!r}; Weft runs on postgresql://… only")
    return parsed.set(drivername="postgresql+asyncpg")


def _dumps(value: Any) -> str:
    return orjson.dumps(value).decode()


def _tls(query: dict[str, Any]) -> Any:
    """What `sslmode` and `sslrootcert` in the address ask for, as the driver takes it."""
    mode, authority = query.pop("sslmode", None), query.pop("sslrootcert", None)
    if mode == "disable":
        return False
    if mode not in ("verify-ca", "verify-full"):
        return mode
    context = ssl.create_default_context(cafile=authority)
    context.check_hostname = mode == "verify-full"
    return context


def make_engine(url: str, *, role: str | None, pool_size: int = 10, by_hand: bool = False) -> AsyncEngine:
    """An engine whose connections act under the role from their first byte, so that no query can forget it.

    `by_hand`: whoever uses it begins and ends its transactions.
    """
    target = driver_url(url)
    settings = {"application_name": "weft", "timezone": "UTC"}
    if role is not None:
        settings["role"] = role
    query = dict(target.query)
    connect_args: dict[str, Any] = {"server_settings": settings, "ssl": _tls(query)}
    return create_async_engine(
        target.set(query=query),
        connect_args=connect_args,
        pool_size=2 * pool_size,
        max_overflow=0,  # what overflows is closed when it is given back, and a new one costs more than a turn
        pool_timeout=30,
        pool_recycle=3600,
        json_serializer=_dumps,
        json_deserializer=orjson.loads,
        hide_parameters=True,
        **({"isolation_level": "AUTOCOMMIT"} if by_hand else {}),
    )


@asynccontextmanager
async def _connected(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection: what goes wrong in taking it is the database's doing, not that of the work to come."""
    connection = engine.connect()
    try:
        await connection.start()
    except OSError as error:  # the embedded server's socket may be gone, a host unknown or out of reach
        raise _NotConnectedError(str(error)) from error
    try:
        yield connection
    finally:
        await asyncio.shield(asyncio.ensure_future(connection.close()))  # given back even where the work is cancelled


@asynccontextmanager
async def _begun(connection: AsyncConnection, begin: str) -> AsyncIterator[None]:
    """A transaction on it. Where its end cannot be said, the connection is thrown away, and the transaction with it."""
    driver: Any = (await connection.get_raw_connection()).driver_connection
    ended = False
    try:
        await driver.execute(begin)
        try:
            yield
        except BaseException:
            with suppress(OSError, *_DRIVERS):
                await driver.execute("ROLLBACK")
                ended = True
            raise
        await driver.execute("COMMIT")
        ended = True
    finally:
        if not ended:
            driver.terminate()  # at once: nobody is to wait for a connection that says nothing any more
            await asyncio.shield(asyncio.ensure_future(connection.invalidate()))


def _is_lost(error: BaseException) -> bool:
    if isinstance(error, DBAPIError):
        state = getattr(error.orig, "sqlstate", None) or ""
        return error.connection_invalidated or state.startswith(_LOST_STATES)
    return not isinstance(error, asyncpg.PostgresError) or (error.sqlstate or "").startswith(_LOST_STATES)


def _quotable(value: UUID | None) -> str:
    """As it stands between quotes: hexadecimal digits, whatever anybody passes for one."""
    return "" if value is None else UUID(bytes=value.bytes).hex


class Database:
    """Opens transactions; holds the pools and nothing else."""

    def __init__(self, url: str, *, pool_size: int = 10) -> None:
        self.url = url
        self.engine = make_engine(url, role=APP_ROLE, pool_size=pool_size, by_hand=True)
        self._system_engine = make_engine(url, role=SYSTEM_ROLE, pool_size=max(2, pool_size // 2), by_hand=True)

    @asynccontextmanager
    async def transaction(self, actor: Actor, reach: Reach = Reach.USER) -> AsyncIterator[Transaction]:
        """A transaction that sees what the actor may see; commits at the end, rolls back on any error."""
        business, user = actor.business_id, actor.user_id if reach is Reach.USER else None
        begin = _BEGIN_AS.format(reach=reach.value, business=_quotable(business), user=_quotable(user))
        async with self._unit_of_work(self.engine, actor, reach, begin) as tx:
            yield tx

    @asynccontextmanager
    async def system(self) -> AsyncIterator[Transaction]:
        """A transaction for work that belongs to nobody: signing in, sweeping, scheduling."""
        async with self._unit_of_work(self._system_engine, SYSTEM, Reach.INSTALLATION, "BEGIN") as tx:
            yield tx

    @asynccontextmanager
    async def _unit_of_work(
        self, engine: AsyncEngine, actor: Actor, reach: Reach, begin: str
    ) -> AsyncIterator[Transaction]:
        try:
            async with _connected(engine) as connection:
                tx = Transaction(connection, actor, reach)
                async with _begun(connection, begin):
                    yield tx
        except _LOST as error:
            if not _is_lost(error):
                raise
            log.warning("database_lost", error=repr(error))
            raise DatabaseLostError("the database does not answer; try again in a moment") from error
        await tx.run_after_commit()

    async def ping(self) -> None:
        """Ask the database for the least it can answer."""
        async with self.engine.connect() as connection:
            await connection.execute(text("SELECT 1"))

    async def tables_without_row_security(self) -> list[str]:
        """Tables that a query which forgets its owner could read; there must be none."""
        async with self.engine.connect() as connection:
            found = await connection.execute(_OPEN_TABLES)
            return list(found.scalars())

    async def close(self) -> None:
        """Close every connection."""
        await self.engine.dispose()
        await self._system_engine.dispose()
