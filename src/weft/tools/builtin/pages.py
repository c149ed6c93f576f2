"""A long text in pages of whole lines, each short enough to stand in a prompt uncut."""

from dataclasses import dataclass
from typing import Any

from weft.kit.errors import InvalidError

PAGE = 4_500  # characters; written as JSON, with what is said besides, still within what a prompt shows whole


@dataclass(frozen=True, slots=True)
class PageOfText:
    """Some lines of a text."""

    text: str
    lines: str  # "1-40 of 200"
    next_line: int | None
    notes: dict[str, Any]


def page_of(text: str, first: int, longest: int = PAGE) -> PageOfText:
    """The page that begins with this line, counted from 1; a line that is itself too long is cut, saying so."""
    lines = text.splitlines()
    if not lines:
        return PageOfText("", "0 of 0", None, {"empty": True})
    if first > len(lines):
        raise InvalidError(f"line {first} is past the end: there are {len(lines)} lines", field="line")
    taken: list[str] = []
    room = longest
    for line in lines[first - 1 :]:
        room -= _cost(line)
        if room < 0 and taken:
            break
        taken.append(line)
    last = first + len(taken) - 1
    notes: dict[str, Any] = {}
    if len(taken) == 1 and _cost(taken[0]) > longest:
        notes["cut"] = f"line {first} has {len(taken[0])} characters; its beginning is shown"
        taken[0] = taken[0][: longest // 2]
    following = last + 1 if last < len(lines) else None
    return PageOfText("\n".join(taken), f"{first}-{last} of {len(lines)}", following, notes)


def _cost(line: str) -> int:
    """Characters that it takes as JSON, its line end included."""
    return len(line) + line.count('"') + line.count("\\") + line.count("\t") + 2
