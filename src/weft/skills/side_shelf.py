"""What the files beside a `SKILL.md` say, for every skill in use: read once and followed as the files change."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from weft.skills.catalogue import Listed
from weft.skills.files import Signature
from weft.skills.findings import Findings
from weft.skills.side_files import read_schema, read_sop

MOST_SKILLS = 2_000  # whose files are held; users' own skills come and go

Kept = TypeVar("Kept")
_State = tuple[Signature | None, ...]


@dataclass(frozen=True, slots=True)
class DataSchema:
    """The shape of what a skill keeps for a user, or what is wrong with the file that says so."""

    schema: Mapping[str, Any]
    problem: str | None = None


@dataclass(slots=True)
class SideShelf(Generic[Kept]):
    """Something that is read from a skill's files. It looks at the disk, and so belongs beside the event loop."""

    paths: Callable[[Listed], tuple[str, ...]]
    read: Callable[[Listed], Kept]
    _held: dict[str, tuple[_State, Kept]] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def get(self, listed: Listed) -> Kept:
        """What the files say now."""
        files, paths = listed.shelved.files, self.paths(listed)
        key = f"{files.folder}\n{paths}"
        state = tuple(files.signature(path) for path in paths)
        with self._lock:
            held = self._held.pop(key, None)
        if held is None or held[0] != state:
            held = (state, self.read(listed))
        with self._lock:
            self._held[key] = held  # at the end again: the one asked least recently goes first
            if len(self._held) > MOST_SKILLS:
                del self._held[next(iter(self._held))]
        return held[1]


def procedures() -> SideShelf[str]:
    """The rules of procedure, file after file; one that cannot be read is left out."""
    return SideShelf(lambda listed: listed.skill.sop, _read_procedure)


def data_schemas() -> SideShelf[DataSchema]:
    """The schemas of what skills keep for a user."""
    return SideShelf(lambda listed: tuple(filter(None, (listed.skill.data_schema,))), _read_data_schema)


def _read_procedure(listed: Listed) -> str:
    read = (read_sop(listed.shelved.files, path, Findings(path)) for path in listed.skill.sop)
    return "\n\n".join(text for text in read if text)


def _read_data_schema(listed: Listed) -> DataSchema:
    path = listed.skill.data_schema
    if path is None:
        return DataSchema({"type": "object"})  # whatever it keeps is an object
    findings = Findings(path)
    schema = read_schema(listed.shelved.files, path, findings)
    if schema is None:
        return DataSchema({}, "; ".join(each.message for each in findings) or f"{path} cannot be read")
    return DataSchema(schema)
