"""What a skill is, once it was read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SKILL_FILE = "SKILL.md"
MAX_DESCRIPTION, MAX_COMPATIBILITY = 1024, 500  # the Agent Skills standard's own limits

# The keys of the standard, and those that Weft adds; any other key is kept and means nothing here.
STANDARD_KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
WEFT_KEYS = frozenset(
    {
        "requires_birth_info",
        "requires_compute",
        "compute_type",
        "profile_fields",
        "always",
        "requires",
        "sop",
        "cases",
        "data_schema",
    }
)


@dataclass(frozen=True, slots=True)
class Requirements:
    """What must be there on this machine before a skill can work."""

    binaries: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.binaries or self.environment or self.libraries)


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill: what it says of itself, what it needs, and its instructions."""

    name: str
    description: str
    body: str
    body_line: int = 1
    license: str | None = None
    compatibility: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    allowed_tools: tuple[str, ...] = ()
    requires_birth_info: bool = False
    requires_compute: bool = False
    compute_type: str | None = None
    profile_fields: tuple[str, ...] = ()
    always: bool = False
    requires: Requirements = Requirements()
    sop: tuple[str, ...] = ()  # paths inside the skill, as the next two
    cases: tuple[str, ...] = ()
    data_schema: str | None = None
    voices: Mapping[str, str] = field(default_factory=dict)  # ways to speak, by name, in the order of the names
    others: Mapping[str, Any] = field(default_factory=dict)  # keys of other agents

    @property
    def side_files(self) -> tuple[str, ...]:
        """The files that it names."""
        return (*self.sop, *self.cases, *((self.data_schema,) if self.data_schema else ()))
