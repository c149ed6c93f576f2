"""HISTORY.md: what happened, an entry after the other, never rewritten; found again in Chinese and in English."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from weft.kit.finding import Wanted, plain
from weft.workspaces.errors import FileMissingError
from weft.workspaces.folder import MIB, Folder
from weft.workspaces.paths import HISTORY, file_parts

LONGEST_ENTRY = 8_000  # characters
FULL = MIB  # bytes; then the file is put aside and a new one begun
MOST_FILES = 8  # that a search reads, the newest
CONTEXT = 1  # lines before and after
_PARTS = file_parts(HISTORY)
_ENTRY = re.compile(r"\[\d{4}-\d\d-\d\dT\d\d:\d\dZ\] ")
_ASIDE = re.compile(r"HISTORY[^/]*\.md")


@dataclass(frozen=True, slots=True)
class Found:
    """A line that says what was looked for, with the lines around it."""

    file: str
    line: int
    text: str
    score: float


def append(folder: Folder, text: str, at: datetime) -> None:
    """Add an entry; of a longer text, the lines after the first stand further in. The caller holds the lock."""
    written = "\n  ".join(line for line in text[:LONGEST_ENTRY].splitlines() if line.strip())
    stamp = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ")
    size = folder.append(_PARTS, f"[{stamp}] {written}\n".encode("utf-8", "replace"))
    if size > FULL:
        folder.rename(_PARTS, f"HISTORY-{at.astimezone(UTC):%Y%m%dT%H%M%S%f}.md")


def search(folder: Folder, query: str, limit: int) -> list[Found]:
    """The lines that say it, the best first and of equals the newest."""
    wanted = Wanted.of(query)
    found = [hit for name in _files(folder)[:MOST_FILES] for hit in _hits(name, _text(folder, name), wanted)]
    return sorted(found, key=lambda hit: hit.score, reverse=True)[:limit]  # stable: newest first


def _files(folder: Folder) -> list[str]:
    """The file that is written to, then those put aside, the newest first."""
    try:
        names = [entry.name for entry in folder.list(_PARTS[:-1]) if _ASIDE.fullmatch(entry.name)]
    except FileMissingError:
        return []
    return sorted(names, key=lambda name: (name == _PARTS[-1], name), reverse=True)


def _text(folder: Folder, name: str) -> str:
    return folder.read((*_PARTS[:-1], name)).decode("utf-8", "replace")


def _hits(name: str, text: str, wanted: Wanted) -> Iterable[Found]:
    path = "/".join((*_PARTS[:-1], name))
    lines, plain_lines = text.split("\n"), plain(text).split("\n")  # no other form of a text has other line ends
    for at in range(len(lines) - 1, -1, -1):
        if score := wanted.score_plain(plain_lines[at]):
            around = lines[max(0, at - CONTEXT) : at + CONTEXT + 1]
            yield Found(path, at + 1, "\n".join(_of_the_entry(around, lines[at])), score)


def _of_the_entry(around: Sequence[str], line: str) -> list[str]:
    """Lines of other entries tell nothing of this one."""
    at = around.index(line)
    kept = [line]
    if not _ENTRY.match(line):
        kept = [*around[:at], *kept]
    return kept + [each for each in around[at + 1 :] if each.strip() and not _ENTRY.match(each)]
