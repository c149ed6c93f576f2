"""Keeps what was made of files for as long as they do not change, and no more than fits."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from weft.workspaces.walking import Signature

Value = TypeVar("Value")
# File systems count time in ticks: a file that changed this shortly ago may change again and show the same time.
_SETTLES = 50_000_000  # nanoseconds


class FromFiles(Generic[Value]):
    """Values by what they were made from; the ones asked for least recently go first."""

    def __init__(self, size_of: Callable[[Value], int], most: int) -> None:
        self._size_of = size_of
        self._most = most
        self._size = 0
        self._kept: OrderedDict[Hashable, tuple[tuple[Signature | None, ...], Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, signatures: tuple[Signature | None, ...]) -> Value | None:
        """What was made of files that were just like this; the very same object."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept[0] != signatures:
                return None
            self._kept.move_to_end(key)
            return kept[1]

    def put(self, key: Hashable, signatures: tuple[Signature | None, ...], value: Value) -> None:
        """Keep it, if the files have been as they are for long enough to tell the next change from this one."""
        newest = max((max(each[:2]) for each in signatures if each is not None), default=0)
        if time.time_ns() - newest < _SETTLES:
            return
        size = self._size_of(value) + 200
        with self._lock:
            self._drop(key)
            if size > self._most:
                return  # it would take the place of all others
            self._kept[key] = signatures, value, size
            self._size += size
            while self._size > self._most:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: Hashable) -> None:
        if (kept := self._kept.pop(key, None)) is not None:
            self._size -= kept[2]
