"""Everything that a prompt of this moment is made of, loaded and plain: what domains hand to the engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from weft.context.blocks import Trust
from weft.context.user import AgentContext, UserAgentContext

CORE = "core"  # the skill that is active when none is
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class SkillLine:
    """A skill as the catalogue shows it."""

    name: str
    description: str
    missing: tuple[str, ...] = ()  # what this machine or this user lacks for it
    trust: Trust = Trust.OPERATOR  # `user` for one that nobody reviewed


@dataclass(frozen=True, slots=True)
class SkillText:
    """A skill that stands whole in every prompt."""

    name: str
    text: str
    source: str
    trust: Trust = Trust.OPERATOR


@dataclass(frozen=True, slots=True)
class MatchedCase:
    """A case of the active skill that fits what the user said, and the words that say so."""

    title: str
    situation: str
    advice: str
    matched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActiveSkill:
    """The active skill as phase 2 needs it."""

    name: str
    persona: str
    source: str
    trust: Trust = Trust.OPERATOR
    sop: str = ""
    compute: str | None = None  # what it computes before it speaks
    tools: tuple[str, ...] = ()  # those it names
    profile_fields: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)  # as declared; None: not given
    missing: tuple[str, ...] = ()  # declared, needed, and not given
    cases: tuple[MatchedCase, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file of the user's workspace, as far as it is shown."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Persona:
    """Who the assistant is when no expert speaks, and the voice it speaks with."""

    text: str
    voice: str = ""
    source: str = "skills:core"


@dataclass(frozen=True, slots=True)
class Situation:
    """One moment of one conversation."""

    user: UserAgentContext
    agent: AgentContext
    now: datetime  # in the user's zone
    core: Persona
    catalogue: tuple[SkillLine, ...] = ()
    always: tuple[SkillText, ...] = ()
    skill: ActiveSkill | None = None
    files: tuple[ShownFile, ...] = ()
    memory: str | None = None
    recall: tuple[str, ...] = ()
    execution_context: str | None = None
    tools: frozenset[str] = frozenset()  # the names of those at hand

    @property
    def phase(self) -> int:
        """1 without an active skill, 2 with one."""
        return 1 if self.skill is None else 2
