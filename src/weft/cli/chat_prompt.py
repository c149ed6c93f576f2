"""Reads what the user types: with a line editor, a history that outlives the chat, and completion of commands."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from weft.cli.chat_interrupts import raised_while_typing
from weft.cli.chat_paper import Paper

try:
    import readline
except ImportError:  # not everywhere; then a line is only a line
    _readline: Any = None
else:
    _readline = readline

_MOST_LINES = 1_000
_GOES_ON = "\\"


class Prompt:
    """One a chat: what was typed before can be called back."""

    def __init__(
        self, paper: Paper, history: Path | None = None, complete: Callable[[str], Sequence[str]] = lambda _: ()
    ) -> None:
        self._paper = paper
        self._file = history
        self._complete = complete
        self._known = 0
        self._typed = ""
        if _readline is not None:
            self._prepare()

    def read(self, mark: str, mark_more: str) -> str:
        """What the user says; a line that ends with a backslash goes on in the next."""
        lines: list[str] = []
        while True:
            try:
                with raised_while_typing(self._remember):
                    line = input(self._styled(mark_more if lines else mark))
            except KeyboardInterrupt:
                if not lines and not self._typed.strip():
                    raise
                lines.clear()  # as in a shell: what was typed is dropped, and another one leaves
                self._paper.line()
                continue
            if not line.endswith(_GOES_ON):
                return "\n".join([*lines, line])
            lines.append(line.removesuffix(_GOES_ON))

    def ask(self, question: str, filled_in: str = "") -> str:
        """One line that is no part of the history; the answer may be filled in to be changed."""
        with raised_while_typing(self._remember):
            return self._asked(question, filled_in)

    def _asked(self, question: str, filled_in: str) -> str:
        if _readline is None:
            return input(question)
        before = _readline.get_current_history_length()
        if filled_in:
            _readline.set_startup_hook(lambda: _readline.insert_text(filled_in))
        _readline.set_completer(None)
        try:
            return input(question)
        finally:
            _readline.set_startup_hook(None)
            _readline.set_completer(self._completed)
            while _readline.get_current_history_length() > before:
                _readline.remove_history_item(before)

    def keep(self) -> None:
        """Write the history down, for nobody else's eyes."""
        if _readline is None or self._file is None:
            return
        with suppress(OSError):
            self._file.touch(mode=0o600)
            if hasattr(_readline, "append_history_file"):  # libedit has it not; then the last to leave wins
                _readline.append_history_file(_readline.get_current_history_length() - self._known, str(self._file))
            else:
                _readline.write_history_file(str(self._file))

    def _prepare(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                _readline.read_history_file(str(self._file))
        _readline.set_history_length(_MOST_LINES)
        self._known = _readline.get_current_history_length()
        _readline.set_completer_delims("")
        _readline.set_completer(self._completed)
        emacs = "libedit" in (_readline.__doc__ or "")
        _readline.parse_and_bind("bind ^I rl_complete" if emacs else "tab: complete")

    def _remember(self) -> None:
        """What is typed when Ctrl-C comes: the line editor forgets it at once."""
        self._typed = "" if _readline is None else _readline.get_line_buffer()

    def _completed(self, text: str, number: int) -> str | None:
        found = self._complete(text)
        return found[number] if number < len(found) else None

    def _styled(self, mark: str) -> str:
        """The mark in colour; the line editor is told what takes no room."""
        styled = self._paper.styled(mark.rstrip(), fg="cyan", bold=True)
        before, _, after = styled.partition(mark.rstrip())
        if _readline is None or not before:
            return mark
        return f"\001{before}\002{mark.rstrip()}\001{after}\002" + mark[len(mark.rstrip()) :]
