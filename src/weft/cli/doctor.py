"""`weft doctor`: looks at everything Weft needs and says what to do about what is missing."""

import asyncio
import os
import shutil
import socket
import sys
from contextlib import AsyncExitStack
from typing import NamedTuple

import click

from weft.cli.running import as_json, show_json
from weft.compose import database_url
from weft.kit import log, places
from weft.kit.db import Database, migrate
from weft.kit.errors import OperatorError, WeftError
from weft.settings import Settings, load_settings

LEAST_FREE_BYTES = 500_000_000


class Finding(NamedTuple):
    """What one look found; `remedy` is empty where all is well."""

    what: str
    found: str
    remedy: str = ""


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", found, "" if sys.version_info >= (3, 11) else "install Python 3.11 or newer")


def _folder(settings: Settings) -> Finding:
    folder = settings.folder
    nearest = next(parent for parent in [folder, *folder.parents] if parent.exists())
    if not nearest.is_dir():
        return Finding("folder", f"{nearest} is a file", "set WEFT_HOME to a folder")
    if not os.access(nearest, os.W_OK):
        return Finding("folder", str(folder), f"make {nearest} writable, or set WEFT_HOME to a folder that is")
    free = shutil.disk_usage(nearest).free
    remedy = "" if free > LEAST_FREE_BYTES else "free some space: PostgreSQL stops when the disk is full"
    return Finding("folder", f"{folder} ({free // 1_000_000} MB free)", remedy)


def _port(settings: Settings) -> Finding:
    try:
        socket.create_connection((settings.host, settings.port), timeout=2).close()
    except socket.gaierror:
        return Finding("port", f"{settings.host} is no address", "set WEFT_HOST to an address of this machine")
    except OSError:
        return Finding("port", f"{settings.port} is free")
    return Finding("port", f"{settings.port} is in use: fine if Weft is running, otherwise set WEFT_PORT")


def _data() -> Finding:
    try:
        places.check_language("zh-CN")
        places.check_timezone("Asia/Shanghai")
        places.check_country("CN")
    except (ValueError, OSError) as error:
        return Finding("languages, zones, countries", str(error), "reinstall Weft: babel or tzdata is not whole")
    return Finding("languages, zones, countries", "CLDR, IANA and ISO 3166-1 data are there")


async def _database(settings: Settings) -> list[Finding]:
    kind = "yours" if settings.database_url is not None else "embedded"
    async with AsyncExitStack() as stack:
        try:
            url = await database_url(settings, stack)
            current = await migrate.current(url)
            findings = [Finding("database", f"{kind}, answers")]
            newest = migrate.head()
            remedy = "" if current in (newest, None) else "`weft db upgrade`, or the next start, brings it up to date"
            findings.append(Finding("schema", f"at revision {current or 'none'}, newest {newest}", remedy))
            if current == newest:
                findings.append(await _roles(url, stack))
        except OperatorError as error:
            return [Finding("database", kind, error.detail)]
        return findings


async def _roles(url: str, stack: AsyncExitStack) -> Finding:
    database = Database(url, pool_size=2)
    stack.push_async_callback(database.close)
    open_tables = await database.tables_without_row_security()
    if open_tables:
        remedy = f"row-level security is off for {', '.join(open_tables)}; `weft db upgrade` with the right version"
        return Finding("isolation", "broken", remedy)
    return Finding("isolation", "row-level security is on, under roles that cannot pass it")


async def _look(settings: Settings) -> list[Finding]:
    findings: list[Finding] = [_python(), _folder(settings), _port(settings), _data()]
    findings += await _database(settings)
    return findings


@click.command()
@as_json
def command(as_json: bool) -> None:
    """Check everything Weft needs and say what to do. Exits with 1 if something needs doing."""
    log.configure("ERROR", plain=True)
    try:
        findings = asyncio.run(_look(load_settings()))
    except WeftError as error:
        findings = [Finding("settings", "refused", error.detail)]
    if as_json:
        show_json([finding._asdict() | {"ok": not finding.remedy} for finding in findings])
    else:
        for what, found, remedy in findings:
            click.echo(f"{'!!' if remedy else 'ok'}  {what}: {found}")
            if remedy:
                click.echo(f"      to do: {remedy}")
    sys.exit(1 if any(finding.remedy for finding in findings) else 0)
