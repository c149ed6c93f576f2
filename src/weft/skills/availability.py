"""What of a skill's requirements is missing on this machine, by name, so that somebody can put it there."""

import os
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import metadata, util

from weft.skills.skill import Requirements

REMEMBERED = 30.0  # seconds: a program that is installed meanwhile is seen after as long


@dataclass(frozen=True, slots=True, order=True)
class Missing:
    """One thing that is not there."""

    kind: str  # binary, environment, library
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def has_binary(name: str) -> bool:
    """Whether a program of this name can be run. A path is none: a skill does not say where programs lie."""
    return os.sep not in name and "/" not in name and shutil.which(name) is not None


def has_environment(name: str) -> bool:
    """Whether the variable is set and not empty."""
    return bool(os.environ.get(name))


def has_library(name: str) -> bool:
    """Whether a module or a distribution of this name is installed; nothing of it is imported."""
    module = name.partition(".")[0].replace("-", "_")
    try:
        if module.isidentifier() and util.find_spec(module) is not None:
            return True
        metadata.distribution(name)
    except (ImportError, ValueError, metadata.PackageNotFoundError):
        return False
    return True


@dataclass(slots=True)
class Machine:
    """What is there, remembered for a while: the same program is wanted by many skills."""

    binary: Callable[[str], bool] = has_binary
    environment: Callable[[str], bool] = has_environment
    library: Callable[[str], bool] = has_library
    monotonic: Callable[[], float] = time.monotonic
    version: int = field(default=0, init=False)  # another number: some answer changed
    _known: dict[Missing, bool] = field(default_factory=dict, init=False)
    _since: float = field(default=-REMEMBERED, init=False)

    def missing(self, requirements: Requirements) -> tuple[Missing, ...]:
        """What of this is not there."""
        if not requirements:
            return ()
        return tuple(each for each in _wanted(requirements) if not self._has(each))

    def look(self) -> int:
        """Ask anew for everything that was ever asked, when it is time to, and return the version.

        Many catalogues share one machine: each compares the version with the one that it saw.
        """
        if self.monotonic() - self._since >= REMEMBERED:
            self._since = self.monotonic()
            before, self._known = self._known, {}
            if any(self._has(each) != there for each, there in before.items()):
                self.version += 1
        return self.version

    def _has(self, wanted: Missing) -> bool:
        if (known := self._known.get(wanted)) is None:
            ask = {"binary": self.binary, "environment": self.environment, "library": self.library}[wanted.kind]
            known = self._known[wanted] = ask(wanted.name)
        return known


def _wanted(requirements: Requirements) -> Iterable[Missing]:
    yield from (Missing("binary", name) for name in requirements.binaries)
    yield from (Missing("environment", name) for name in requirements.environment)
    yield from (Missing("library", name) for name in requirements.libraries)
