"""Each error says who can act, whether to try again, and never a secret."""

import traceback

import pytest

from weft.kit.errors import CallerError, OperatorError, WeftError, WorldError
from weft.llm import errors
from weft.llm.errors import (
    LONGEST_DETAIL,
    AnswerTooLargeError,
    BrokenStreamError,
    ContentFilteredError,
    ContextTooLongError,
    KeyRefusedError,
    ModelError,
    NotReachedError,
    OffProtocolError,
    OutOfCreditError,
    RateLimitedError,
    RefusedRequestError,
    TimedOutError,
    VendorFailedError,
)
from weft.llm.types import Completion, Target, ToolRequest, Usage

TARGET = Target("acme", "m1", "http://127.0.0.1/v1", "openai_compatible", "sk-canary-1234567890")
PASSING = [NotReachedError, TimedOutError, RateLimitedError, VendorFailedError, BrokenStreamError]
ACTORS = {
    WorldError: [*PASSING, OffProtocolError, AnswerTooLargeError],
    OperatorError: [KeyRefusedError, OutOfCreditError, RefusedRequestError, ContextTooLongError],
    CallerError: [ContentFilteredError],
}
ALL = [kind for kinds in ACTORS.values() for kind in kinds]


def make(kind: type[ModelError], detail: str, partial: Completion | None = None) -> ModelError:
    if kind is OffProtocolError:
        return OffProtocolError("$.choices", "a list", detail, target=TARGET, partial=partial)
    if kind is TimedOutError:
        return TimedOutError(detail, target=TARGET, stage="first", partial=partial)
    return kind(detail, target=TARGET, partial=partial)


def test_every_error_is_listed_here() -> None:
    """INFRA-3: a new error must say who acts on it."""
    defined = {
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, ModelError) and value is not ModelError
    }
    assert defined == set(ALL)
    assert len({kind.code for kind in ALL}) == len(ALL)


@pytest.mark.parametrize("kind", ALL)
def test_an_error_is_classed_by_who_acts(kind: type[ModelError]) -> None:
    """INFRA-3: the world may be asked again, the operator must act, the caller must ask otherwise."""
    error = make(kind, "it failed")
    actors = [actor for actor in ACTORS if isinstance(error, actor)]
    assert actors == [actor for actor, kinds in ACTORS.items() if kind in kinds]
    assert isinstance(error, WeftError)
    assert error.detail.startswith("acme m1: ")


@pytest.mark.parametrize("kind", ALL)
def test_only_a_passing_failure_before_the_first_delta_is_safe_to_retry(kind: type[ModelError]) -> None:
    """INFRA-3: never after a piece of the answer has been passed on."""
    assert make(kind, "it failed").retry_safe is (kind in PASSING)
    assert not make(kind, "it failed", Completion("Hel")).retry_safe
    assert not make(kind, "it failed", Completion("", (ToolRequest("a", "f", ""),))).retry_safe
    assert make(kind, "it failed", Completion("", usage=Usage(1, 0, 0, 1))).retry_safe is (kind in PASSING)


@pytest.mark.parametrize("kind", ALL)
def test_no_error_shows_the_key(kind: type[ModelError]) -> None:
    """SEC-3: neither its message, its repr, its fields nor its traceback."""
    error = make(kind, f"wrong key {TARGET.api_key}; sent Authorization: Bearer {TARGET.api_key}")
    shown = [str(error), repr(error), repr(vars(error)), *traceback.format_exception(error)]
    assert not [text for text in shown if "canary" in text]


def test_a_key_at_the_cut_leaves_no_half() -> None:
    """SEC-3: secrets are taken out before the message is cut."""
    detail = "x" * (LONGEST_DETAIL - 10) + TARGET.api_key
    assert "sk-" not in make(RefusedRequestError, detail).detail


def test_an_endless_message_is_cut() -> None:
    """SEC-4: a vendor's message has a limit."""
    assert len(make(VendorFailedError, "x" * 1_000_000).detail) < LONGEST_DETAIL + 50


def test_an_answer_off_protocol_shows_where() -> None:
    """INFRA-2: path, what was expected, what was found."""
    error = OffProtocolError("$.choices[0].delta", "an object", "list [1]", target=TARGET)
    assert (error.path, error.expected, error.found) == ("$.choices[0].delta", "an object", "list [1]")
    assert error.detail == "acme m1: at $.choices[0].delta: expected an object, found list [1]"
