"""Errors classed by who can act on them; each way in has one translator for the whole tree."""

from typing import ClassVar


class WeftError(Exception):
    """Something went wrong that Weft can name: a stable code, what happened, where, and what would be right."""

    code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Weft failed"

    def __init__(self, detail: str, *, field: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.field = field


class CallerError(WeftError):
    """The caller can put it right; HTTP answers 4xx."""

    code = "bad_request"
    title = "The request cannot be carried out"


class InvalidError(CallerError):
    """A value is not of the shape it must have."""

    code = "invalid"
    title = "A value is not valid"


class NotFoundError(CallerError):
    """It does not exist, or belongs to somebody else: the caller cannot tell which."""

    code = "not_found"
    title = "There is no such thing"


class ConflictError(CallerError):
    """It exists, but its present state does not allow this."""

    code = "conflict"
    title = "The present state does not allow this"


class UnauthenticatedError(CallerError):
    """Nobody is known to be calling."""

    code = "unauthenticated"
    title = "Who is calling?"


class ForbiddenError(CallerError):
    """The caller is known and has no right to this."""

    code = "forbidden"
    title = "The caller has no right to this"


class TooLargeError(CallerError):
    """An input passes its limit."""

    code = "too_large"
    title = "The input is too large"


class TooManyError(CallerError):
    """The caller must slow down."""

    code = "rate_limited"
    title = "Too many requests"

    def __init__(self, detail: str, *, retry_after: float) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class OperatorError(WeftError):
    """Configuration that only the operator can put right; refused at start."""

    code = "misconfigured"
    title = "Weft is not configured for this"


class WorldError(WeftError):
    """Something outside failed; trying again later may help."""

    code = "unavailable"
    title = "Something Weft needs is not available"
