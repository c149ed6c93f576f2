"""One folder of skills: read once, and afterwards only what changed.

A look asks the file system for the state of each `SKILL.md` and of the voices beside it, and reads those whose state
is another one. It is taken at most once an interval, however many turns ask; in between, a look costs a glance at the
clock.
"""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from weft.skills import voices
from weft.skills.files import FolderFiles, Signature, signature_of
from weft.skills.findings import Finding
from weft.skills.reading import Reading, read_skill
from weft.skills.skill import SKILL_FILE, Skill

Level = Literal["user", "business", "operator", "shipped"]
INTERVAL = 1.0  # seconds
# A skill that is being replaced is away for less than this; so one that is gone is looked for again, so many times.
RETURNS, LOOKS = 0.005, 4
MOST_SKILLS = 5_000
_HIDDEN = (".", "__")
# File systems count time in ticks: a file that changed this shortly ago may change again and show the same time.
_SETTLES = 50_000_000  # nanoseconds


@dataclass(frozen=True, slots=True)
class Root:
    """A folder whose folders are skills.

    It, and a skill's own folder, may be a link only where `links` says so: an operator links folders of other agents,
    while a user's workspace holds what a model wrote.
    """

    level: Level
    path: Path
    links: bool = False


@dataclass(frozen=True, slots=True)
class Shelved:
    """A skill where it stands."""

    skill: Skill
    root: Root
    files: FolderFiles


_State = tuple[Signature, ...]  # of `SKILL.md`, then of each voice


@dataclass(frozen=True, slots=True)
class _Entry:
    state: _State
    settled: bool  # False: read it again at the next look, whatever its signature says
    reading: Reading


@dataclass(slots=True)
class Shelf:
    """The skills of one root."""

    root: Root
    interval: float = INTERVAL
    monotonic: Callable[[], float] = time.monotonic
    version: int = field(default=0, init=False)  # another number: something changed
    reads: int = field(default=0, init=False)  # how many files were ever read
    _entries: dict[str, _Entry] = field(default_factory=dict, init=False)
    _own: tuple[Finding, ...] = field(default=(), init=False)
    _looked: float | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def due(self) -> bool:
        """Whether the next look goes to the disk; one that does belongs beside the event loop."""
        return self._looked is None or self.monotonic() - self._looked >= self.interval

    def look(self, *, now: bool = False) -> int:
        """Read what changed, if it is time to (or at once), and return the version."""
        if not now and not self.due():
            return self.version
        with self._lock:
            if now or self.due():  # another thread may have looked while this one waited
                self._refresh()
                self._looked = self.monotonic()
        return self.version

    @property
    def empty(self) -> bool:
        """Whether nothing stands there, not even something broken."""
        return not self._entries and not self._own

    def skills(self) -> list[Shelved]:
        """Those that can be used, in the order of their folders."""
        found = sorted(self._entries.items())
        return [
            Shelved(entry.reading.skill, self.root, self._files(folder))
            for folder, entry in found
            if entry.reading.skill is not None
        ]

    def findings(self) -> list[Finding]:
        """What was wrong or odd, file by file."""
        return [*self._own, *(each for _, entry in sorted(self._entries.items()) for each in entry.reading.findings)]

    def _refresh(self) -> None:
        states, own = self._states()
        for _ in range(1, LOOKS):
            if self._entries.keys() <= states.keys():
                break
            time.sleep(RETURNS)
            states, own = self._states()
        after = {folder: self._entry(folder, state) for folder, state in states.items()}
        readings = [{folder: entry.reading for folder, entry in each.items()} for each in (self._entries, after)]
        if own != self._own or readings[0] != readings[1]:
            self.version += 1
        self._entries, self._own = after, own

    def _entry(self, folder: str, state: _State) -> _Entry:
        before = self._entries.get(folder)
        if before is not None and before.settled and before.state == state:
            return before
        reading = self._read(folder)
        for _ in range(1, LOOKS):
            now = _state_of(f"{self.root.path}/{folder}")
            if now == state:
                break
            time.sleep(RETURNS)  # it was replaced while it was read, and some of it may be of the old one
            state, reading = now or state, self._read(folder)
        settled = time.time_ns() - max(moment for signature in state for moment in signature[:2]) > _SETTLES
        return _Entry(state, settled, before.reading if before is not None and before.reading == reading else reading)

    def _read(self, folder: str) -> Reading:
        self.reads += 1
        return read_skill(self._files(folder), folder, f"{self.root.level}/{folder}")

    def _files(self, folder: str) -> FolderFiles:
        return FolderFiles(self.root.path / folder, self.root.links)

    def _states(self) -> tuple[dict[str, _State], tuple[Finding, ...]]:
        """The state of each skill, taken before it is read: a change meanwhile is seen at the next look."""
        states: dict[str, _State] = {}
        own: list[Finding] = []
        if not self.root.links and self.root.path.is_symlink():
            return {}, (self._finding("", "warning", "is a link, which is not followed"),)
        try:
            with os.scandir(self.root.path) as entries:
                for entry in entries:
                    if entry.name.startswith(_HIDDEN):
                        continue
                    if (state := self._state(entry)) is not None:
                        states[entry.name] = state
                    elif entry.is_symlink() and not self.root.links:
                        own.append(self._finding(entry.name, "warning", "is a link, which this root does not follow"))
                    if len(states) >= MOST_SKILLS:
                        own.append(
                            self._finding("", "error", f"has more than {MOST_SKILLS} skills; the rest is left out")
                        )
                        break
        except FileNotFoundError:
            return {}, ()  # a root that does not exist yet holds nothing
        except OSError as error:
            own.append(self._finding("", "error", f"cannot be read: {error.strerror}"))
        return states, tuple(sorted(own))

    def _state(self, entry: os.DirEntry[str]) -> _State | None:
        return None if entry.is_symlink() and not self.root.links else _state_of(entry.path)

    def _finding(self, folder: str, severity: Literal["error", "warning"], message: str) -> Finding:
        return Finding(f"{self.root.level}/{folder}".rstrip("/"), 0, severity, message)


def _state_of(folder: str) -> _State | None:
    try:
        own = signature_of(os.lstat(f"{folder}/{SKILL_FILE}"))
    except OSError:
        return None  # no folder, or a folder that is no skill
    return (own, *_voices(folder))


def _voices(folder: str) -> list[Signature]:
    """The states of a skill's voices, in the order of their names: most skills have none."""
    try:
        with os.scandir(f"{folder}/{voices.FOLDER}") as entries:
            first = sorted(islice(entries, 2 * voices.MOST), key=lambda entry: entry.name)
            return [signature_of(entry.stat(follow_symlinks=False)) for entry in first]
    except OSError:
        return []
