"""What ends a turn from within."""

from weft.kit.errors import ConflictError


class LimitReachedError(ConflictError):
    """A turn or a session has used up what it may."""

    code = "limit_reached"
