"""What row-level security refuses when a query forgets its owner."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.people import People
from weft.kit.actor import Actor, Reach
from weft.kit.db import Database
from weft.kit.ids import new_id
from weft.profiles.service import ProfileService
from weft.sessions.metadata import UserInput
from weft.sessions.schemas import NewMessage
from weft.sessions.service import SessionService

NOBODY = Actor("nobody", frozenset())
_TABLES = """
    SELECT c.relname, bool_or(a.attname = 'user_id') AS of_user
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'alembic_version'
    GROUP BY c.relname
"""
_MAY_READ = "SELECT has_table_privilege(:role, :table, 'SELECT')"


async def _user_with_everything(database: Database, people: People) -> Actor:
    actor = await people.user()
    async with database.transaction(actor) as tx:
        await ProfileService(tx).change(actor.owner_id, {"username": "Ann"})
        session = await SessionService(tx).create()
        await SessionService(tx).append(session.id, [NewMessage(content="hi", metadata=UserInput())])
        await tx.connection.execute(
            text(
                "INSERT INTO ai_calls (id, business_id, user_id, session_id, purpose, vendor, endpoint, key, model,"
                " category, usage_source, cost_source, currency, started_at, outcome) VALUES (:id, :business, :user,"
                " :session, 'intent', 'v', 'e', 'k', 'm', 'text', 'estimated', 'unpriced', 'CNY', now(), 'running')"
            ),
            {"id": new_id(), "business": actor.business_id, "user": actor.user_id, "session": session.id},
        )
    return actor


async def test_a_query_that_forgets_its_owner_sees_nothing(database: Database, people: People) -> None:
    """SEC-1: under the application's role and without an owner, every table of users' rows is empty."""
    await _user_with_everything(database, people)
    async with database.transaction(NOBODY) as tx:
        tables = dict(iter(await tx.connection.execute(text(_TABLES))))
        owned = {table for table, of_user in tables.items() if of_user}
        assert owned >= {"profiles", "agent_chat_sessions", "agent_chat_messages", "ai_calls"}
        for table in tables:
            if await tx.connection.scalar(text(_MAY_READ), {"role": "weft_app", "table": table}):
                assert await tx.connection.scalar(text(f"SELECT count(*) FROM {table}")) == 0, table
    async with database.engine.connect() as connection:  # not even the owner's settings are there
        for table in owned:
            assert await connection.scalar(text(f"SELECT count(*) FROM {table}")) == 0, table


async def test_every_table_is_under_row_level_security(database: Database) -> None:
    """SEC-1: a new table that forgets it is named here."""
    assert await database.tables_without_row_security() == []


async def test_a_user_sees_their_own_rows_and_an_operator_those_within_reach(
    database: Database, people: People
) -> None:
    """SEC-1: one user's rows are there for that user and for the operators of their business and the installation."""
    ann, eve = await _user_with_everything(database, people), await _user_with_everything(database, people)

    async def count(actor: Actor, reach: Reach, table: str) -> int:
        async with database.transaction(actor, reach) as tx:
            rows = await tx.connection.scalars(
                text(f"SELECT user_id FROM {table} WHERE user_id = :u"), {"u": ann.user_id}
            )
            return len(rows.all())

    for table in ("profiles", "agent_chat_sessions", "agent_chat_messages", "ai_calls"):
        assert await count(ann, Reach.USER, table) == 1, table
        assert await count(eve, Reach.USER, table) == 0, table
        assert await count(people.operator(of=ann), Reach.BUSINESS, table) == 1, table
        assert await count(people.operator(of=eve), Reach.BUSINESS, table) == 0, table
        assert await count(people.operator(), Reach.INSTALLATION, table) == 1, table


async def test_nobody_writes_in_somebody_elses_name(database: Database, people: People) -> None:
    """SEC-1: an insert for another user is refused by the database itself."""
    ann, eve = await people.user(), await people.user()
    with pytest.raises(DBAPIError, match="row-level security"):
        async with database.transaction(ann) as tx:
            await tx.connection.execute(
                text("INSERT INTO profiles (user_id, business_id) VALUES (:user, :business)"),
                {"user": eve.user_id, "business": eve.business_id},
            )


async def test_a_user_of_one_business_is_nobody_in_another(database: Database, people: People) -> None:
    """SEC-1: the right user under the wrong business sees nothing."""
    ann = await _user_with_everything(database, people)
    other, _ = await people.business()
    stranger = Actor("test", ann.rights, other, ann.user_id)
    async with database.transaction(stranger) as tx:
        assert await tx.connection.scalar(text("SELECT count(*) FROM profiles")) == 0


async def test_the_system_role_cannot_read_what_users_wrote(database: Database, people: People) -> None:
    """SEC-2: system work has a role of its own that sees only what it needs."""
    await _user_with_everything(database, people)
    for table in ("profiles", "agent_chat_messages", "agent_chat_sessions", "ai_calls"):
        with pytest.raises(DBAPIError, match="permission denied"):
            async with database.system() as tx:
                await tx.connection.execute(text(f"SELECT * FROM {table}"))


async def test_an_operator_reads_and_does_not_write(database: Database, people: People) -> None:
    """SEC-1: an operator's reach is for reading; users' rows change on behalf of their user only."""
    ann = await _user_with_everything(database, people)
    async with database.transaction(people.operator(), Reach.INSTALLATION) as tx:
        changed = await tx.connection.execute(
            text("UPDATE profiles SET username = 'x' WHERE user_id = :user RETURNING 1"), {"user": ann.user_id}
        )
        assert changed.all() == []


async def test_the_next_transaction_of_a_connection_is_somebody_else(database: Database, people: People) -> None:
    """SEC-1: who is acting ends with the transaction, whatever connection it had."""
    ann = await people.user()
    async with database.transaction(ann) as tx:
        assert await tx.connection.scalar(text("SELECT weft_user()")) == ann.user_id
    for _ in range(20):
        async with database.engine.connect() as connection:
            assert await connection.scalar(text("SELECT weft_user()")) is None
