"""Migrations at start: one process runs them under an advisory lock, the others wait and find them done."""

from importlib.resources import files
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from weft.kit.db.database import make_engine
from weft.kit.db.roles import ROLES
from weft.kit.errors import OperatorError
from weft.kit.log import get_logger

log = get_logger(__name__)
_LOCK = 0x57454654  # "WEFT"


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(files("weft") / "migrations"))
    config.attributes["connection"] = connection
    return config


def head() -> str:
    """The newest revision that this Weft knows."""
    return str(ScriptDirectory.from_config(_config()).get_current_head())


def revisions() -> list[str]:
    """Every revision, oldest first."""
    return [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()][::-1]


async def current(url: str) -> str | None:
    """The revision the database stands at, or None where Weft has never been."""
    revision: str | None = await _with_owner(url, _revision)
    return revision


async def upgrade(url: str, revision: str = "head") -> str:
    """Bring the database up to the revision; safe with any number of processes starting at once."""

    def run(connection: Connection) -> str:
        _lock(connection)
        found = _revision(connection)
        if found is not None and found not in revisions():
            raise OperatorError(
                f"the database is at revision {found!r}, which this Weft does not know: a newer Weft has migrated it. "
                f"Run that version, or downgrade the database with it first (`weft db downgrade`)."
            )
        command.upgrade(_config(connection), revision)
        reached = str(_revision(connection))
        if reached != found:
            log.info("database_upgraded", before=found, revision=reached)
        return reached

    return str(await _with_owner(url, run))


async def downgrade(url: str, revision: str = "-1") -> str | None:
    """Take the database back, by default one step."""

    def run(connection: Connection) -> str | None:
        _lock(connection)
        command.downgrade(_config(connection), revision)
        return _revision(connection)

    result: str | None = await _with_owner(url, run)
    return result


async def make_roles(url: str) -> None:
    """Make the roles that a dump takes for granted."""

    def run(connection: Connection) -> None:
        connection.execute(text(ROLES))

    await _with_owner(url, run)


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _lock(connection: Connection) -> None:
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


async def _with_owner(url: str, work: Any) -> Any:
    engine = make_engine(url, role=None, pool_size=1)
    try:
        async with engine.begin() as connection:
            return await connection.run_sync(work)
    finally:
        await engine.dispose()
