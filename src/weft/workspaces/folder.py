"""One user's folder: read, listed and written without ever leaving it, within its limits."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from weft.workspaces.errors import FileMissingError, FileTooLargeError, PathRefusedError, shown
from weft.workspaces.locks import Locks
from weft.workspaces.paths import TEMPORARY, Parts, name_problem
from weft.workspaces.walking import (
    Signature,
    append_in,
    folder_at,
    head_in,
    read_in,
    replace_in,
    signature_of,
    status_in,
    told,
)

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a workspace may hold."""

    file: int = 10 * MIB  # bytes, of one
    text: int = MIB  # bytes, of one that is read or written as text
    total: int = 200 * MIB
    files: int = 5_000
    image: int = 5 * MIB  # of one that is shown to a model
    images: int = 8  # of one message


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or a folder in a listing."""

    name: str
    is_folder: bool
    size: int
    modified: float  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Folder:
    """The workspace of one user. Every method goes to the disk, and belongs beside the event loop."""

    root: Path  # of all workspaces
    steps: Parts  # to this one
    limits: Limits
    locks: Locks

    @property
    def path(self) -> Path:
        """Where it stands; nothing is opened by this path."""
        return self.root.joinpath(*self.steps)

    def read(self, parts: Parts, limit: int | None = None) -> bytes:
        """A file."""
        path = "/".join(parts)
        with self._opened(parts[:-1], path) as folder:
            return read_in(folder, parts[-1], path, limit or self.limits.file)

    def head(self, parts: Parts, size: int) -> bytes:
        """How a file begins."""
        path = "/".join(parts)
        with self._opened(parts[:-1], path) as folder:
            return head_in(folder, parts[-1], path, size)

    def signature(self, parts: Parts) -> Signature | None:
        """What changes when the file changes; None where there is no such plain file."""
        try:
            with folder_at(self.root, (*self.steps, *parts[:-1])) as folder:
                status = status_in(folder, parts[-1])
        except OSError:
            return None
        return signature_of(status) if status is not None and stat.S_ISREG(status.st_mode) else None

    def list(self, parts: Parts) -> list[Entry]:
        """What is in a folder, folders first; a workspace that nobody has written in is empty."""
        try:
            with self._opened(parts, "/".join(parts) or ".") as folder:
                return sorted(_entries(folder), key=lambda entry: (not entry.is_folder, entry.name))
        except FileMissingError:
            if parts:
                raise
            return []

    def write(self, parts: Parts, content: bytes) -> bool:
        """Write a file whole, or not at all; whether there was one before. The caller holds the lock."""
        path = "/".join(parts)
        if len(content) > self.limits.file:
            most = self.limits.file
            raise FileTooLargeError(
                f"{shown(path)} would have {len(content)} bytes; at most {most} are kept", field="path"
            )
        with self._opened(parts[:-1], path, make=True) as folder:
            before = status_in(folder, parts[-1])
            if before is not None and stat.S_ISDIR(before.st_mode):
                raise PathRefusedError(path, "is a folder, not a file")
            self._require_room(len(content), before)
            replace_in(folder, parts[-1], content)
        return before is not None

    def append(self, parts: Parts, line: bytes) -> int:
        """Add a line to a file; its size after that. The caller holds the lock."""
        path = "/".join(parts)
        with self._opened(parts[:-1], path, make=True) as folder:
            self._require_room(len(line), None, new_file=status_in(folder, parts[-1]) is None)
            append_in(folder, parts[-1], path, line)
            status = status_in(folder, parts[-1])
        return status.st_size if status is not None else 0

    def rename(self, parts: Parts, name: str) -> None:
        """Give a file another name in its folder. The caller holds the lock."""
        with self._opened(parts[:-1], "/".join(parts)) as folder:
            os.rename(parts[-1], name, src_dir_fd=folder, dst_dir_fd=folder)

    def delete(self, parts: Parts) -> None:
        """Delete a file, or a folder that is empty. The caller holds the lock."""
        path = "/".join(parts)
        with self._opened(parts[:-1], path) as folder:
            status = status_in(folder, parts[-1])
            if status is None:
                raise FileMissingError(path)
            if not stat.S_ISDIR(status.st_mode):
                os.unlink(parts[-1], dir_fd=folder)  # a link itself goes, not what it leads to
                return
            try:
                os.rmdir(parts[-1], dir_fd=folder)
            except OSError:
                raise PathRefusedError(path, "is a folder that is not empty; delete its files first") from None

    def usage(self, *, sweep: bool = False) -> tuple[int, int]:
        """How many bytes and files there are; `sweep` removes what a crash left half written, under the lock."""
        try:
            with folder_at(self.root, self.steps) as folder:
                return _measured(folder, self.limits.files, sweep=sweep)
        except OSError:
            return 0, 0

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else writes in it meanwhile, in this process or in another."""
        with self.locks.held("/".join(self.steps)):
            yield

    @contextmanager
    def _opened(self, parts: Parts, path: str, *, make: bool = False) -> Iterator[int]:
        with told(path), folder_at(self.root, (*self.steps, *parts), make=make) as folder:
            yield folder

    def _require_room(self, more: int, before: os.stat_result | None, *, new_file: bool | None = None) -> None:
        used, files = self.usage(sweep=True)
        added = more - (before.st_size if before is not None else 0)
        if added > 0 and used + added > self.limits.total:
            raise FileTooLargeError(
                f"the workspace has {used} of {self.limits.total} bytes in use, and this needs {added} more; "
                "make room by deleting or shortening files"
            )
        if (before is None if new_file is None else new_file) and files >= self.limits.files:
            raise FileTooLargeError(f"the workspace has {files} files, which is the most; delete some first")


def _entries(folder: int) -> Iterator[Entry]:
    """Plain files and folders; what could not be opened anyway, a link or a device, is left out."""
    with os.scandir(folder) as found:
        for each in found:
            if name_problem(each.name) is not None:
                continue
            is_folder = each.is_dir(follow_symlinks=False)
            if is_folder or each.is_file(follow_symlinks=False):
                status = each.stat(follow_symlinks=False)
                yield Entry(each.name, is_folder, 0 if is_folder else status.st_size, status.st_mtime)


def _measured(folder: int, most: int, *, sweep: bool) -> tuple[int, int]:
    """Bytes and files below an open folder, links not followed; past twice as many as may be, it stops counting."""
    size = files = 0
    for _, _, names, held in os.fwalk(dir_fd=folder, follow_symlinks=False):
        for name in names:
            if name.startswith(TEMPORARY):
                if sweep:
                    os.unlink(name, dir_fd=held)
            elif (status := status_in(held, name)) is not None:
                size, files = size + status.st_size, files + 1
        if files > 2 * most:
            break
    return size, files
