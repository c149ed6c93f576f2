"""What can be wrong with a booked call."""

from weft.kit.errors import ConflictError, NotFoundError


class CallUnknownError(NotFoundError):
    """No call of that id is within reach."""

    code = "call_unknown"


class CallEndedError(ConflictError):
    """The call has been booked already; what is booked is never booked again."""

    code = "call_ended"


class ContextNotKeptError(NotFoundError):
    """The call is there; what it was sent is not, or no longer."""

    code = "context_not_kept"
