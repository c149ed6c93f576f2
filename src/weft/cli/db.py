"""`weft db`: where the database stands, forward, back, out and in."""

import asyncio
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeVar

import click

from weft.cli.running import as_json, show_json
from weft.compose import database_url
from weft.kit import log
from weft.kit.children import child_environment
from weft.kit.db import migrate
from weft.kit.db.programs import program
from weft.kit.errors import OperatorError
from weft.settings import load_settings

Result = TypeVar("Result")


def _with_url(work: Callable[[str], Awaitable[Result]]) -> Result:
    """Do something with the database's address, without bringing it up to date first."""
    settings = load_settings()
    log.configure("WARNING", plain=True)

    async def opened() -> Result:
        async with AsyncExitStack() as stack:
            return await work(await database_url(settings, stack))

    return asyncio.run(opened())


@click.group()
def command() -> None:
    """Look after the database."""


@command.command()
@as_json
def status(as_json: bool) -> None:
    """Where the database stands, and how far this Weft would take it."""
    current = _with_url(migrate.current)
    found = {"current": current, "newest": migrate.head(), "up_to_date": current == migrate.head()}
    if as_json:
        show_json(found)
    else:
        click.echo(f"The database is at revision {current or 'none'}; this Weft brings {found['newest']}.")


@command.command()
@as_json
def upgrade(as_json: bool) -> None:
    """Bring the database up to date, as every start does."""
    revision = _with_url(migrate.upgrade)
    if as_json:
        show_json({"current": revision})
    else:
        click.echo(f"The database is at revision {revision}.")


@command.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
def downgrade(yes: bool, as_json: bool) -> None:
    """Take the database back one step. What only the newer step can hold is deleted; dump it first."""
    if not yes:
        click.confirm("This deletes what only the newest revision can hold. Go on?", abort=True)
    revision = _with_url(migrate.downgrade)
    if as_json:
        show_json({"current": revision})
    else:
        click.echo(f"The database is at revision {revision or 'none'}.")


@command.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@as_json
def dump(file: Path, as_json: bool) -> None:
    """Write the whole database into FILE, in PostgreSQL's own format."""
    _run_program("pg_dump", "--format=custom", "--no-owner", f"--file={file}")
    if as_json:
        show_json({"file": str(file), "bytes": file.stat().st_size})
    else:
        click.echo(f"Wrote {file.stat().st_size} bytes to {file}.")


@command.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@as_json
def restore(file: Path, as_json: bool) -> None:
    """Fill an empty database from FILE; all of it or nothing."""
    if (found := _with_url(migrate.current)) is not None:
        raise OperatorError(
            f"the database is not empty (revision {found}); restore into a new one: set WEFT_HOME or WEFT_DATABASE_URL"
        )
    _with_url(migrate.make_roles)
    _run_program("pg_restore", "--no-owner", "--single-transaction", "--exit-on-error", str(file))
    if as_json:
        show_json({"restored": str(file)})
    else:
        click.echo("Restored.")


def _run_program(name: str, *arguments: str) -> None:
    async def run(url: str) -> None:
        address = url if url.startswith("postgresql://") else "postgresql://" + url.partition("://")[2]
        ran = await asyncio.to_thread(
            subprocess.run,
            [program(name), *arguments, f"--dbname={address}"],
            capture_output=True,
            env=child_environment(),
            text=True,
            check=False,
        )
        if ran.returncode:
            raise OperatorError(f"{name} failed: {ran.stderr.strip().replace(address, '(the database)')}")

    _with_url(run)
