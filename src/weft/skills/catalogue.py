"""Every skill that somebody can use: several roots as one, each name once, and what is missing for it.

The user's own come before those of their business, these before the operator's, and these before the shipped ones.
Within a root, the folder that bears the skill's name wins over one that does not, then the first in the alphabet.
Whatever loses is reported. Who the assistant is, is not for a user's folder to say: that skill is left out there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from weft.context.situation import CORE
from weft.skills.availability import Machine, Missing
from weft.skills.errors import SkillNotFoundError
from weft.skills.files import Resource
from weft.skills.findings import Finding
from weft.skills.shelf import Level, Shelf, Shelved
from weft.skills.skill import SKILL_FILE, Skill

PRECEDENCE: tuple[Level, ...] = ("user", "business", "operator", "shipped")


@dataclass(frozen=True, slots=True)
class Listed:
    """A skill as the catalogue has it."""

    skill: Skill
    level: Level
    missing: tuple[Missing, ...]
    shelved: Shelved

    @property
    def name(self) -> str:
        """What it is called."""
        return self.skill.name

    @property
    def available(self) -> bool:
        """Whether all that it needs is there."""
        return not self.missing

    def resources(self) -> list[Resource]:
        """Its files beside `SKILL.md`, as they are now."""
        return [each for each in self.shelved.files.list() if each.path != SKILL_FILE]

    def read(self, path: str) -> bytes:
        """One of its files, as it is now."""
        return self.shelved.files.read(path)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The catalogue at one moment; it never changes, so that a turn sees one state of it."""

    skills: Mapping[str, Listed]  # by name, in the order of the names: the order in which they stand in a prompt
    findings: tuple[Finding, ...]

    def get(self, name: str) -> Listed:
        """The skill of this name."""
        if (listed := self.skills.get(name)) is None:
            raise SkillNotFoundError(name)
        return listed

    def always(self) -> list[Listed]:
        """Those that stand whole in every prompt, and can."""
        return [listed for listed in self.skills.values() if listed.skill.always and listed.available]


class Catalogue:
    """Shelves as one. Shelves may be shared: an installation has one of each but the users' own."""

    def __init__(self, shelves: Sequence[Shelf], machine: Machine | None = None) -> None:
        self._shelves = sorted(shelves, key=lambda shelf: PRECEDENCE.index(shelf.root.level))
        self._machine = machine or Machine()
        self._versions: tuple[int, ...] | None = None
        self._snapshot = Snapshot(MappingProxyType({}), ())

    def due(self) -> bool:
        """Whether the next look goes to the disk; one that does belongs beside the event loop."""
        return self._versions != self._current() or any(shelf.due() for shelf in self._shelves)

    def look(self, *, now: bool = False) -> Snapshot:
        """The catalogue as it is: the very same object as long as nothing changed."""
        if not now and not self.due():
            return self._snapshot
        self._machine.look()
        for shelf in self._shelves:
            shelf.look(now=now)
        versions = self._current()
        if versions != self._versions:
            self._snapshot = self._merged()
            self._versions = versions
        return self._snapshot

    def _current(self) -> tuple[int, ...]:
        """What changes when something did, whichever catalogue over the same shelves has seen it first."""
        return (self._machine.version, *(shelf.version for shelf in self._shelves))

    def _merged(self) -> Snapshot:
        chosen: dict[str, Shelved] = {}
        findings: list[Finding] = []
        for shelf in self._shelves:
            findings += shelf.findings()
            for shelved in sorted(shelf.skills(), key=_own_folder_first):
                if shelved.skill.name == CORE and shelved.root.level == "user":
                    findings.append(_not_the_users(shelved))
                    continue
                winner = chosen.setdefault(shelved.skill.name, shelved)
                if winner is not shelved:
                    findings.append(_hidden(shelved, winner))
        listed = (self._listed(chosen[name]) for name in sorted(chosen))
        return Snapshot(MappingProxyType({each.name: each for each in listed}), tuple(sorted(findings)))

    def _listed(self, shelved: Shelved) -> Listed:
        missing = self._machine.missing(shelved.skill.requires)
        return Listed(shelved.skill, shelved.root.level, missing, shelved)


def _own_folder_first(shelved: Shelved) -> tuple[bool, str]:
    folder = shelved.files.folder.name
    return folder != shelved.skill.name, folder


def _hidden(shelved: Shelved, winner: Shelved) -> Finding:
    where, by = (_place(each) for each in (shelved, winner))
    return Finding(where, 0, "warning", f"is hidden by {by}, which has the same name, {winner.skill.name!r}")


def _not_the_users(shelved: Shelved) -> Finding:
    message = f"is left out: {CORE!r} is replaced by an operator only; say it in SOUL.md and IDENTITY.md instead"
    return Finding(_place(shelved), 0, "warning", message)


def _place(shelved: Shelved) -> str:
    return f"{shelved.root.level}/{shelved.files.folder.name}/{SKILL_FILE}"
