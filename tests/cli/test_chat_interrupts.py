"""Ctrl-C in a chat: the first ends the turn, wherever the turn is at; a second one is for whoever cannot wait."""

import signal

import pytest

from tests.cli.terminal import at_a_terminal
from weft.cli.chat_interrupts import Interrupts, raised_while_typing


def test_the_first_is_kept_until_somebody_takes_it() -> None:
    """SURF-5: none falls between two steps of a turn, and none ends the chat."""
    interrupts = Interrupts()
    with interrupts.caught():
        assert not interrupts.take()
        signal.raise_signal(signal.SIGINT)
        assert interrupts.take()
        assert not interrupts.take(), "it is heard of once"


def test_whoever_waits_is_woken() -> None:
    """SURF-5: the model is stopped at once, and not when it says its next word."""
    woken: list[bool] = []
    interrupts = Interrupts()
    with interrupts.caught(), interrupts.waking(lambda: woken.append(True)):
        signal.raise_signal(signal.SIGINT)
    assert (woken, interrupts.take()) == ([True], True)


def test_a_second_one_does_not_wait() -> None:
    """SURF-5: a turn that does not end can be left; the next turn begins anew."""
    interrupts = Interrupts()
    with interrupts.caught():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    with interrupts.caught():
        assert not interrupts.take(), "what came too late for one turn is none of the next"
        signal.raise_signal(signal.SIGINT)
        assert interrupts.take()


def test_before_and_after_it_is_as_it_was() -> None:
    """SURF-5: whoever comes after a turn or a question has Ctrl-C for themselves."""
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
    with Interrupts().caught(), raised_while_typing(lambda: None):
        assert signal.getsignal(signal.SIGINT) is not before[0]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_one_that_comes_a_moment_before_the_line_editor_waits_is_heard() -> None:
    """SURF-5: without another key."""
    with at_a_terminal(module="tests.cli.interrupted_typing") as terminal:
        terminal.wait_for("question: ")
        terminal.wait_for("remembered", seconds=10)
        terminal.wait_for("broken off")
        terminal.ends()
