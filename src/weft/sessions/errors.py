"""What can be wrong with a session or a message."""

from weft.kit.errors import ConflictError, InvalidError, NotFoundError


class SessionUnknownError(NotFoundError):
    """No session of that id is within reach."""

    code = "session_unknown"


class SessionTakenError(ConflictError):
    """A session of that id is out of this caller's reach; they are not told so."""

    code = "session_taken"


class IllegalTransitionError(ConflictError):
    """The session's status does not lead there."""

    code = "illegal_transition"


class MessageInvalidError(InvalidError):
    """A message that must not be written."""

    code = "message_invalid"


class MessageUnknownError(NotFoundError):
    """No message of that id is within reach."""

    code = "message_unknown"


class CurrencyMismatchError(ConflictError):
    """A message or a call in a currency that is not its session's."""

    code = "currency_mismatch"


class PositionInvalidError(InvalidError):
    """A `seq` that no visible message of this session can have."""

    code = "seq_invalid"
