"""The stepped history window: grows to twice what is guaranteed, then is cut back in one step.

A window that slides by one text with each turn changes the beginning of the history in every call, so that no prefix
cache ever holds it. This one keeps its beginning for several turns. Where it begins follows from the number of texts
alone: after a restart, or in another process, it is the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from weft.context.conversation import TEXTS, Stored


@dataclass(frozen=True, slots=True)
class History:
    """The conversation up to now, the turn that is being answered included: from its last user text on.

    `texts` is the number of user and assistant texts before that turn. It may be left out where `messages` reach back
    to the first; otherwise they reach back at least as far as `window_start` says.
    """

    messages: Sequence[Stored]
    texts: int | None = None

    @property
    def turn(self) -> int:
        """Where in the messages the present turn begins."""
        users = [index for index, message in enumerate(self.messages) if message.kind == "user_input"]
        return users[-1] if users else len(self.messages)


@dataclass(frozen=True, slots=True)
class Window:
    """What of a conversation a prompt shows."""

    start: int  # the number of the first text shown, of all that there were
    earlier: tuple[Stored, ...]
    turn: tuple[Stored, ...]


def window_start(texts: int, guaranteed: int) -> int:
    """The number of the first text in the window, when there are this many before the present turn."""
    beyond = texts - 2 * guaranteed
    return 0 if beyond <= 0 else guaranteed * -(-beyond // guaranteed)


def window(history: History, guaranteed: int) -> Window:
    """The window over a conversation; it begins with a user's text wherever that leaves what is guaranteed."""
    turn = history.turn
    earlier = history.messages[:turn]
    positions = [index for index, message in enumerate(earlier) if message.kind in TEXTS]
    texts = len(positions) if history.texts is None else history.texts
    return _from(window_start(texts, guaranteed), texts, guaranteed, positions, history)


def shrunk(history: History, guaranteed: int) -> Window:
    """The least that may be shown: what is guaranteed and not a text more."""
    earlier = history.messages[: history.turn]
    positions = [index for index, message in enumerate(earlier) if message.kind in TEXTS]
    texts = len(positions) if history.texts is None else history.texts
    return _from(max(0, texts - guaranteed), texts, guaranteed, positions, history)


def _from(start: int, texts: int, guaranteed: int, positions: list[int], history: History) -> Window:
    turn = history.turn
    first = start - (texts - len(positions))
    if first < 0:
        raise ValueError(f"the window begins at text {start}, and the messages only at {texts - len(positions)}")
    if start == 0 or first >= len(positions):
        kept = history.messages[:turn] if start == 0 else ()
        return Window(start, tuple(kept), tuple(history.messages[turn:]))
    begins_with_answer = history.messages[positions[first]].kind == "assistant_output"
    if begins_with_answer and texts - start > guaranteed:
        # An answer without its question tells little, and some vendors refuse a conversation that begins with one.
        start, first, begins_with_answer = start + 1, first + 1, False
    begin = positions[first]
    if begins_with_answer:  # the tool rows before it led to it
        begin = positions[first - 1] + 1 if first else 0
    return Window(start, tuple(history.messages[begin:turn]), tuple(history.messages[turn:]))
