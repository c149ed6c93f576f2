"""A terminal with a `weft` in it: what is typed goes in as keys, what is shown comes out as on a screen."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.cli.conftest import environment

CTRL_C, CTRL_D, CTRL_U, BACKSPACE, ENTER, TAB = "\x03", "\x04", "\x15", "\x7f", "\r", "\t"
ENGLISH = {"LANG": "en_US.UTF-8", "LC_CTYPE": "C.UTF-8"}
CHINESE = {"LANG": "zh_CN.UTF-8", "LC_CTYPE": "C.UTF-8"}
_SECONDS = 30.0
_ROOT = Path(__file__).parents[2]
_MOVING = re.compile(r"\r\x1b\[2K(?:\x1b\[2m)?[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏][^\r]*")  # a line that is taken back
_CODES = re.compile(
    r"\x1b\[[0-9;?]*[A-Za-z]|\r\x1b\[2K|[\x01\x02\x07]|(?:\r|\x1b\[?[0-9;?]*)$"
)  # the last: half of one


class Terminal:
    """One program at work in it."""

    def __init__(self, master: int, program: "subprocess.Popen[bytes]") -> None:
        self._master, self._program = master, program
        self._raw = b""
        self._seen = 0  # of the shown text, by those who waited
        self._grown = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def raw(self) -> str:
        """All that came out, colours and movements included."""
        with self._grown:
            return self._raw.decode(errors="replace")

    @property
    def shown(self) -> str:
        """All that can be read, without lines that were taken back."""
        return _CODES.sub("", _MOVING.sub("", self.raw)).replace("\r\n", "\n")

    def type(self, text: str, end: str = ENTER) -> None:
        """Press these keys."""
        os.write(self._master, (text + end).encode())

    def wait_for(self, text: str, seconds: float = _SECONDS) -> str:
        """Wait until this is shown, after what was waited for before; what was shown until then."""
        deadline = time.monotonic() + seconds
        with self._grown:
            while (at := self.shown.find(text, self._seen)) < 0:
                if time.monotonic() > deadline or (self._program.poll() is not None and not self._reader.is_alive()):
                    raise AssertionError(f"{text!r} is not shown after:\n{self.shown[self._seen :]}")
                self._grown.wait(0.1)
            before, self._seen = self.shown[self._seen : at], at + len(text)
            return before

    def ends(self, code: int = 0) -> None:
        """Wait for its end, which is a good one."""
        assert self._program.wait(_SECONDS) == code, self.shown
        self._reader.join(_SECONDS)

    def signal(self, number: int) -> None:
        """Send it a signal that no key sends."""
        self._program.send_signal(number)

    def _read(self) -> None:
        with suppress(OSError):  # the other side was closed
            while piece := os.read(self._master, 65_536):
                with self._grown:
                    self._raw += piece
                    self._grown.notify_all()


@contextmanager
def at_a_terminal(
    *arguments: str, columns: int = 80, module: str = "tests.cli.at_a_terminal", **variables: str
) -> Iterator[Terminal]:
    """`weft` with these arguments, or another module, in a terminal; gone afterwards whatever happens."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    command = [sys.executable, "-m", module, *arguments]
    env = environment(**{"TERM": "xterm-256color", **variables})
    program = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env, cwd=_ROOT)
    os.close(slave)
    terminal = Terminal(master, program)
    try:
        yield terminal
    finally:
        program.kill()
        program.wait()
        terminal._reader.join(_SECONDS)
        os.close(master)
