"""Text for the user: piece by piece as a model says it, or whole; and what it thinks aloud, shown apart."""

from collections.abc import Callable

from weft.kit.ids import new_id
from weft.kit.text import replace_unstorable
from weft.nodes.turn import Speech, Turn
from weft.state.events import TextEnded, TextGrew, TextStarted


def voice_of(turn: Turn, *, heard: bool = True) -> Callable[[str], None]:
    """Shows what it is given; nothing, where it is not for the user: what execution says is never forwarded."""

    def show(piece: str) -> None:
        turn.speech = say(turn, replace_unstorable(piece), turn.speech)

    return show if heard else _unheard


def say(turn: Turn, text: str, speech: Speech | None = None) -> Speech:
    """Show a text, or what goes on after what was shown."""
    if speech is None:
        speech = Speech(new_id())
        turn.show(TextStarted(str(speech.message_id)))
    if text:
        turn.show(TextGrew(str(speech.message_id), speech.length, text))
        speech.pieces.append(text)
        speech.length += len(text)
    return speech


def say_whole(turn: Turn, text: str, speech: Speech | None = None) -> Speech:
    """The same for a text that comes whole; the turn keeps it in mind until a message has it."""
    turn.speech = say(turn, text, speech)
    return turn.speech


class Thought:
    """What a model thinks aloud before it speaks: no part of the answer."""

    def __init__(self, turn: Turn, *, heard: bool = True) -> None:
        self._turn = turn
        self._id: str | None = None
        self._length = 0
        self._over = not heard

    def hear(self, piece: str) -> None:
        """More of it."""
        if self._over:
            return
        if self._id is None:
            self._id = str(new_id())
            self._turn.show(TextStarted(self._id, "reasoning"))
        self._turn.show(TextGrew(self._id, self._length, replace_unstorable(piece)))
        self._length += len(piece)

    def end(self) -> None:
        """It speaks now, or is done."""
        if self._id is not None and not self._over:
            self._turn.show(TextEnded(self._id))
            self._over = True


def _unheard(_piece: str) -> None:
    """What is not for the user."""
