"""The stepped history window: grows to twice what is guaranteed, then is cut back in one step.

A window that slides by one text with each turn changes the beginning of the history in every call, so that no prefix
cache ever holds it. This one keeps its beginning for several turns: for as long as the prefix stands that it was
written with (see `revisions`), or, where nobody remembers one, for as long as the number of texts alone says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

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
        users = (at for at in range(len(self.messages) - 1, -1, -1) if self.messages[at].kind == "user_input")
        return next(users, len(self.messages))


@dataclass(frozen=True, slots=True)
class Window:
    """What of a conversation a prompt shows."""

    start: int  # the number of the first text shown, of all that there were
    earlier: tuple[Stored, ...]
    turn: tuple[Stored, ...]

    @property
    def end(self) -> int:
        """The number of the text that the present turn begins with."""
        return self.start + sum(message.kind in TEXTS for message in self.earlier)

    def split(self, number: int) -> tuple[tuple[Stored, ...], tuple[Stored, ...]]:
        """What was there before this text, and what has come since."""
        texts = (at for at, message in enumerate(self.earlier) if message.kind in TEXTS)
        at = next(islice(texts, max(0, number - self.start), None), len(self.earlier))
        return self.earlier[:at], self.earlier[at:]


@dataclass(frozen=True, slots=True)
class _Texts:
    """Where the texts before the present turn are among the messages, and how many there were in all."""

    history: History
    turn: int
    positions: tuple[int, ...]
    count: int

    @classmethod
    def of(cls, history: History) -> "_Texts":
        turn = history.turn
        positions = tuple(at for at, message in enumerate(history.messages[:turn]) if message.kind in TEXTS)
        return cls(history, turn, positions, len(positions) if history.texts is None else history.texts)

    def index(self, number: int) -> int:
        """Which of the positions is that of this text; negative where the messages do not reach back to it."""
        return number - (self.count - len(self.positions))

    def is_answer(self, number: int) -> bool:
        at = self.index(number)
        return 0 <= at < len(self.positions) and self._kind(at) == "assistant_output"

    def follows_question(self, number: int) -> bool:
        at = self.index(number)
        return 0 < at < len(self.positions) and self._kind(at - 1) == "user_input"

    def _kind(self, at: int) -> str:
        return self.history.messages[self.positions[at]].kind

    def from_text(self, start: int) -> Window:
        """The window that begins with this text."""
        messages, first = self.history.messages, self.index(start)
        if first < 0:
            raise ValueError(f"the window begins at text {start}, and the messages only at {start - first}")
        turn = tuple(messages[self.turn :])
        if start == 0:
            return Window(0, tuple(messages[: self.turn]), turn)
        if first >= len(self.positions):
            return Window(start, (), turn)
        begin = self.positions[first]
        if self.is_answer(start):  # the tool rows before it led to it
            begin = self.positions[first - 1] + 1 if first else 0
        return Window(start, tuple(messages[begin : self.turn]), turn)


def most_texts(guaranteed: int) -> int:
    """How many texts before the present turn any window may show: as far back as has to be loaded."""
    return 2 * guaranteed


def window_start(texts: int, guaranteed: int) -> int:
    """The number of the first text that any window may begin with."""
    return max(0, texts - most_texts(guaranteed))


def window(history: History, guaranteed: int, start: int | None = None) -> Window:
    """The window over a conversation: from `start`, where it is not too long so; else in steps of its own.

    Those follow from the number of texts alone, and begin with a user's text wherever that leaves what is guaranteed.
    """
    texts = _Texts.of(history)
    if start is not None and may_begin(history, guaranteed, start):
        return texts.from_text(start)
    beyond = texts.count - 2 * guaranteed
    first = 0 if beyond <= 0 else guaranteed * -(-beyond // guaranteed)
    # An answer without its question tells little, and some vendors refuse a conversation that begins with one.
    return texts.from_text(first + (texts.is_answer(first) and texts.count - first > guaranteed and first > 0))


def may_begin(history: History, guaranteed: int, start: int) -> bool:
    """Whether a window may begin with this text: what is guaranteed is there, and no more than twice that."""
    texts = _Texts.of(history)
    enough = start <= max(0, texts.count - guaranteed)
    return enough and texts.count - start <= 2 * guaranteed and texts.index(start) >= 0


def cut_back(history: History, guaranteed: int) -> Window:
    """What is guaranteed, and the question with the answer that it would begin with."""
    texts = _Texts.of(history)
    start = max(0, texts.count - guaranteed)
    return texts.from_text(start - (guaranteed > 0 and texts.is_answer(start) and texts.follows_question(start)))


def shrunk(history: History, guaranteed: int) -> Window:
    """The least that may be shown: what is guaranteed and not a text more."""
    texts = _Texts.of(history)
    return texts.from_text(max(0, texts.count - guaranteed))
