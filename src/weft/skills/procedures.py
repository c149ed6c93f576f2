"""The rules of procedure of every skill in use, read once and followed as their files change."""

import threading
from dataclasses import dataclass, field

from weft.skills.catalogue import Listed
from weft.skills.files import Signature
from weft.skills.findings import Findings
from weft.skills.side_files import read_sop

MOST_SKILLS = 500  # texts held; users' own skills come and go

_State = tuple[Signature | None, ...]


@dataclass(slots=True)
class Procedures:
    """Texts by the folder of the skill. It looks at the disk, and so belongs beside the event loop."""

    _held: dict[str, tuple[_State, str]] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def text(self, listed: Listed) -> str:
        """What the skill's files of procedure say, one after the other; one that cannot be read is left out."""
        files, paths = listed.shelved.files, listed.skill.sop
        key = f"{files.folder}\n{paths}"
        state = tuple(files.signature(path) for path in paths)
        with self._lock:
            held = self._held.pop(key, None)
        if held is None or held[0] != state:
            held = (state, _read(listed))
        with self._lock:
            self._held[key] = held  # at the end again: the one asked least recently goes first
            if len(self._held) > MOST_SKILLS:
                del self._held[next(iter(self._held))]
        return held[1]


def _read(listed: Listed) -> str:
    read = (read_sop(listed.shelved.files, path, Findings(path)) for path in listed.skill.sop)
    return "\n\n".join(text for text in read if text)
