"""Locks that keep two writers of one workspace apart, threads of a process as well as processes."""

import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fasteners

STRIPES = 64  # files; users that share one wait for each other for the moment of a write


class Locks:
    """Locks by name, under a folder of their own that no workspace reaches."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._threads = [threading.Lock() for _ in range(STRIPES)]

    @contextmanager
    def held(self, name: str) -> Iterator[None]:
        """Hold the lock of this name; nobody holds two."""
        stripe = zlib.crc32(name.encode()) % STRIPES
        with self._threads[stripe]:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            # The system's lock is the process's: between threads only the other one counts.
            with fasteners.InterProcessLock(self._folder / str(stripe)):
                yield
