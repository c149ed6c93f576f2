"""An unbiased shuffle that its seed alone decides, so that anybody can do it again.

The seed is expanded by SHA-256 in counter mode; numbers are taken by rejection, never by remainder, since a remainder
would favour the small ones; the cards are exchanged after Fisher and Yates. Changing any of this makes recorded draws
unverifiable: a change needs a new name in `ALGORITHM`, with this one kept.
"""

import hashlib
import re
import secrets
from collections.abc import Callable

ALGORITHM = "weft-sha256-fisher-yates-1"
_SEED = re.compile(r"[0-9a-f]{64}")
_WORD = 4


def new_seed() -> str:
    """256 bits from the operating system's generator."""
    return secrets.token_hex(32)


def is_seed(text: object) -> bool:
    """Whether a text is a seed."""
    return isinstance(text, str) and _SEED.fullmatch(text) is not None


class Numbers:
    """An endless, reproducible stream of uniform numbers from one seed."""

    def __init__(self, seed: str) -> None:
        self._seed = bytes.fromhex(seed)
        self._blocks = 0
        self._rest = b""

    def below(self, limit: int) -> int:
        """A number from 0 to below the limit, each as likely as any other."""
        span = 1 << (8 * _WORD)
        fair = span - span % limit
        while (word := int.from_bytes(self._take())) >= fair:
            pass
        return word % limit

    def _take(self) -> bytes:
        if not self._rest:
            self._rest = hashlib.sha256(self._seed + self._blocks.to_bytes(8)).digest()
            self._blocks += 1
        word, self._rest = self._rest[:_WORD], self._rest[_WORD:]
        return word


def permutation(size: int, below: Callable[[int], int]) -> list[int]:
    """The numbers up to `size` in a random order: every order comes from exactly one row of choices."""
    order = list(range(size))
    for last in range(size - 1, 0, -1):
        chosen = below(last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return order
