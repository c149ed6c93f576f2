"""What can be wrong with an answer that a gateway waits for."""

from weft.kit.errors import WorldError
from weft.state.events import RunFailed


class TurnFailedError(WorldError):
    """The turn was carried out, and failed."""

    code = "turn_failed"
    title = "The turn failed"

    def __init__(self, failed: RunFailed) -> None:
        super().__init__(f"{failed.code}: {failed.message} (error {failed.error_id})")
        self.failed = failed
