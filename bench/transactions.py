"""What a transaction costs our process: as it is begun now, as an ORM session begins it, and as the driver alone."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import asyncpg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from bench._ground import fresh_weft, run, table
from weft.kit.actor import Actor
from weft.kit.db import Database
from weft.kit.db.database import APP_ROLE, make_engine

ROUNDS, EACH = 40, 25
STATEMENTS = (0, 1, 3, 10)
QUERY = "SELECT status FROM agent_runs WHERE id = {}"
BOUND = text(QUERY.format(":id"))
ACT_AS = text("SELECT set_config('weft.reach', 'user', true), set_config('weft.user', :user, true)")
Work = Callable[[int], Awaitable[Any]]


async def _cheapest(work: Work, statements: int) -> float:
    """Processor milliseconds of one transaction, in the round that was disturbed least."""
    spent = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(EACH):
            await work(statements)
        spent.append((time.process_time() - begun) / EACH * 1000)
    return min(spent)


def _ours(database: Database, actor: Actor) -> Work:
    async def work(statements: int) -> None:
        async with database.transaction(actor) as tx:
            for _ in range(statements):
                (await tx.connection.execute(BOUND, {"id": actor.owner_id})).all()

    return work


def _orm(database: Database, user: UUID) -> tuple[Work, Callable[[], Awaitable[None]]]:
    engine = make_engine(database.url, role=APP_ROLE)

    async def work(statements: int) -> None:
        async with AsyncSession(engine) as session, session.begin():
            await session.execute(ACT_AS, {"user": str(user)})
            for _ in range(statements):
                (await session.execute(BOUND, {"id": user})).all()

    return work, engine.dispose


def _driver(connection: asyncpg.Connection, user: UUID) -> Work:
    async def work(statements: int) -> None:
        async with connection.transaction():
            for _ in range(statements):
                await connection.fetch(QUERY.format("$1"), user)

    return work


async def _measure() -> None:
    async with fresh_weft() as (weft, actor):
        orm, dispose = _orm(weft.database, actor.owner_id)
        connection = await asyncpg.connect(weft.database.url)
        ways = {
            "Weft": _ours(weft.database, actor),
            "an ORM session, who acts in a statement": orm,
            "the driver alone, nobody acting": _driver(connection, actor.owner_id),
        }
        rows = [[name, *[await _cheapest(work, many) for many in STATEMENTS]] for name, work in ways.items()]
        await asyncio.gather(connection.close(), dispose())
    table(["processor ms of a transaction", *[f"{many} statements" for many in STATEMENTS]], rows)


def main() -> None:
    """Measure."""
    run(_measure)
