"""What an operator's role allows."""

from enum import StrEnum

from weft.kit.actor import Right


class Role(StrEnum):
    """An operator's role."""

    OWNER = "owner"
    ADMIN = "admin"
    REVIEWER = "reviewer"
    VIEWER = "viewer"


ALL_RIGHTS = frozenset(Right)
BUSINESS_RIGHTS = frozenset({Right.CHAT, Right.PROFILE, Right.SESSIONS, Right.USAGE})
RIGHTS: dict[Role, frozenset[Right]] = {
    Role.OWNER: ALL_RIGHTS,
    Role.ADMIN: ALL_RIGHTS - {Right.OPERATORS},
    Role.REVIEWER: frozenset({Right.SESSIONS, Right.USAGE, Right.SKILLS}),
    Role.VIEWER: frozenset({Right.SESSIONS, Right.USAGE}),
}
