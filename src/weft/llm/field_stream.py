"""Reads one text field out of a JSON object while the object is still being written."""

from enum import Enum, auto
from re import compile as pattern

_PLAIN = pattern(r'[^"\\\x00-\x1f]+')
_OUTSIDE = pattern(r'[^"{}\[\],:]+')  # nothing that changes where we are
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = frozenset("0123456789abcdefABCDEF")
_ESCAPE_LENGTH = 6
_LOST = "\ufffd"  # for half of a surrogate pair: no text may hold one


class _Place(Enum):
    BEFORE = auto()  # the object has not begun
    KEY = auto()  # a key may begin
    COLON = auto()  # a key has ended
    VALUE = auto()  # a value may begin, or goes on
    AFTER = auto()  # the object has ended


class FieldStream:
    """Give it pieces of JSON, cut anywhere; it gives what they add to the text of one top-level field.

    Only the object's own fields count, never the same name further in. If the field comes twice, the first
    one with a text is it, for what was shown is not taken back. What is no JSON gives nothing more.
    """

    def __init__(self, field: str) -> None:
        self._field = field
        self._place = _Place.BEFORE
        self._depth = 0
        self._inside = _Inside.NOTHING
        self._key: list[str] = []
        self._name: str | None = None
        self._any_key = False
        self._text = _StringReader()
        self._given: list[str] = []
        self.done = False  # the field's text is whole

    @property
    def shown(self) -> str:
        """All that was given so far."""
        return "".join(self._given)

    def feed(self, piece: str) -> str:
        """What this piece adds to the field."""
        added: list[str] = []
        at = 0
        while at < len(piece) and not self._over:
            at = self._in_string(piece, at, added) if self._inside else self._outside(piece, at)
        self._given += added
        return "".join(added)

    @property
    def _over(self) -> bool:
        return self.done or self._place is _Place.AFTER

    def _outside(self, piece: str, at: int) -> int:
        if found := _OUTSIDE.match(piece, at):
            if self._place is _Place.VALUE and self._depth == 1 and found[0].strip():
                self._name = None  # a number or a word: not a text
            return found.end()
        mark = piece[at]
        if mark == '"':
            self._begin_string()
        elif mark == "{" or (mark == "[" and self._depth):
            self._open()
        elif mark in "}]" and self._depth:
            self._close()
        elif self._depth == 1:
            self._place = _Place.VALUE if mark == ":" else _Place.KEY
        return at + 1

    def _begin_string(self) -> None:
        self._text = _StringReader()
        if self._depth == 0:
            return  # words around the object
        if self._depth == 1 and self._place is _Place.KEY:
            self._inside, self._key = _Inside.KEY, []
        elif self._depth == 1 and self._name == self._field and self._place is _Place.VALUE:
            self._inside = _Inside.FIELD
        else:
            self._inside = _Inside.OTHER

    def _open(self) -> None:
        self._depth += 1
        if self._depth == 1:
            self._place = _Place.KEY
        else:
            self._name = None

    def _close(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            # Braces in the words ahead of the object are not the object.
            self._place = _Place.AFTER if self._any_key else _Place.BEFORE

    def _in_string(self, piece: str, at: int, added: list[str]) -> int:
        read: list[str] = []
        at = self._text.read(piece, at, read)
        if self._inside is _Inside.KEY:
            self._key += read
        elif self._inside is _Inside.FIELD:
            added += read
        if self._text.ended:
            self._end_string()
        return at

    def _end_string(self) -> None:
        if self._inside is _Inside.KEY:
            self._name, self._place, self._any_key = "".join(self._key), _Place.COLON, True
        elif self._inside is _Inside.FIELD:
            self.done = True
        self._inside = _Inside.NOTHING


class _Inside(Enum):
    NOTHING = 0
    KEY = 1
    FIELD = 2
    OTHER = 3

    def __bool__(self) -> bool:
        return self is not _Inside.NOTHING


class _StringReader:
    """Decodes the inside of one JSON string from pieces; an escape or a surrogate pair may be cut anywhere."""

    __slots__ = ("_escape", "_high", "ended")

    def __init__(self) -> None:
        self._escape = ""
        self._high = ""
        self.ended = False

    def read(self, piece: str, at: int, out: list[str]) -> int:
        """Decode from a position on; returns the position after the string or at the end of the piece."""
        while at < len(piece):
            if len(self._escape) > 1 and piece[at] not in _HEX:
                self._escape = ""
                self._give(_LOST, out)
            elif self._escape:
                self._escape += piece[at]
                self._try_escape(out)
                at += 1
            elif found := _PLAIN.match(piece, at):
                self._give(found[0], out)
                at = found.end()
            elif piece[at] == "\\":
                self._escape = "\\"
                at += 1
            elif piece[at] == '"':
                self._give("", out)
                self.ended = True
                return at + 1
            else:
                self._give(piece[at], out)  # a bare line end in a string: models write them
                at += 1
        return at

    def _try_escape(self, out: list[str]) -> None:
        escape = self._escape
        if escape[1] != "u":
            self._escape = ""
            self._give(_ESCAPES.get(escape[1], escape[1]), out)
        elif len(escape) == _ESCAPE_LENGTH:
            self._escape = ""
            self._unit(int(escape.removeprefix("\\u"), base=16), out)

    def _unit(self, code: int, out: list[str]) -> None:
        if 0xD800 <= code < 0xDC00:
            self._give("", out)
            self._high = chr(code)
        elif 0xDC00 <= code < 0xE000 and self._high:
            out.append((self._high + chr(code)).encode("utf-16", "surrogatepass").decode("utf-16"))
            self._high = ""
        else:
            self._give(_LOST if 0xDC00 <= code < 0xE000 else chr(code), out)

    def _give(self, text: str, out: list[str]) -> None:
        if self._high:
            out.append(_LOST)
            self._high = ""
        if text:
            out.append(text)
