"""Ctrl-C while a turn is under way: it asks for the turn's end, wherever the turn is at, and leaves the chat alone."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_TICK_SECONDS = 0.2


class Interrupts:
    """Those of one turn: the first asks for its end, another one is from somebody who cannot wait for that."""

    def __init__(self) -> None:
        self._came = False
        self._kept = False  # it came, and nobody has heard of it yet
        self._wake: Callable[[], None] = _nobody

    @contextmanager
    def caught(self) -> Iterator[None]:
        """From the turn's first moment to its last, so that none of them falls in between."""
        self._came = self._kept = False
        before = signal.signal(signal.SIGINT, self._come)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def waking(self, wake: Callable[[], None]) -> Iterator[None]:
        """Somebody waits for other things meanwhile, and is called when one came."""
        self._wake = wake
        try:
            yield
        finally:
            self._wake = _nobody

    def take(self) -> bool:
        """Whether one came that nobody has heard of."""
        kept, self._kept = self._kept, False
        return kept

    def _come(self, _signal: int, _frame: FrameType | None) -> None:
        if self._came:
            raise KeyboardInterrupt
        self._came = self._kept = True
        self._wake()


def _nobody() -> None:
    pass


@contextmanager
def raised_while_typing(come: Callable[[], None]) -> Iterator[None]:
    """While a line is read, Ctrl-C breaks that off; `come` is called first.

    The line editor hears of a signal only if that ends its waiting for a key. One that arrives a moment before it waits
    would lie there until the next key; so its waiting is ended now and then.
    """

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        come()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        with _ticking():
            yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _ticking() -> Iterator[None]:
    if not hasattr(signal, "setitimer"):  # not everywhere
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda _signal, _frame: None)
    signal.setitimer(signal.ITIMER_REAL, _TICK_SECONDS, _TICK_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
