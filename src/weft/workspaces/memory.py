"""MEMORY.md: facts as list items under headings, each kept once. Pure text in, text out."""

import re
from dataclasses import dataclass
from typing import Literal

from weft.kit.finding import Wanted, plain
from weft.workspaces.errors import FileChangedError, FileMissingError, FileTooLargeError
from weft.workspaces.paths import MEMORY

LONGEST_FACT, LONGEST_SECTION = 1_000, 80
LARGEST = 64 * 1024  # characters
_TITLE = "# Memory"
_ITEM = re.compile(r"[-*+]\s+(\S.*)")  # of a line without the blanks around it, as the next one
_HEADING = re.compile(r"#{1,6}\s+(\S.*)")


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a fact."""

    status: Literal["remembered", "already_known"]
    fact: str
    text: str  # of the whole file after it


def remember(text: str, fact: str, section: str | None = None) -> Remembered:
    """The memory with this fact in it, under its heading; a fact that stands there already is not added."""
    fact = _one_line(fact, LONGEST_FACT, "fact")
    heading = _one_line(section, LONGEST_SECTION, "section").lstrip("# ") if section and section.strip() else ""
    lines = text.splitlines() or [_TITLE]
    if any(_same(known, fact) for _, known in _items(lines)):
        return Remembered("already_known", fact, text)
    _insert(lines, f"- {fact}", heading)
    changed = "\n".join(lines).strip("\n") + "\n"
    if len(changed) > LARGEST:
        raise FileTooLargeError(
            f"{MEMORY} would have {len(changed)} characters; at most {LARGEST} are kept: shorten it with edit_file",
            field="fact",
        )
    return Remembered("remembered", fact, changed)


def forget(text: str, fact: str) -> tuple[str, str]:
    """The memory without this fact, and the fact as it stood there; part of it is enough where only one has it."""
    lines = text.splitlines()
    wanted = _one_line(fact, LONGEST_FACT, "fact")
    found = [(at, known) for at, known in _items(lines) if _same(known, wanted)]
    found = found or [(at, known) for at, known in _items(lines) if plain(wanted) in plain(known)]
    if not found:
        raise FileMissingError(MEMORY, f"there is no fact that says {wanted[:80]!r}{_nearest(lines, wanted)}")
    if len(found) > 1:
        said = "; ".join(repr(known[:80]) for _, known in found[:3])
        raise FileChangedError(f"{len(found)} facts say that: {said}; write the whole of the one", field="fact")
    at, known = found[0]
    del lines[at]
    return "\n".join(lines).strip("\n") + "\n", known


def _items(lines: list[str]) -> list[tuple[int, str]]:
    return [(at, item[1]) for at, line in enumerate(lines) if (item := _ITEM.fullmatch(line.strip()))]


def _insert(lines: list[str], item: str, heading: str) -> None:
    """After the last line of its section; a new section comes last, what has none before the first."""
    headings = [(at, found[1]) for at, line in enumerate(lines) if (found := _HEADING.fullmatch(line.rstrip()))]
    begins = [at for at, name in headings if plain(name) == plain(heading)] if heading else []
    if heading and not begins:
        lines += ["", f"## {heading}", item]
        return
    own = begins[0] if begins else _title_end(lines)
    end = next((at for at, _ in headings if at > own), len(lines))
    while end > own + 1 and not lines[end - 1].strip():
        end -= 1
    lines[end:end] = [item] if end > own + 1 or begins else ["", item]


def _title_end(lines: list[str]) -> int:
    """Where what stands under no section begins: after the file's own title, where it has one."""
    return 0 if lines and re.match(r"#\s", lines[0]) else -1


def _same(one: str, other: str) -> bool:
    first, second = (re.sub(r"[\s.。!！;；,，]+", "", plain(each)) for each in (one, other))
    return first == second


def _one_line(text: str, longest: int, field: str) -> str:
    line = re.sub(r"^[-*+]\s+", "", " ".join(text.split()))
    if not line:
        raise FileChangedError(f"the {field} is empty; write it as one sentence", field=field)
    if len(line) > longest:
        message = f"the {field} has {len(line)} characters; at most {longest} are kept: say it shorter, or in several"
        raise FileTooLargeError(message, field=field)
    return line


def _nearest(lines: list[str], wanted: str) -> str:
    look = Wanted.of(wanted)
    best = max((known for _, known in _items(lines)), key=look.score, default="")
    return f"; the nearest is {best[:80]!r}" if look.score(best) else ""
