"""How many columns a text takes in a terminal, and how it is cut and wrapped to fit: Chinese characters take two."""

import unicodedata
from functools import lru_cache

_CLOSING = frozenset("，。、；：？！）】》」』”’…—·％,.;:?!)]}%")  # never at the beginning of a line
_OPENING = frozenset("（【《「『“‘([{")  # never at its end
_KEPT = frozenset("\n\t\u200d")  # the last one joins emoji
_INVISIBLE = frozenset({"Cc", "Cf", "Cs"})
_TAB = "    "
_FENCE = "```"


@lru_cache(maxsize=8_192)
def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", *_INVISIBLE):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def width(text: str) -> int:
    """How many columns it takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def cut(text: str, columns: int) -> str:
    """It as one line of at most so many columns; what is left out shows as `…`."""
    line = harmless(" ".join(text.split()))
    if width(line) <= columns:
        return line
    taken, left = 0, columns - 1
    for at, character in enumerate(line):
        taken += _columns(character)
        if taken > left:
            return line[:at].rstrip() + "…"
    return line


def padded(text: str, columns: int) -> str:
    """It with blanks behind, up to so many columns."""
    return text + " " * (columns - width(text))


def harmless(text: str) -> str:
    """It without what would move a cursor, change a colour or turn the direction of reading."""
    if text.isascii() and text.isprintable():
        return text
    kept = (each for each in text if each in _KEPT or unicodedata.category(each) not in _INVISIBLE)
    return "".join(kept).replace("\t", _TAB)


def wrapped(text: str, columns: int) -> str:
    """It in lines of at most so many columns."""
    wrapping = Wrapping(columns)
    return wrapping.feed(text) + wrapping.flush()


class Wrapping:
    """Breaks a text that comes in pieces into lines: between words, and as Chinese is broken between characters.

    The last word of a piece is held back until it is known to be whole, or somebody flushes. Code is left as it is.
    """

    def __init__(self, columns: int) -> None:
        self._most = max(columns, 20)
        self._at = 0
        self._gap = ""
        self._word = ""
        self._line = ""  # as far as needed to see a fence
        self._code = False

    def feed(self, piece: str) -> str:
        """What can be written now."""
        return "".join(map(self._take, harmless(piece)))

    def flush(self) -> str:
        """What is held back; what comes next may continue the same word."""
        return self._place()

    @property
    def at_start(self) -> bool:
        """Whether the next character begins a line."""
        return self._at == 0 and not self._word and not self._gap

    def _take(self, character: str) -> str:
        if character == "\n":
            return self._end_line()
        if len(self._line) < len(_FENCE):
            self._line = (self._line + character).lstrip()
        if self._code:
            self._at += _columns(character)
            return character
        if character == " ":
            placed = self._place()
            self._gap += character
            return placed
        placed = "" if self._sticks(character) else self._place()
        self._word += character
        return placed

    def _sticks(self, character: str) -> bool:
        """Whether it must stand on the same line as the character before it."""
        last = self._word[-1:]
        if not last or character in _CLOSING or last in _OPENING or _columns(character) == 0:
            return True
        return _columns(last) < 2 and _columns(character) < 2

    def _place(self) -> str:
        if not self._word:
            return ""
        gap, word, self._gap, self._word = self._gap, self._word, "", ""
        needed = width(gap) + width(word)
        if self._at and self._at + needed > self._most:
            self._at = width(word)
            return "\n" + word
        self._at += needed
        return gap + word

    def _end_line(self) -> str:
        placed = self._place()
        if self._line.startswith(_FENCE):
            self._code = not self._code
        self._at, self._gap, self._line = 0, "", ""
        return placed + "\n"
