"""What a chat is written on: answers on one stream, what goes on around them on the other, a line that moves."""

import os
import shutil
import time
from typing import Any, TextIO

import click

from weft.cli.widths import padded, wrapped

_WIDEST = 100  # columns: longer lines are hard to read
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FRAME_SECONDS = 0.1
_PATIENCE_SECONDS = 0.3  # before anything moves


class Paper:
    """Where both streams are one terminal, it keeps their lines apart."""

    def __init__(self, out: TextIO, aside: TextIO) -> None:
        self._out, self._aside = out, aside
        self.wraps = out.isatty()
        self.moves = aside.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._colours = self.moves and "NO_COLOR" not in os.environ
        self._open = False  # whether the last character written ended no line
        self._status = ""
        self._since = 0.0
        self._drawn = False

    @property
    def columns(self) -> int:
        """How many fit in a line now; a window may have become narrower since it was opened."""
        shown = next((stream for stream in (self._out, self._aside) if stream.isatty()), None)
        return _WIDEST if shown is None else min(_columns_of(shown), _WIDEST)

    def write(self, text: str) -> None:
        """More of an answer."""
        if text:
            self._erase()
            self._put(self._out, text)
            self._open = not text.endswith("\n")

    def end_line(self) -> None:
        """What comes next begins a line."""
        self._erase()
        if self._open:
            self._put(self._out, "\n")
            self._open = False

    def line(self, text: str = "", **style: Any) -> None:
        """A line beside the answer."""
        self.end_line()
        self._put(self._aside, (click.style(text, **style) if self._colours and style else text) + "\n")

    def paragraph(self, text: str, indent: int = 0, **style: Any) -> None:
        """Lines beside the answer, broken where words end; not for commands, which somebody may want to copy."""
        for line in wrapped(text, self.columns - indent).split("\n"):
            self.line(" " * indent + line, **style)

    def item(self, head: str, text: str, head_columns: int) -> None:
        """A line of a list: its head, and beside it the text, which stays there in its next lines."""
        first, *more = wrapped(text, self.columns - head_columns - 4).split("\n")
        self.line(f"{self.styled(padded(head, head_columns + 2), fg='cyan')}  {first}")
        for line in more:
            self.line(" " * (head_columns + 4) + line)

    def styled(self, text: str, **style: Any) -> str:
        """A part of a line, in this style where there are any."""
        return click.style(text, **style) if self._colours else text

    def status(self, text: str) -> None:
        """What goes on at the moment; empty: nothing does."""
        if text != self._status:
            self._erase()
            self._status, self._since = text, time.monotonic()

    def move(self) -> None:
        """Show that it still goes on."""
        waited = time.monotonic() - self._since
        if not (self.moves and self._status and not self._open) or waited < _PATIENCE_SECONDS:
            return
        frame = _FRAMES[int(waited / _FRAME_SECONDS) % len(_FRAMES)]
        shown = self.styled(f"{frame} {self._status} {waited:.0f} s", dim=True)
        self._put(self._aside, f"\r\x1b[2K{shown}")
        self._drawn = True

    def _erase(self) -> None:
        if self._drawn:
            self._put(self._aside, "\r\x1b[2K")
            self._drawn = False

    def _put(self, stream: TextIO, text: str) -> None:
        stream.write(text)
        stream.flush()


def _columns_of(terminal: TextIO) -> int:
    """The terminal's own word, for $COLUMNS may be that of another one; where it has none, the usual guess."""
    try:
        columns = os.get_terminal_size(terminal.fileno()).columns
    except OSError:
        columns = 0
    return columns or shutil.get_terminal_size().columns
