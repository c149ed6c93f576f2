"""Opening files of a folder step by step, each name looked up in what was opened before it.

There is no check that somebody could outrun: whoever swaps a folder for a link between two looks gains nothing, for
no path is ever looked up twice, and no link is followed.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from weft.workspaces.errors import FileMissingError, FileTooLargeError, PathRefusedError, shown

_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_READ = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0)  # a pipe that nobody writes to must not hold us
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | _NO_LINK | getattr(os, "O_NONBLOCK", 0)
_ASTRAY = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR)
OWNER_FOLDER, OWNER_FILE = 0o700, 0o600

Signature = tuple[int, ...]  # of a file: two that are equal mean that nothing changed


@contextmanager
def folder_at(base: Path, steps: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder that these steps lead to; `base` itself is the operator's, and may be a link."""
    if make:
        base.mkdir(parents=True, exist_ok=True, mode=OWNER_FOLDER)
    held = os.open(base, _FOLDER)
    try:
        for step in steps:
            inner = _step(held, step, make=make)
            os.close(held)
            held = inner
        yield held
    finally:
        os.close(held)


@contextmanager
def told(path: str) -> Iterator[None]:
    """What the system says of a path, as whoever wrote the path is told it."""
    try:
        yield
    except FileNotFoundError:
        raise FileMissingError(path) from None
    except IsADirectoryError:
        raise PathRefusedError(path, "is a folder, not a file") from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise FileTooLargeError(f"there is no room left on the disk for {shown(path)}", field="path") from None
        reason = (
            "leads over a link, or through a file" if error.errno in _ASTRAY else f"cannot be used: {error.strerror}"
        )
        raise PathRefusedError(path, reason) from None


def read_in(folder: int, name: str, path: str, limit: int) -> bytes:
    """A plain file of an open folder; counted while it is read, for it may grow meanwhile."""
    descriptor = os.open(name, _READ, dir_fd=folder)
    try:
        _require_plain(descriptor, path)
        pieces, size = [], 0
        while piece := os.read(descriptor, min(1 << 20, limit + 1 - size)):
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                raise FileTooLargeError(f"{shown(path)} has more than {limit} bytes, which is the most", field="path")
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def head_in(folder: int, name: str, path: str, size: int) -> bytes:
    """How a plain file of an open folder begins."""
    descriptor = os.open(name, _READ, dir_fd=folder)
    try:
        _require_plain(descriptor, path)
        return os.read(descriptor, size)
    finally:
        os.close(descriptor)


def replace_in(folder: int, name: str, content: bytes) -> None:
    """Write a file whole or not at all: another one is written beside it and takes its place."""
    beside = f".weft-{os.urandom(8).hex()}"
    descriptor = os.open(beside, _NEW, OWNER_FILE, dir_fd=folder)
    try:
        try:
            _write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=folder)
        raise


def append_in(folder: int, name: str, path: str, line: bytes) -> None:
    """Add a line to a plain file; a line that a crash left unfinished is ended first."""
    descriptor = os.open(name, _APPEND, OWNER_FILE, dir_fd=folder)
    try:
        status = _require_plain(descriptor, path)
        cut_off = status.st_size and os.pread(descriptor, 1, status.st_size - 1) != b"\n"
        _write_all(descriptor, b"\n" * bool(cut_off) + line)
    finally:
        os.close(descriptor)


def status_in(folder: int, name: str) -> os.stat_result | None:
    """What the system knows of a name in an open folder, a link being a link; None where there is nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None


def signature_of(status: os.stat_result) -> Signature:
    """The change time too: whoever puts an old modification time back cannot put that back."""
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev)


def _step(held: int, step: str, *, make: bool) -> int:
    flags = _FOLDER | _NO_LINK
    try:
        return os.open(step, flags, dir_fd=held)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):  # somebody else has made it meanwhile
        os.mkdir(step, OWNER_FOLDER, dir_fd=held)
    return os.open(step, flags, dir_fd=held)


def _require_plain(descriptor: int, path: str) -> os.stat_result:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise PathRefusedError(path, "is a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise PathRefusedError(path, "is not a plain file")
    return status


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
