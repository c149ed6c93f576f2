"""The cases of every skill in use, indexed once and followed as their files change."""

import threading
from dataclasses import dataclass, field

from weft.skills.case_index import CaseIndex, Match
from weft.skills.cases import Case, read_cases
from weft.skills.catalogue import Listed
from weft.skills.files import Signature
from weft.skills.findings import Finding, Findings
from weft.skills.synonyms import Synonyms

MOST_SKILLS = 200  # indexes held; users' own skills come and go

_State = tuple[Signature | None, ...]


@dataclass(slots=True)
class _Held:
    state: _State
    index: CaseIndex
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class CaseShelf:
    """Indexes by the folder of the skill. It looks at the disk, and so belongs beside the event loop."""

    synonyms: Synonyms | None = None
    _held: dict[str, _Held] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def match(self, listed: Listed, text: str, limit: int = 5) -> list[Match]:
        """The cases of a skill that fit what somebody says."""
        with self._lock:  # an index that is being changed must not be asked
            return self._current(listed).index.match(text, limit)

    def findings(self, listed: Listed) -> tuple[Finding, ...]:
        """What was wrong in the skill's cases; the others are used."""
        with self._lock:
            return self._current(listed).findings

    def _current(self, listed: Listed) -> _Held:
        """The index as the files are now: only cases that changed are indexed anew."""
        files, paths = listed.shelved.files, listed.skill.cases
        key = str(files.folder)
        state = tuple(files.signature(path) for path in paths)
        held = self._held.pop(key, None)
        if held is None:
            held = _Held((), CaseIndex(synonyms=self.synonyms), ())
        if held.state != state:
            cases, found = _read(listed)
            held.index.replace(cases)
            held.state, held.findings = state, found
        self._held[key] = held  # at the end again: the one asked least recently goes first
        if len(self._held) > MOST_SKILLS:
            del self._held[next(iter(self._held))]
        return held


def _read(listed: Listed) -> tuple[list[Case], tuple[Finding, ...]]:
    cases: list[Case] = []
    found: list[Finding] = []
    for path in listed.skill.cases:
        findings = Findings(f"{listed.level}/{listed.name}/{path}")
        cases += read_cases(listed.shelved.files, path, findings)
        found += findings
    taken: dict[str, Case] = {}
    for case in cases:
        if taken.setdefault(case.id, case) is not case:
            where = f"{listed.level}/{listed.name}"
            found.append(Finding(where, 0, "warning", f"two of its files have a case {case.id!r}; the first counts"))
    return list(taken.values()), tuple(found)
