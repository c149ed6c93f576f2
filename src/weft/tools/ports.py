"""What built-in tools need from outside the engine, each tool no more than its own part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder as a listing shows it."""

    name: str
    is_folder: bool
    size: int = 0


@dataclass(frozen=True, slots=True)
class PastLine:
    """Something of the user's past that says what was looked for."""

    at: str  # ISO 8601; empty where the text itself says when
    where: str  # `user` or `assistant`, whoever said it; or the file that it stands in
    text: str
    message: str = ""  # its id, where it is one


class SkillsPort(Protocol):
    """Taking on a skill, and leaving it."""

    async def activate_skill(self, skill: str, scenario: str | None) -> Mapping[str, Any]:
        """Let the conversation go on in it; what became of it, as the model is told."""


class FilesPort(Protocol):
    """The user's own files."""

    async def read_text(self, path: str) -> str:
        """A text file, whole."""

    async def list_folder(self, path: str) -> Sequence[Place]:
        """What is in a folder, folders first."""

    async def write_text(self, path: str, text: str) -> bool:
        """Write a file whole; whether there was one before."""

    async def edit_text(self, path: str, old: str, new: str, *, everywhere: bool) -> int:
        """Put a passage in the place of another; how often."""


class PastPort(Protocol):
    """What was said and what happened, in all of the user's conversations."""

    async def search_past(self, query: str, limit: int) -> Sequence[PastLine]:
        """What says it, the best first."""

    async def whole_message(self, message: str) -> str:
        """What one message says, whole."""


class MemoryPort(Protocol):
    """Facts that are kept for long."""

    async def remember(self, fact: str, section: str | None) -> str:
        """Keep one; what became of it."""


class UserPort(Protocol):
    """What the user has told about themselves."""

    async def save_user_data(self, field: str, value: Any) -> Any:
        """Save a field of the profile; what stands there now."""

    async def user_context(self) -> Mapping[str, Any]:
        """Who the user is, and what the active skill may know of them."""


class ComputePort(Protocol):
    """The computation of a skill."""

    async def compute(self, skill: str, compute_type: str | None, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Carry it out for the user; what is to be kept of it is kept."""


class Ports(SkillsPort, FilesPort, PastPort, MemoryPort, UserPort, ComputePort, Protocol):
    """All of them; a factory of other tools is given the same."""
