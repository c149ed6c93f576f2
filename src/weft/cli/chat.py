"""`weft chat`: talk with Weft in the terminal, one message or a conversation."""

import io
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from uuid import UUID

import click

from weft.cli.chat_approvals import Asking
from weft.cli.chat_backstage import Backstage
from weft.cli.chat_json import JsonLines
from weft.cli.chat_loop import converse
from weft.cli.chat_opening import opened
from weft.cli.chat_paper import Paper
from weft.cli.chat_prompt import Prompt
from weft.cli.chat_screen import Screen
from weft.cli.chat_talk import Talk
from weft.cli.running import Whose, as_json, whose

EXIT_NO_GOOD_END = 1


@click.command()
@click.argument("message", required=False)
@click.option("--session", type=click.UUID, metavar="ID", help="Go on with this conversation.")
@click.option("--skill", metavar="NAME", help="Take it up with the first message; core leaves the one that is active.")
@click.option("--voice", metavar="NAME", help="How the persona speaks.")
@whose
@as_json
def command(message: str | None, session: UUID | None, skill: str | None, voice: str | None, **options: str) -> None:
    """Talk with Weft: one MESSAGE, or a conversation.

    The answer goes to standard output, everything around it to standard error. Without a terminal, the whole of
    standard input is the message. Exits with 1 if the turn comes to no good end, or waits for somebody's word. With
    --json, every line is an event.
    """
    told_as_json = bool(options["as_json"])
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal may know fewer characters than a model
    if message is None and (told_as_json or not _at_a_terminal()):
        message = sys.stdin.read().rstrip("\n")
    with _ended_by_signals(), Backstage(Whose(options["business"], options["user"])) as stage:
        talk = Talk(stage, JsonLines(sys.stdout), session_id=session, voice=voice, skill=skill)
        if message is None:
            converse(talk)
        elif not _once(talk, message, told_as_json=told_as_json):
            sys.exit(EXIT_NO_GOOD_END)


def _once(talk: Talk, message: str, *, told_as_json: bool) -> bool:
    """One turn; whether it came to a good end."""
    if not told_as_json:
        paper = Paper(sys.stdout, sys.stderr)
        room, words = opened(talk.stage, paper)
        talk.sight = Screen(paper, words, room.log_file)
        if _at_a_terminal():
            talk.ask = Asking(paper, words, Prompt(paper))
    return talk.say(message)


def _at_a_terminal() -> bool:
    """Whether somebody is there who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A terminal that is closed, or a kind request to end, ends a chat as properly as the user does."""

    def leave(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
