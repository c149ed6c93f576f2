"""What can be wrong with an account."""

from weft.kit.errors import ConflictError, InvalidError, NotFoundError, UnauthenticatedError


class KeyRefusedError(UnauthenticatedError):
    """The key or cookie is unknown, revoked or expired; which of these, the caller is not told."""

    code = "key_refused"


class UserNameInvalidError(InvalidError):
    """The id in X-Weft-User cannot be one."""

    code = "user_invalid"


class BusinessTakenError(ConflictError):
    """Another business has that slug."""

    code = "business_taken"


class BusinessUnknownError(NotFoundError):
    """No business of that slug is within reach."""

    code = "business_unknown"


class KeyUnknownError(NotFoundError):
    """No key of that id is within reach."""

    code = "key_unknown"


class OperatorUnknownError(NotFoundError):
    """No operator of that id is within reach."""

    code = "operator_unknown"


class UserUnknownError(NotFoundError):
    """No user of that id is within reach."""

    code = "user_unknown"
