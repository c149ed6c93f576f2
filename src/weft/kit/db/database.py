"""The pools of connections: one under the application's role, one under the narrow role for system work."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

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


class _NotConnectedError(Exception):
    """No connection could be had."""


_LOST = (DBAPIError, PoolTimeoutError, _NotConnectedError)
_LOST_STATES = ("08", "53", "57P")  # SQLSTATE: connection lost, out of connections or memory, shutting down
APP_ROLE = "weft_app"
SYSTEM_ROLE = "weft_system"
SYSTEM = Actor(via="system", rights=frozenset())

_ACT_AS = text(
    "SELECT set_config('weft.reach', :reach, true), set_config('weft.business', :business, true),"
    " set_config('weft.user', :user, true)"
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


def make_engine(url: str, *, role: str | None, pool_size: int = 10) -> AsyncEngine:
    """An engine whose connections act under the role from their first byte, so that no query can forget it."""
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


def _is_lost(error: DBAPIError) -> bool:
    state = getattr(error.orig, "sqlstate", None) or ""
    return error.connection_invalidated or state.startswith(_LOST_STATES)


class Database:
    """Opens transactions; holds the pools and nothing else."""

    def __init__(self, url: str, *, pool_size: int = 10) -> None:
        self.url = url
        self.engine = make_engine(url, role=APP_ROLE, pool_size=pool_size)
        self._system_engine = make_engine(url, role=SYSTEM_ROLE, pool_size=max(2, pool_size // 2))

    @asynccontextmanager
    async def transaction(self, actor: Actor, reach: Reach = Reach.USER) -> AsyncIterator[Transaction]:
        """A transaction that sees what the actor may see; commits at the end, rolls back on any error."""
        async with self._unit_of_work(self.engine, actor, reach) as tx:
            await tx.connection.execute(
                _ACT_AS,
                {
                    "reach": reach.value,
                    "business": str(actor.business_id or ""),
                    "user": str(actor.user_id or "") if reach is Reach.USER else "",
                },
            )
            yield tx

    @asynccontextmanager
    async def system(self) -> AsyncIterator[Transaction]:
        """A transaction for work that belongs to nobody: signing in, sweeping, scheduling."""
        async with self._unit_of_work(self._system_engine, SYSTEM, Reach.INSTALLATION) as tx:
            yield tx

    @asynccontextmanager
    async def _unit_of_work(self, engine: AsyncEngine, actor: Actor, reach: Reach) -> AsyncIterator[Transaction]:
        try:
            async with _connected(engine) as connection:
                tx = Transaction(connection, actor, reach)
                async with connection.begin():
                    yield tx
        except _LOST as error:
            if isinstance(error, DBAPIError) and not _is_lost(error):
                raise
            log.warning("database_lost", error=repr(error))
            raise WorldError("the database does not answer; try again in a moment") from error
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
