"""What a proposal would change, file by file, as a reviewer reads it: all of it, or that it cannot be shown as text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import Literal

LARGEST = 512 << 10  # bytes of a file that is shown as text
MOST_COMPARED = 2_000  # lines: comparing takes time by their square; more are shown as taken out and put in
_CONTEXT = 3


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that is not the same afterwards."""

    path: str
    change: Literal["added", "changed", "removed"]
    before: int | None  # bytes
    after: int | None
    diff: str | None  # unified; None where it is no text, or too much of it


def differences(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[FileChange]:
    """The files that differ, in the order of their paths, `SKILL.md` first."""
    paths = sorted(before.keys() | after.keys(), key=lambda path: (path != "SKILL.md", path))
    return [_change(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)]


def _change(path: str, before: bytes | None, after: bytes | None) -> FileChange:
    kind: Literal["added", "changed", "removed"]
    kind = "added" if before is None else "removed" if after is None else "changed"
    sizes = [None if content is None else len(content) for content in (before, after)]
    texts = [_text(content) for content in (before, after)]
    shown = None if None in texts else _unified(path, texts[0] or "", texts[1] or "", kind)
    return FileChange(path, kind, sizes[0], sizes[1], shown)


def _text(content: bytes | None) -> str | None:
    if content is None:
        return ""
    if len(content) > LARGEST or b"\0" in content:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _unified(path: str, before: str, after: str, kind: str) -> str:
    old, new = _lines(before), _lines(after)
    names = ("/dev/null" if kind == "added" else f"a/{path}", "/dev/null" if kind == "removed" else f"b/{path}")
    if max(len(old), len(new)) <= MOST_COMPARED:
        return "\n".join(unified_diff(old, new, *names, lineterm="", n=_CONTEXT))
    return "\n".join(_replaced(old, new, names))


def _lines(text: str) -> list[str]:
    """Parted at line ends only: other characters that some programs break at must not hide what follows them."""
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], f"{lines[-1]}\n\\ No newline at end of file"]


def _replaced(old: list[str], new: list[str], names: tuple[str, str]) -> Iterator[str]:
    """The lines between those that both begin with and those that both end with, out and in."""
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = next((at for at in range(shorter - head) if old[-1 - at] != new[-1 - at]), shorter - head)
    taken, put = old[head : len(old) - tail], new[head : len(new) - tail]
    yield from (f"--- {names[0]}", f"+++ {names[1]}", f"@@ -{head + 1},{len(taken)} +{head + 1},{len(put)} @@")
    yield from (f"-{line}" for line in taken)
    yield from (f"+{line}" for line in put)
