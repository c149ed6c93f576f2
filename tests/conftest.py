"""Real PostgreSQL for every test, and production's traps: no network but loopback, no blocking in the event loop."""

import ipaddress
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import fasteners
import pytest
import structlog
from blockbuster import BlockBuster, blockbuster_ctx
from hypothesis import settings

from tests.people import People
from weft.kit.db import Database, migrate
from weft.kit.db.embedded import embedded_postgres

pytest_plugins = ["tests.clients", "tests.turns"]
# Whoever shares the machine may make one example slow; how fast things are is measured by `make bench`.
settings.register_profile("weft", deadline=None)
settings.load_profile("weft")
TEMPLATE = "weft_template"
MAY_BLOCK = {
    "linecache.py": {"checkcache", "updatecache"},  # a traceback on its way to the log
    "rich/traceback.py": {"extract", "_render_stack"},
    "weft/runs/situations.py": {"_zone"},  # read once a process
    "asyncpg/connect_utils.py": {"_parse_connect_dsn_and_args"},
    "babel/localedata.py": {"exists"},  # one look for a file of the package's own
    "weft/kit/db/migrate.py": {"upgrade", "downgrade", "run", "head", "revisions"},  # at start, before any request
}


def _refuse_the_world(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "socket.connect" or not isinstance(arguments[1], tuple):
        return
    host = arguments[1][0]
    if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
        raise RuntimeError(f"a test tried to reach {host}; tests reach this machine only")


sys.addaudithook(_refuse_the_world)
_SHORT = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
# by default a traceback shows every local variable: seconds of work in the event loop for each run that fails
structlog.configure(processors=[*structlog.get_config()["processors"][:-1], _SHORT])


@pytest.fixture(autouse=True)
def blocking_is_an_error() -> Iterator[BlockBuster]:
    with blockbuster_ctx("weft") as blockbuster:
        for function in blockbuster.functions.values():
            for file, names in MAY_BLOCK.items():
                function.can_block_in(file, names)
        yield blockbuster


@pytest.fixture(scope="session")
def run_folder(testrun_uid: str) -> Path:
    """One folder for all the processes of this test run."""
    # Not below pytest's own: each test run that begins closes that to the user whom PostgreSQL runs as.
    folder = Path(tempfile.gettempdir()) / f"weft-tests-{testrun_uid}"
    folder.mkdir(mode=0o755, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def server_url(run_folder: Path) -> Iterator[str]:
    """One embedded server for all the processes of a test run, held the way the product holds it."""
    with embedded_postgres(run_folder / "weft") as url:
        yield url
    if not (run_folder / "weft" / "postgres" / "postmaster.pid").exists():  # nobody else is using it any more
        shutil.rmtree(run_folder, ignore_errors=True)


async def _sql(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


def _named(url: str, database: str) -> str:
    return url.replace("/postgres?", f"/{database}?")


@pytest.fixture(scope="session")
async def new_database(server_url: str, worker_id: str, run_folder: Path) -> Any:
    """Makes databases: `await new_database("name")`, migrated; `empty=True` for one that is not."""
    lock = fasteners.InterProcessLock(run_folder / "template.lock")
    with lock:
        connection = await asyncpg.connect(server_url)
        there = await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", TEMPLATE)
        await connection.close()
        if not there:
            await _sql(server_url, f"CREATE DATABASE {TEMPLATE}")
            await migrate.upgrade(_named(server_url, TEMPLATE))

    async def make(name: str, *, empty: bool = False) -> str:
        full = f"weft_{worker_id}_{name}"
        template = "template0" if empty else TEMPLATE
        with lock:  # a template that somebody copies from cannot be copied by another
            await _sql(
                server_url, f"DROP DATABASE IF EXISTS {full} (FORCE)", f"CREATE DATABASE {full} TEMPLATE {template}"
            )
        return _named(server_url, full)

    return make


@pytest.fixture(scope="session")
async def database_url(new_database: Any) -> str:
    """This test process's own database."""
    url: str = await new_database("shared")
    return url


@pytest.fixture(scope="session")
async def database(database_url: str) -> AsyncIterator[Database]:
    """Open for the whole run: tests keep apart by each having businesses and users of its own."""
    database = Database(database_url)
    yield database
    await database.close()


@pytest.fixture
def people(database: Database) -> People:
    """Makes businesses, users and operators nobody else has."""
    return People(database)


@pytest.fixture
def root() -> Path:
    """The project's folder."""
    return Path(__file__).parent.parent
