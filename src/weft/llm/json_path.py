"""Finds a place in a vendor's JSON by a dotted path, and says exactly where it ends when it leads nowhere."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_STEP = re.compile(r"(?:^|\.)([^.\[\]*+]+)|\[(\d+|[*+])\]")
_EVERY = {"*": "[*]", "+": "[+]"}
LONGEST_FOUND = 200


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Where a path ended, what should have been there, and what was."""

    path: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class Path:
    """A parsed path: `.name` into an object, `[2]`, `[*]` or `[+]` into a list.

    `[*]` is every element, and what follows must stand in each; `[+]` is those elements in which it stands.
    """

    steps: tuple[str | int, ...]

    @classmethod
    def parse(cls, written: str) -> "Path":
        """Read `a.b[0].c[*].d`; raises ValueError for anything else."""
        steps: list[str | int] = []
        at = 0
        while at < len(written):
            found = _STEP.match(written, at)
            if found is None or (found[1] and at and written[at] != "."):
                raise ValueError(f"{written!r} is no path: at {written[at:]!r} expected .name, [number], [*] or [+]")
            steps.append(found[1] or (found[2] if found[2] in _EVERY else int(found[2])))
            at = found.end()
        if not steps:
            raise ValueError("a path must not be empty")
        return cls(tuple(steps))

    @property
    def written(self) -> str:
        """The path from the root."""
        return "$" + "".join(map(_step_written, self.steps))

    def find(self, value: Any) -> Any:
        """What stands there: a value, or a list of values where the path has a [*] or [+]; or a Mismatch."""
        return _find(value, self.steps, "$")


def first_found(paths: Sequence[Path], value: Any) -> Any:
    """What the first path that leads somewhere leads to; else where the first of them ended."""
    first: Mismatch | None = None
    for path in paths:
        found = path.find(value)
        if not isinstance(found, Mismatch) and found is not None:
            return found
        if first is None:
            first = found or Mismatch(path.written, "a value", "null")
    return first or Mismatch("$", "a declared path", "none")


def shown(value: Any) -> str:
    """A value as an error shows it: its kind and its beginning."""
    if value is None:
        return "null"
    kind = type(value).__name__
    if isinstance(value, Mapping):
        return f"an object with {', '.join(map(str, value)) or 'nothing in it'}"[:LONGEST_FOUND]
    return f"{kind} {value!r}"[:LONGEST_FOUND]


def _find(value: Any, steps: tuple[str | int, ...], where: str) -> Any:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, str) and step not in _EVERY:
        if not isinstance(value, Mapping):
            return Mismatch(where, f"an object with {step!r}", shown(value))
        if step not in value:
            beside = ", ".join(map(str, value)) or "nothing"
            return Mismatch(f"{where}.{step}", "a value", f"nothing; beside it stands {beside}"[:LONGEST_FOUND])
        return _find(value[step], rest, f"{where}.{step}")
    if not isinstance(value, list):
        return Mismatch(where, "a list", shown(value))
    if isinstance(step, str):
        return _find_all(value, rest, where, skipping=step == "+")
    if step >= len(value):
        return Mismatch(f"{where}[{step}]", "an element", f"a list of {len(value)}")
    return _find(value[step], rest, f"{where}[{step}]")


def _find_all(value: list[Any], rest: tuple[str | int, ...], where: str, *, skipping: bool) -> Any:
    everything = []
    first: Mismatch | None = None
    for index, inner in enumerate(value):
        found = _find(inner, rest, f"{where}[{index}]")
        if not isinstance(found, Mismatch):
            everything.append(found)
        elif not skipping:
            return found
        else:
            first = first or found
    return everything or first or []


def _step_written(step: str | int) -> str:
    return f"[{step}]" if isinstance(step, int) else _EVERY.get(step) or f".{step}"
