"""Who is acting: a value that every transaction carries and the database checks again."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from weft.kit.errors import ForbiddenError


class Right(StrEnum):
    """What a caller may do; business keys hold some, operator roles map to some."""

    CHAT = "chat"
    PROFILE = "profile"
    SESSIONS = "sessions"
    USAGE = "usage"
    SKILLS = "skills"
    INFRA = "infra"
    KEYS = "keys"
    OPERATORS = "operators"


class Reach(StrEnum):
    """How far a transaction sees: one user's rows, one business's, or all; row-level security reads this."""

    USER = "user"
    BUSINESS = "business"
    INSTALLATION = "installation"


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody acting: a user (through a business), an operator, or, on a local installation, both in one person."""

    via: str  # how they came in, for logs and audit: "key:<prefix>", "operator:<id>", "local", "cli"
    rights: frozenset[Right]
    business_id: UUID | None = None
    user_id: UUID | None = None
    operator_reach: Reach | None = None

    def require(self, right: Right) -> None:
        """Refuse whoever does not hold the right."""
        if right not in self.rights:
            raise ForbiddenError(f"this needs the right {right.value!r}, which {self.via} does not hold")

    @property
    def owner_id(self) -> UUID:
        """The user on whose behalf this is done."""
        if self.user_id is None:
            raise ForbiddenError(
                "this belongs to a user, and no user is named; call with a business key and the X-Weft-User header"
            )
        return self.user_id

    @property
    def is_only_operator(self) -> bool:
        """Whether they act for all they are responsible for, and not for one user."""
        return self.operator_reach is not None and self.user_id is None
