"""The files of one skill, in a folder or in memory: listed, and read without ever leaving it."""

import errno
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

from weft.skills.errors import ResourceNotFoundError, ResourceRefusedError, ResourceTooLargeError
from weft.skills.paths import DEEPEST, path_problem

LARGEST_FILE = 4 << 20
MOST_FILES = 1000
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_OPEN = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_BY_STEPS = os.open in os.supports_dir_fd and _NO_LINK != 0

Signature = tuple[int, ...]  # of a file: two that are equal mean that nothing changed


@dataclass(frozen=True, slots=True)
class Resource:
    """A file of a skill."""

    path: str
    size: int


class SkillFiles(Protocol):
    """Where the files of one skill come from."""

    def read(self, path: str, limit: int = LARGEST_FILE) -> bytes:
        """The file at a path relative to the skill, with forward slashes."""

    def list(self) -> list[Resource]:
        """Every plain file, in the order of their paths."""

    def names(self, folder: str) -> Sequence[str]:
        """What the plain files that stand directly in this folder are called; nothing where there is no folder."""


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """Files that were uploaded and stand nowhere yet."""

    files: Mapping[str, bytes]

    def read(self, path: str, limit: int = LARGEST_FILE) -> bytes:
        """The file at this path."""
        _check(path)
        if (content := self.files.get(path)) is None:
            raise ResourceNotFoundError(path)
        if len(content) > limit:
            raise ResourceTooLargeError(path, limit)
        return content

    def list(self) -> list[Resource]:
        """Every file."""
        return [Resource(path, len(content)) for path, content in sorted(self.files.items())]

    def names(self, folder: str) -> Sequence[str]:
        """The files directly in this folder."""
        return sorted(path[len(folder) + 1 :] for path in self.files if path.rpartition("/")[0] == folder)


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """Files in a folder. Links inside it are never followed, not even to a place inside it.

    The folder itself may be a link only where `links` says so; without, the folder around it must be none either.
    Each folder on the way is opened and the next name looked up in what was opened, so that nobody who swaps a
    folder for a link between a check and the reading gains anything: there is no check, only the opening.
    """

    folder: Path
    links: bool = True

    def read(self, path: str, limit: int = LARGEST_FILE) -> bytes:
        """The file at this path."""
        _check(path)
        with self._opened(path) as descriptor:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ResourceRefusedError(path, "is not a plain file")
            return _read_all(descriptor, path, limit)

    def signature(self, path: str) -> Signature | None:
        """What changes when the file changes; None when there is no such file."""
        try:
            return signature_of((self.folder / path).lstat())
        except OSError:
            return None

    def list(self) -> list[Resource]:
        """Every plain file; links, devices and names that cannot be read anyway are left out."""
        if self._led_away():
            return []
        return sorted(self._walk(self.folder, ""), key=lambda resource: resource.path)[:MOST_FILES]

    def names(self, folder: str) -> Sequence[str]:
        """The plain files directly in this folder; a folder that is a link holds none."""
        place = f"{self.folder}/{folder}"
        try:
            if self._led_away() or not stat.S_ISDIR(os.lstat(place).st_mode):
                return ()
            with os.scandir(place) as entries:
                first = islice(entries, MOST_FILES)
                return sorted(entry.name for entry in first if entry.is_file(follow_symlinks=False))
        except OSError:
            return ()

    def _led_away(self) -> bool:
        return not self.links and (self.folder.is_symlink() or self.folder.parent.is_symlink())

    def _walk(self, folder: Path, prefix: str) -> Iterator[Resource]:
        pending, seen = [(folder, prefix)], 0
        while pending:
            folder, prefix = pending.pop()
            with os.scandir(folder) as entries:
                for entry in entries:
                    path, seen = prefix + entry.name, seen + 1
                    if seen > MOST_FILES * 4:
                        return
                    if path_problem(path) is not None:
                        continue
                    if entry.is_dir(follow_symlinks=False) and path.count("/") < DEEPEST - 1:
                        pending.append((folder / entry.name, path + "/"))
                    elif entry.is_file(follow_symlinks=False):
                        yield Resource(path, entry.stat(follow_symlinks=False).st_size)

    @contextmanager
    def _opened(self, path: str) -> Iterator[int]:
        try:
            descriptor = self._open_by_steps(path) if _BY_STEPS else self._open_resolved(path)
        except FileNotFoundError:
            raise ResourceNotFoundError(path) from None
        except OSError as error:
            reason = (
                "leads over a link" if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR) else "cannot be opened"
            )
            raise ResourceRefusedError(path, reason) from None
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _open_by_steps(self, path: str) -> int:
        *folders, name = path.split("/")
        begin, steps = (self.folder, folders) if self.links else (self.folder.parent, [self.folder.name, *folders])
        held = os.open(begin, os.O_RDONLY | os.O_DIRECTORY | (0 if self.links else _NO_LINK))
        try:
            for step in steps:
                inner = os.open(step, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK, dir_fd=held)
                os.close(held)
                held = inner
            return os.open(name, _OPEN, dir_fd=held)
        finally:
            os.close(held)

    def _open_resolved(self, path: str) -> int:
        """For systems that cannot open by steps: looks first, opens, and looks whether it is what was looked at."""
        target = self.folder / path
        real = os.path.realpath  # Path.resolve raises where links form a ring
        if self._led_away():
            raise ResourceRefusedError(path, "leads over a link")
        if real(target) != str(Path(real(self.folder)) / path):
            raise ResourceRefusedError(path, "leads over a link")
        before = target.lstat()
        descriptor = os.open(target, _OPEN)
        if not os.path.samestat(before, os.fstat(descriptor)):
            os.close(descriptor)
            raise ResourceRefusedError(path, "changed while it was opened")
        return descriptor


def signature_of(status: os.stat_result) -> Signature:
    """The change time too: whoever puts an old modification time back cannot put that back."""
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev)


def _check(path: str) -> None:
    if (problem := path_problem(path)) is not None:
        raise ResourceRefusedError(path, problem)


def _read_all(descriptor: int, path: str, limit: int) -> bytes:
    pieces, size = [], 0
    while piece := os.read(descriptor, min(1 << 20, limit + 1 - size)):
        pieces.append(piece)
        size += len(piece)
        if size > limit:  # counted, not asked: a file may grow while it is read
            raise ResourceTooLargeError(path, limit)
    return b"".join(pieces)
