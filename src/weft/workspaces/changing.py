"""Changes to the files of a workspace, each under its lock: whole or not at all, and no one else's in between."""

from collections.abc import Iterator
from datetime import datetime

from weft.kit.finding import Wanted
from weft.workspaces import log, memory
from weft.workspaces.errors import FileChangedError, FileMissingError, FileTooLargeError, NotTextError, shown
from weft.workspaces.folder import Folder
from weft.workspaces.memory import Remembered
from weft.workspaces.paths import MEMORY, check_writable, file_parts
from weft.workspaces.texts import text_of

_MEMORY = file_parts(MEMORY)


def write(folder: Folder, path: str, content: bytes, *, by_agent: bool) -> bool:
    """Write a file; whether there was one before."""
    parts = file_parts(path)
    check_writable(path, parts, by_agent=by_agent)
    with folder.locked():
        return folder.write(parts, content)


def write_text(folder: Folder, path: str, text: str, *, by_agent: bool) -> bool:
    """Write a text file; whether there was one before."""
    return write(folder, path, encoded(folder, path, text), by_agent=by_agent)


def edit(folder: Folder, path: str, old: str, new: str, *, everywhere: bool, by_agent: bool) -> int:
    """Put a passage in the place of another; how often. It must be told apart from others like it."""
    parts = file_parts(path)
    check_writable(path, parts, by_agent=by_agent)
    if not old:
        raise FileChangedError(
            "old_text is empty; give the passage that is replaced, or use write_file", field="old_text"
        )
    with folder.locked():
        text = text_of(path, folder.read(parts, folder.limits.text))
        if "\r\n" in text and old not in text:  # it was shown with plain line ends
            old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
        count = text.count(old)
        if count == 0:
            raise FileChangedError(f"{shown(path)} has no such passage{_nearest(text, old)}", field="old_text")
        if count > 1 and not everywhere:
            lines = ", ".join(str(line) for line in _lines_of(text, old))
            message = (
                f"{shown(path)} has it {count} times (lines {lines}); give more of the passage, or set all to true"
            )
            raise FileChangedError(message, field="old_text")
        folder.write(parts, encoded(folder, path, text.replace(old, new)))
    return count


def delete(folder: Folder, path: str, *, by_agent: bool) -> None:
    """Delete a file, or an empty folder."""
    parts = file_parts(path.removesuffix("/"))
    check_writable(path, parts, by_agent=by_agent)
    with folder.locked():
        folder.delete(parts)


def remember(folder: Folder, fact: str, section: str | None) -> Remembered:
    """Add a fact to MEMORY.md, unless it stands there."""
    with folder.locked():
        done = memory.remember(_memory(folder), fact, section)
        if done.status == "remembered":
            folder.write(_MEMORY, encoded(folder, MEMORY, done.text))
    return done


def forget(folder: Folder, fact: str) -> str:
    """Take a fact out of MEMORY.md; the fact as it stood there."""
    with folder.locked():
        text, known = memory.forget(_memory(folder), fact)
        folder.write(_MEMORY, encoded(folder, MEMORY, text))
    return known


def note(folder: Folder, text: str, at: datetime) -> None:
    """Add what happened to HISTORY.md."""
    with folder.locked():
        log.append(folder, text, at)


def encoded(folder: Folder, path: str, text: str) -> bytes:
    """The bytes of a text, if it can be one and is not too long."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        raise NotTextError(path, "a text with half a surrogate pair") from None
    if len(content) > folder.limits.text:
        most = folder.limits.text
        raise FileTooLargeError(f"{shown(path)} would have {len(content)} bytes; a text may have {most}", field="path")
    return content


def _memory(folder: Folder) -> str:
    try:
        return text_of(MEMORY, folder.read(_MEMORY, folder.limits.text))
    except FileMissingError:
        return ""


def _lines_of(text: str, passage: str) -> Iterator[int]:
    """The lines in which it begins, the first few."""
    at = -1
    for _ in range(5):
        if (at := text.find(passage, at + 1)) < 0:
            return
        yield text.count("\n", 0, at) + 1


def _nearest(text: str, passage: str) -> str:
    look = Wanted.of(passage[:500])
    lines = text.splitlines()[:20_000]
    best = max(range(len(lines)), key=lambda at: look.score(lines[at]), default=None)
    if best is None or not look.score(lines[best]):
        return "; read it first"
    return f"; the nearest is line {best + 1}: {lines[best][:160]!r}"
