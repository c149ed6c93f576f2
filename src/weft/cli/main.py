"""The command `weft`: it knows its commands by name and imports only the one that runs."""

import importlib
import os
import sys
import threading

import click
import orjson

from weft.kit.errors import OperatorError, WeftError, WorldError

COMMANDS = {
    "serve": "Start the server.",
    "chat": "Talk with Weft in the terminal.",
    "init": "Prepare a new installation.",
    "doctor": "Check everything and say what to do.",
    "db": "Look after the database.",
    "profile": "Show and change a user's profile.",
    "sessions": "Look at conversations.",
    "skills": "Look at skills, check, propose and review them.",
    "context": "What calls were sent.",
    "infra": "Vendors, their keys and models, prices, aliases.",
    "usage": "What calls came to, in tokens and money.",
    "keys": "Businesses, their keys, and operators.",
}
EXIT_REFUSED, EXIT_MISCONFIGURED = 1, 78


class _Lazy(click.Group):
    """Lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, in the order a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"weft.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `weft --help`."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="weft", prog_name="weft")
def weft() -> None:
    """Weft, a self-hosted agent runtime.

    Settings come from the environment (WEFT_HOME, WEFT_PORT, WEFT_DATABASE_URL, …); every one is optional.
    """


def main() -> None:
    """Run one command; an error that Weft can name is told in one line, without a traceback."""
    try:
        _run()
    except SystemExit as end:
        _leave_at_once(end)
        raise


def _run() -> None:
    try:
        weft()
    except WeftError as error:
        _tell(error)
        sys.exit(EXIT_MISCONFIGURED if isinstance(error, OperatorError) else EXIT_REFUSED)
    except OSError as error:  # a connection that breaks, a disk that is full: the world, and no fault of Weft's
        _tell(WorldError(str(error)))
        sys.exit(EXIT_REFUSED)


def _leave_at_once(end: SystemExit) -> None:
    """Wait for no heavy import that is under way: everything of ours is closed, and nobody needs it any more."""
    loading = sys.modules.get("weft.worker.flow_loading")  # most commands know nothing of it
    if loading is None or not loading.importing() or threading.current_thread() is not threading.main_thread():
        return
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(end.code if isinstance(end.code, int) else int(end.code is not None))


def _tell(error: WeftError) -> None:
    if "--json" in sys.argv:
        told = {"code": error.code, "title": error.title, "detail": error.detail, "field": error.field}
        click.echo(orjson.dumps({key: value for key, value in told.items() if value is not None}).decode(), err=True)
    else:
        click.echo(f"weft: {error.detail}", err=True)
