"""The first moments of a chat: Weft is opened while the terminal shows that something happens."""

import os

from weft import __version__
from weft.cli.chat_backstage import Backstage, Room
from weft.cli.chat_chinese import CHINESE
from weft.cli.chat_english import ENGLISH
from weft.cli.chat_looks import Looks
from weft.cli.chat_paper import Paper
from weft.cli.chat_words import Words
from weft.cli.widths import harmless
from weft.kit.errors import WeftError

_STEP_SECONDS = 0.1
_OFFLINE = "offline"


def opened(stage: Backstage, paper: Paper) -> tuple[Room, Words]:
    """The open room, and the language that it is spoken in."""
    paper.status(words_for("").starting)
    while not stage.opened_within(_STEP_SECONDS):
        paper.move()
    paper.status("")
    paper.end_line()
    room = stage.wait()
    return room, words_for(Looks(stage).interface_language())


def welcome(looks: Looks, paper: Paper, words: Words) -> None:
    """Say who talks, with which model, and what can be done."""
    try:
        model = looks.model()
    except WeftError as error:  # it may be mended in another terminal meanwhile
        paper.paragraph(words.explained(error.code, error.detail), fg="yellow")
    else:
        name = harmless(f"{model.card.vendor}/{model.card.name}")
        paper.line(words.talks_to.format(version=__version__, model=name), bold=True)
        if model.target.lane == _OFFLINE:
            paper.paragraph(words.offline, fg="yellow")
    paper.paragraph(words.hints, dim=True)


def words_for(interface_language: str) -> Words:
    """The language that the terminal's locale names; where it names none, that of the user's profile."""
    locale = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    language = locale.partition(".")[0]
    if language in ("", "C", "POSIX"):
        language = interface_language
    return CHINESE if language.lower().startswith("zh") else ENGLISH
