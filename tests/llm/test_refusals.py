"""What vendors say when they refuse is understood, in their own words."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.kit import clock
from weft.llm.errors import (
    ContentFilteredError,
    ContextTooLongError,
    KeyRefusedError,
    ModelError,
    OutOfCreditError,
    RateLimitedError,
    RefusedRequestError,
    VendorFailedError,
)
from weft.llm.refusals import LONGEST_WAIT, error_in_stream, refusal, seconds_to_wait
from weft.llm.types import Target

TARGET = Target("acme", "m1", "http://127.0.0.1/v1", "openai_compatible")
NOW = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)

SAID: list[tuple[int, str, type[ModelError]]] = [
    (400, '{"error":{"code":"context_length_exceeded","message":"too long"}}', ContextTooLongError),
    (
        400,
        '{"error":{"message":"This model\'s maximum context length is 131072 tokens."}}',
        ContextTooLongError,
    ),
    (400, '{"type":"error","error":{"message":"prompt is too long: 210000 tokens"}}', ContextTooLongError),
    (
        400,
        '[{"error":{"code":400,"message":"The input token count exceeds the maximum"}}]',
        ContextTooLongError,
    ),
    (400, '{"error":{"message":"Range of input length should be [1, 30720]"}}', ContextTooLongError),
    (400, '{"error":{"type":"exceed_context_size_error","message":"n_ctx"}}', ContextTooLongError),
    (
        400,
        '{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192"}}',
        ContextTooLongError,
    ),
    (400, '{"error":{"code":"content_filter","message":"filtered"}}', ContentFilteredError),
    (400, '{"error":{"message":"Content Exists Risk"}}', ContentFilteredError),
    (400, '{"error":{"code":"data_inspection_failed"}}', ContentFilteredError),
    (400, '{"error":{"message":"temperature must be at most 2"}}', RefusedRequestError),
    (400, "Bad Request", RefusedRequestError),
    (404, '{"error":{"code":"model_not_found"}}', RefusedRequestError),
    (404, '{"error":"model \\"qwen3\\" not found, try pulling it first"}', RefusedRequestError),
    (422, '{"detail":[{"loc":["body","messages"],"msg":"field required"}]}', RefusedRequestError),
    (401, '{"error":{"message":"Authentication Fails (no such user)"}}', KeyRefusedError),
    (403, "", KeyRefusedError),
    (402, '{"error":{"message":"Insufficient Balance"}}', OutOfCreditError),
    (429, '{"error":{"code":"insufficient_quota"}}', OutOfCreditError),
    (400, '{"error":{"code":"Arrearage","message":"Access denied"}}', OutOfCreditError),
    (429, '{"error":{"code":"1113","message":"您的账户已欠费，请充值后重试"}}', OutOfCreditError),
    (429, "", RateLimitedError),
    (408, "", VendorFailedError),
    (500, "<html>nginx</html>", VendorFailedError),
    (529, '{"error":{"type":"overloaded_error"}}', VendorFailedError),
    (302, "", VendorFailedError),
]


@pytest.mark.parametrize(("status", "body", "kind"), SAID)
def test_a_refusal_is_named_for_what_it_is(status: int, body: str, kind: type[ModelError]) -> None:
    """INFRA-3: fall-over and retries depend on it."""
    error = refusal(TARGET, status, body.encode())
    assert type(error) is kind
    assert f"HTTP {status}" in error.detail


def test_the_message_for_people_is_the_vendor_s() -> None:
    """INFRA-2: a clear error says what the vendor said, without the JSON around it."""
    error = refusal(TARGET, 400, b'{"error": {"message": "max_tokens is too large", "type": "x"}}')
    assert error.detail == "acme m1: HTTP 400: max_tokens is too large"


STREAMED: list[tuple[Any, type[ModelError]]] = [
    ({"code": 429, "message": "slow down"}, RateLimitedError),
    ({"code": "429", "message": "slow down"}, RateLimitedError),
    ({"type": "rate_limit_error"}, RateLimitedError),
    ({"code": "limit_requests", "message": "You exceeded your current requests_limit"}, RateLimitedError),
    ({"status": 503}, VendorFailedError),
    ({"type": "overloaded_error"}, VendorFailedError),
    ({"type": "invalid_request_error", "message": "no"}, RefusedRequestError),
    ({"code": "context_length_exceeded"}, ContextTooLongError),
    ({"code": "data_inspection_failed"}, ContentFilteredError),
    ({"code": "invalid_api_key"}, KeyRefusedError),
    ({"code": "insufficient_quota"}, OutOfCreditError),
    ("out of memory", VendorFailedError),
    (["what"], VendorFailedError),
    (17, VendorFailedError),
]


@pytest.mark.parametrize(("error", "kind"), STREAMED)
def test_an_error_in_the_stream_is_named_by_its_words(error: Any, kind: type[ModelError]) -> None:
    """INFRA-3: there is no HTTP status then."""
    problem = error_in_stream(TARGET, error)
    assert type(problem) is kind
    assert "in its answer" in problem.detail


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("nan", None),
        ("inf", LONGEST_WAIT),
        ("99999999", LONGEST_WAIT),
        ("soon", None),
        (format_datetime(NOW + timedelta(seconds=20), usegmt=True), 20.0),
        (format_datetime(NOW - timedelta(seconds=20), usegmt=True), 0.0),
        ("Fri, 06 Mar 2026 12:00:05", 5.0),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(
    header: str | None, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """INFRA-3: a cool-down lasts as long as the vendor says, within reason."""
    monkeypatch.setattr(clock, "now", lambda: NOW)
    assert seconds_to_wait(header) == seconds


@given(st.integers(300, 700), st.binary(max_size=200), st.text(max_size=30))
def test_no_refusal_can_crash_it(status: int, body: bytes, header: str) -> None:
    """INFRA-3: whatever a broken proxy answers is still an error of ours."""
    assert isinstance(refusal(TARGET, status, body, retry_after=header), ModelError)
