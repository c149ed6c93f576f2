"""What can go wrong with a model call, by who can act on it; none of it ever holds a vendor's key."""

from typing import ClassVar, Literal

from weft.kit.errors import CallerError, OperatorError, WeftError, WorldError
from weft.llm.redaction import hide_secrets
from weft.llm.types import Completion, Target

Stage = Literal["connect", "first", "gap"]
LONGEST_DETAIL = 600


class ModelError(WeftError):
    """A call to a model failed; `partial` is what had already been passed on, if anything was."""

    code = "model_failed"
    title = "The model call failed"
    passing: ClassVar[bool] = False  # the same call may succeed a moment later
    elsewhere: ClassVar[bool] = False  # another key or endpoint may succeed where this one cannot
    refused: ClassVar[bool] = False  # the vendor did no work for it, and bills none

    def __init__(self, detail: str, *, target: Target, partial: Completion | None = None) -> None:
        clean = hide_secrets(detail, target)  # before the cut: half a key is a secret too
        super().__init__(f"{target.vendor} {target.model}: {clean[:LONGEST_DETAIL]}")
        self.vendor = target.vendor
        self.model = target.model
        self.partial = partial

    @property
    def shown(self) -> bool:
        """Whether a piece of an answer had been passed on: then nothing may be tried again."""
        seen = self.partial
        return seen is not None and bool(seen.text or seen.reasoning or seen.tool_calls)

    @property
    def retry_safe(self) -> bool:
        """Whether the same call may be made again: it may help, and nobody has seen a piece of an answer."""
        return self.passing and not self.shown

    @property
    def did_no_work(self) -> bool:
        """Whether the vendor refused the call or never heard of it."""
        return self.refused


class NotReachedError(ModelError, WorldError):
    """No connection, or it broke before the answer began."""

    code = "model_not_reached"
    title = "The model's vendor cannot be reached"
    passing = True


class TimedOutError(ModelError, WorldError):
    """The vendor took too long: to connect, to begin, or to go on."""

    code = "model_timed_out"
    title = "The model's vendor took too long"
    passing = True

    def __init__(self, detail: str, *, target: Target, stage: Stage, partial: Completion | None = None) -> None:
        super().__init__(detail, target=target, partial=partial)
        self.stage = stage

    @property
    def did_no_work(self) -> bool:
        """Only a vendor that could not be reached in time never heard of the call."""
        return self.stage == "connect"


class RateLimitedError(ModelError, WorldError):
    """The vendor wants fewer calls with this key; `retry_after` is in seconds, where it said."""

    code = "model_rate_limited"
    title = "The model's vendor limits the rate"
    refused = True
    passing = True

    def __init__(
        self,
        detail: str,
        *,
        target: Target,
        retry_after: float | None = None,
        partial: Completion | None = None,
    ) -> None:
        super().__init__(detail, target=target, partial=partial)
        self.retry_after = retry_after


class VendorFailedError(ModelError, WorldError):
    """The vendor says that the fault is its own."""

    code = "model_vendor_failed"
    title = "The model's vendor failed"
    refused = True
    passing = True

    def __init__(
        self,
        detail: str,
        *,
        target: Target,
        status: int = 500,
        retry_after: float | None = None,
        partial: Completion | None = None,
    ) -> None:
        super().__init__(detail, target=target, partial=partial)
        self.status = status
        self.retry_after = retry_after


class BrokenStreamError(ModelError, WorldError):
    """The answer stopped in the middle; `partial` carries what arrived."""

    code = "model_stream_broken"
    title = "The model's answer broke off"
    passing = True


class OffProtocolError(ModelError, WorldError):
    """The answer is not of the shape it must have."""

    code = "model_off_protocol"
    title = "The model's answer has the wrong shape"
    elsewhere = True

    def __init__(
        self, path: str, expected: str, found: str, *, target: Target, partial: Completion | None = None
    ) -> None:
        super().__init__(f"at {path}: expected {expected}, found {found}", target=target, partial=partial)
        self.path = path
        self.expected = expected
        self.found = hide_secrets(found, target)[:LONGEST_DETAIL]


class AnswerTooLargeError(ModelError, WorldError):
    """The answer passed a limit and was cut off."""

    code = "model_answer_too_large"
    title = "The model's answer is too large"


class KeyRefusedError(ModelError, OperatorError):
    """The vendor does not accept the key, or not for this."""

    code = "model_key_refused"
    title = "The model's vendor refuses the key"
    elsewhere = True
    refused = True


class OutOfCreditError(ModelError, OperatorError):
    """The account behind the key has nothing left to spend."""

    code = "model_out_of_credit"
    title = "The vendor account is out of credit"
    elsewhere = True
    refused = True


class RefusedRequestError(ModelError, OperatorError):
    """The vendor does not understand or allow the request."""

    code = "model_request_refused"
    title = "The model's vendor refuses the request"
    refused = True


class ContextTooLongError(RefusedRequestError):
    """The prompt and the answer asked for do not fit the model."""

    code = "model_context_too_long"
    title = "The prompt is too long for the model"


class ContentFilteredError(ModelError, CallerError):
    """The vendor refuses what the prompt says."""

    code = "model_content_filtered"
    title = "The vendor's content filter refuses the prompt"
    refused = True
