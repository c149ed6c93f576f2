"""Texts that are written to keep a reader busy: one thing over and over, with or without an end that never comes."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from weft.kit.errors import CallerError

LENGTH = 100_000  # characters: what a message may have
MOST_SECONDS = 3.0  # of processor time; whoever reads by the square takes a minute and more
_UNITS = (
    " ", "\n", " \n", "\t", "\r", "\u2028", "\u200b", "a", "A", "1", "茶", "茶 ", "[", "](", "[a](", "[a]", "(", "<",
    "#", "# ", "`", "```", "-", "- ", ": ", "a: ", '"', "\\", '"\\', "{", '{"', "{#a", "/", "a/", "a'", ">", ";", "*",
    "- **when**", '{"a":', "[[", '"a",', "，",
)  # fmt: skip
ENDLESS = [(unit * LENGTH)[:LENGTH] + end for unit in _UNITS for end in ("", "x")]


def assert_quick(read: Callable[[str], Any]) -> None:
    """Each of the texts is read in no time worth speaking of; that it is refused is all right."""
    for text in ENDLESS:
        began = time.process_time()
        with suppress(ValueError, CallerError):
            read(text)
        assert time.process_time() - began < MOST_SECONDS, repr(text[:12])
