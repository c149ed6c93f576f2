"""Taking on a skill and leaving it: what `use_skill` does, whoever calls it (SKILL-3)."""

from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from weft.context.situation import CORE
from weft.kit.db import Transaction
from weft.kit.text import check_storable
from weft.profiles.service import ProfileService
from weft.sessions.service import SessionService
from weft.skills.catalogue import Listed, Snapshot
from weft.skills.errors import ScenarioInvalidError, SkillNotFoundError, SkillUnavailableError
from weft.skills.skill import Skill

BIRTH_INFO = "birth_info"
LONGEST_SCENARIO = 128


@dataclass(frozen=True, slots=True)
class Activated:
    """What became of it, as the model is told."""

    status: Literal["activated", "already_active"]
    skill: str
    scenario: str | None = None
    missing: tuple[str, ...] = ()  # what the user has not given and the skill needs

    def result(self) -> dict[str, Any]:
        """The tool's result; what is not there is not said."""
        said: dict[str, Any] = {"status": self.status, "skill": self.skill}
        said |= {"scenario": self.scenario} if self.scenario else {}
        return said | ({"missing": list(self.missing)} if self.missing else {})


class SkillActivation:
    """Over a transaction, and the catalogue as its user sees it."""

    def __init__(self, tx: Transaction, catalogue: Snapshot) -> None:
        self._tx = tx
        self._catalogue = catalogue

    async def activate(self, session_id: UUID, name: str, scenario: str | None = None) -> Activated:
        """Let the session go on in this skill; `core` leaves the one that is active. The same again changes nothing."""
        scenario = _checked(scenario)
        listed = None if name == CORE else usable(self._catalogue, name)
        sessions = SessionService(self._tx)
        session = await sessions.get(session_id)
        wanted = (None, None) if listed is None else (name, scenario)
        missing = () if listed is None else await self._missing(listed.skill)
        if (session.skill, session.scenario) == wanted:
            return Activated("already_active", name, wanted[1], missing)
        await sessions.remember_skill(session_id, *wanted)
        return Activated("activated", name, wanted[1], missing)

    async def _missing(self, skill: Skill) -> tuple[str, ...]:
        given = await ProfileService(self._tx).load_profile_fields(self._tx.actor.owner_id, needed_fields(skill))
        return missing_of(skill, given)


def usable(catalogue: Snapshot, name: str) -> Listed:
    """The skill of this name, if all that it needs is on this machine."""
    listed = catalogue.skills.get(name)
    if listed is None:
        raise SkillNotFoundError(name, f"is not installed; there are {', '.join([CORE, *choosable(catalogue)])}")
    if listed.missing:
        raise SkillUnavailableError(name, [str(each) for each in listed.missing])
    return listed


def choosable(catalogue: Snapshot) -> list[str]:
    """The skills that `use_skill` can take on, in the order of their names: the enum of its argument, with `core`."""
    return [
        name for name, each in catalogue.skills.items() if name != CORE and each.available and not each.skill.always
    ]


def needed_fields(skill: Skill) -> tuple[str, ...]:
    """The fields without which the skill cannot work."""
    return (BIRTH_INFO,) if skill.requires_birth_info else ()


def missing_of(skill: Skill, given: dict[str, Any]) -> tuple[str, ...]:
    """Those of them that the user has not given yet."""
    return tuple(field for field in needed_fields(skill) if given.get(field) is None)


def _checked(scenario: str | None) -> str | None:
    scenario = (scenario or "").strip() or None
    if scenario is None:
        return None
    try:
        check_storable(scenario)
    except ValueError as error:
        raise ScenarioInvalidError(str(error)) from None
    if len(scenario) > LONGEST_SCENARIO:
        raise ScenarioInvalidError(f"has {len(scenario)} characters; it may have {LONGEST_SCENARIO}")
    return scenario
