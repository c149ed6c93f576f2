"""A conversation at the terminal: what the user types is said or done, until they leave."""

import sys
from contextlib import suppress

from weft.cli.chat_approvals import Asking
from weft.cli.chat_commands import Commands
from weft.cli.chat_looks import Looks
from weft.cli.chat_opening import opened, welcome
from weft.cli.chat_paper import Paper
from weft.cli.chat_prompt import Prompt
from weft.cli.chat_screen import Screen
from weft.cli.chat_talk import Talk
from weft.kit.errors import WeftError, WorldError

MARK = "› "
HISTORY_FILE = "chat_history"


def converse(talk: Talk) -> None:
    """Until /quit, or Ctrl-C or Ctrl-D where nothing is typed."""
    paper = Paper(sys.stdout, sys.stdout)
    room, words = opened(talk.stage, paper)
    looks, screen = Looks(talk.stage), Screen(paper, words, room.log_file)
    commands = Commands(talk, looks, paper, words)
    prompt = Prompt(paper, room.weft.settings.folder / HISTORY_FILE, commands.complete)
    talk.sight, talk.ask = screen, Asking(paper, words, prompt)
    session_id = talk.session_id
    if session_id is not None:
        looks.session(session_id)  # where there is none, nothing is begun
    welcome(looks, paper, words)
    try:
        if session_id is not None:
            commands.go_on(session_id)
        while not commands.leaving:
            paper.line()
            line = prompt.read(MARK, words.prompt_more)
            try:
                _heed(line, talk, commands)
            except WeftError as error:
                screen.told(error)
            except OSError as error:
                screen.told(WorldError(str(error)))
    except (EOFError, KeyboardInterrupt):
        screen.rest()
        paper.line()
    finally:
        prompt.keep()
    if talk.session_id is not None:
        with suppress(OSError):  # the terminal may be gone
            paper.line(words.bye.format(session=talk.session_id), dim=True)


def _heed(line: str, talk: Talk, commands: Commands) -> None:
    if line.startswith("//"):
        talk.say(line[1:])
    elif line.startswith("/"):
        commands.do(line)
    elif line.strip():
        talk.say(line)
