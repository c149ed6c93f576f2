"""The user as the engine knows them: what stays for a session, and what varies by turn."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol
from uuid import UUID


class Preferences(Protocol):
    """The part of a user's settings that changes how they are answered."""

    @property
    def interface_language(self) -> str:
        """The language of Weft's own texts."""

    @property
    def ai_language(self) -> str:
        """The language of the answers."""

    @property
    def timezone(self) -> str:
        """The zone in which times are read and written."""

    @property
    def country(self) -> str:
        """Where the user lives."""


class UserSettings(Protocol):
    """A user's settings in whichever version they were written."""

    @property
    def version(self) -> int:
        """The version of their shape."""

    @property
    def preferences(self) -> Preferences:
        """What every version has."""


@dataclass(frozen=True, slots=True)
class UserAgentContext:
    """Who the user is; made by `ProfileService.get_user_agent_context` alone, as `make check` verifies."""

    user_id: UUID
    username: str
    bio: str | None
    settings: UserSettings


_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class AgentContext:
    """What varies by turn; `profile_fields` and `skill_data` are filled in phase 2 only."""

    user_tier: str = "free"
    skill: str | None = None
    scenario: str | None = None
    conversation_id: str | None = None
    voice_mode: str = "warm"
    channel: str | None = None
    chat_id: str | None = None
    profile_fields: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    skill_data: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
