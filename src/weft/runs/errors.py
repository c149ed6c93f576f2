"""What can be wrong with a run, an approval, or a request for a turn."""

from uuid import UUID

from weft.kit.errors import ConflictError, InvalidError, NotFoundError, WeftError, WorldError


class RunUnknownError(NotFoundError):
    """No run of that id is within reach."""

    code = "run_unknown"


class ApprovalUnknownError(NotFoundError):
    """No approval of that id is within reach."""

    code = "approval_unknown"


class TurnInvalidError(InvalidError):
    """A request for a turn that cannot be one."""

    code = "turn_invalid"


class SessionBusyError(ConflictError):
    """Another run of the session is on its way."""

    code = "session_busy"

    def __init__(self, session_id: UUID, run_id: UUID) -> None:
        super().__init__(
            f"run {run_id} of session {session_id} is on its way; wait for it, cancel it, or ask to be queued",
            field="session_id",
        )
        self.run_id = run_id


class ApprovalDecidedError(ConflictError):
    """Somebody has decided otherwise already."""

    code = "approval_decided"


class ApprovalExpiredError(ApprovalDecidedError):
    """Nobody decided in time."""

    code = "approval_expired"


class RunEndedError(ConflictError):
    """The run is over."""

    code = "run_ended"


class RightsLostError(ConflictError):
    """Whoever asked for this may not have it done any more."""

    code = "rights_lost"


class DeadlinePassedError(WorldError):
    """The turn took longer than it may."""

    code = "deadline_passed"


class RunGaveUpError(WeftError):
    """Every process that took the run up died of it, or was killed."""

    code = "run_gave_up"
    title = "The run never came to an end"


class LeaseLostError(WeftError):
    """Another process carries the run on: this one must write nothing more of it."""

    code = "lease_lost"
    title = "Another process carries the run on"
