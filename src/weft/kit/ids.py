"""Identifiers that sort by the moment they were made, so that indexes grow at their end."""

import os
import time
from uuid import UUID


def new_id() -> UUID:
    """A UUID of version 7 (RFC 9562): 48 bits of milliseconds, then randomness."""
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    value = milliseconds << 80 | random
    value = value & ~(0xF << 76) | 0x7 << 76  # version
    value = value & ~(0x3 << 62) | 0x2 << 62  # variant
    return UUID(int=value)
