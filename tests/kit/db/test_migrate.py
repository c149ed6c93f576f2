"""Migrations: there, back, and with several processes at once."""

import asyncio
import importlib
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection

import weft
from weft.kit.db import migrate
from weft.kit.db.database import make_engine
from weft.kit.db.model import Model
from weft.kit.errors import OperatorError

DOMAINS = sorted(path.parent.name for path in Path(weft.__path__[0]).glob("*/models.py"))
_SCHEMA = """
    SELECT 'column', table_name, column_name, data_type || coalesce(character_maximum_length::text, '') || is_nullable
      || coalesce(column_default, '') FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT 'policy', tablename, policyname, coalesce(qual, '') || coalesce(with_check, '') FROM pg_policies
    UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) FROM pg_trigger
      WHERE NOT tgisinternal
    UNION ALL SELECT 'function', '', proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT 'grant', table_name, grantee, privilege_type FROM information_schema.role_table_grants
      WHERE table_schema = 'public'
    ORDER BY 1, 2, 3, 4
"""


async def _schema(url: str) -> list[tuple[str, ...]]:
    connection = await asyncpg.connect(url)
    rows = [tuple(row) for row in await connection.fetch(_SCHEMA)]
    await connection.close()
    return rows


async def test_each_step_goes_back_and_forth_and_leaves_the_same_schema(new_database: Any) -> None:
    """Issue 1: migrations are downgradeable one step; going down and up again changes nothing."""
    url = await new_database("steps", empty=True)
    after: dict[str | None, list[tuple[str, ...]]] = {}
    for revision in migrate.revisions():
        await migrate.upgrade(url, revision)
        after[revision] = await _schema(url)
    for earlier in [*migrate.revisions()[-2::-1], None]:
        assert await migrate.downgrade(url) == earlier
        if earlier is not None:
            assert await _schema(url) == after[earlier]
    assert {row[1] for row in await _schema(url) if row[0] == "column"} <= {"alembic_version"}
    await migrate.upgrade(url)
    assert await _schema(url) == after[migrate.head()]


async def test_eight_processes_may_start_at_once(new_database: Any) -> None:
    """Issue 1: migrations run under an advisory lock; who comes second finds them done."""
    url = await new_database("race", empty=True)
    assert await asyncio.gather(*(migrate.upgrade(url) for _ in range(8))) == [migrate.head()] * 8
    assert await migrate.current(url) == migrate.head()


async def test_a_database_from_the_future_is_refused_with_the_way_out(new_database: Any) -> None:
    url = await new_database("future")
    connection = await asyncpg.connect(url)
    await connection.execute("UPDATE alembic_version SET version_num = '9999'")
    await connection.close()
    with pytest.raises(OperatorError, match=r"'9999', which this Weft does not know.*weft db downgrade"):
        await migrate.upgrade(url)


async def test_the_models_are_the_tables(database_url: str) -> None:
    """Columns, types, nullability, keys and indexes of the models are those that the migrations made."""
    for domain in DOMAINS:  # of all of them, whichever tests run beside this one
        importlib.import_module(f"weft.{domain}.models")

    def differences(connection: Connection) -> list[Any]:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return [found for found in compare_metadata(context, Model.metadata) if not _is_constraint_only(found)]

    engine = make_engine(database_url, role=None)
    try:
        async with engine.connect() as connection:
            found = await connection.run_sync(differences)
    finally:
        await engine.dispose()
    assert found == []


def _is_constraint_only(found: Any) -> bool:
    """Constraints that carry a table's rules stand in the migration alone; a model says what columns there are."""
    return isinstance(found, tuple) and found[0] in ("remove_constraint", "remove_index")
