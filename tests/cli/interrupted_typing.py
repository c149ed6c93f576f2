"""A question at a terminal, and an interrupt that arrives when it is asked and no key is waited for yet."""

import ctypes
import functools
import os
import readline
import signal

import click

from weft.cli.chat_interrupts import raised_while_typing

if __name__ == "__main__":
    os.login_tty(0)
    # no line of Python runs between this and the waiting, so nobody hears of it by itself
    readline.set_pre_input_hook(functools.partial(ctypes.pythonapi.PyErr_SetInterruptEx, signal.SIGINT))
    try:
        with raised_while_typing(lambda: click.echo("\nremembered")):
            input("question: ")
    except KeyboardInterrupt:
        click.echo("broken off")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
