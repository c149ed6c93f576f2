"""What was found wrong or odd in a skill: the file, the line, what it is, and what would be right."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from weft.kit.text import replace_unstorable

Severity = Literal["error", "warning"]
_LONGEST = 400


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing wrong (the skill or file cannot be used) or odd (it can)."""

    file: str
    line: int  # 1 is the first; 0 where it is about the file as a whole
    severity: Severity
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.severity}: {self.message}"


class Findings:
    """What is collected about one file while it is read."""

    def __init__(self, file: str) -> None:
        self.file = shown(file)
        self._found: list[Finding] = []

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found)

    def error(self, message: str, line: int = 0) -> None:
        """The file, or the skill, cannot be used as it is."""
        self._add("error", message, line)

    def warning(self, message: str, line: int = 0) -> None:
        """It can be used, and somebody should look at it."""
        self._add("warning", message, line)

    def take(self, others: Iterable[Finding]) -> None:
        """What was found about another file on the way."""
        self._found.extend(others)

    def _add(self, severity: Severity, message: str, line: int) -> None:
        self._found.append(Finding(self.file, line, severity, shown(message)))


def errors(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those that stop a skill from being used."""
    return tuple(finding for finding in found if finding.severity == "error")


def shown(text: str) -> str:
    """Text from outside as it may stand in a message: on one line, nothing that moves a terminal, not endless."""
    visible = "".join(each if each.isprintable() else "\ufffd" for each in replace_unstorable(text[: _LONGEST + 1]))
    return visible if len(visible) <= _LONGEST else visible[:_LONGEST] + "…"


def line_at(text: str, position: int) -> int:
    """The line in which a position of the text stands."""
    return text.count("\n", 0, position) + 1
