"""Reads what a vendor says when it refuses: an HTTP status and a body, or an error object in mid-stream."""

import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

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
from weft.llm.types import Target

LONGEST_WAIT = 3600.0
_CONTEXT_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|context (window|length|size)|"
    r"prompt is too long|range of input length|token count exceeds|"
    r"exceeded model token limit|string_above_max_length",
    re.IGNORECASE,
)
_CONTENT_FILTERED = re.compile(
    r"content_filter|content_policy|data_inspection_failed|datainspectionfailed|content exists risk|"
    r"content management policy|inappropriate content|safety system|"
    r"responsibleaipolicy|content filtering policy",
    re.IGNORECASE,
)
_OUT_OF_CREDIT = re.compile(
    r"insufficient_quota|insufficient[ _]balance|exceeded_current_quota|arrearage|credit balance is too low|"
    r"billing_hard_limit|余额不足|欠费",
    re.IGNORECASE,
)
_KEY_REFUSED = re.compile(r"invalid_api_key|incorrect api key|authentication|permission_", re.IGNORECASE)
_RATE_LIMITED = re.compile(r"rate[ _-]?limit|too many requests|throttl|requests_limit", re.IGNORECASE)
_REFUSED = re.compile(r"invalid_request|invalid_parameter|invalidparameter|model_not_found", re.IGNORECASE)


def refusal(
    target: Target,
    status: int,
    body: bytes | str | Mapping[str, Any],
    *,
    retry_after: str | None = None,
) -> ModelError:
    """The error that an HTTP status and a body stand for."""
    words, message = _read(body)
    detail = f"HTTP {status}: {message}" if message else f"HTTP {status}"
    return _error(target, status, words, detail, seconds_to_wait(retry_after))


def error_in_stream(target: Target, error: Any) -> ModelError:
    """The error that an error object in an answer of status 200 stands for."""
    body = error if isinstance(error, Mapping) else {"message": str(error)}
    words, message = _read(body)
    return _error(target, _status_of(body), words, f"in its answer: {message}", None)


def _error(target: Target, status: int, words: str, detail: str, wait: float | None) -> ModelError:
    if _OUT_OF_CREDIT.search(words) or status == 402:
        return OutOfCreditError(detail, target=target)
    if status == 429:
        return RateLimitedError(detail, target=target, retry_after=wait)
    if status in (401, 403):
        return KeyRefusedError(detail, target=target)
    if status >= 500 or status == 408:
        return VendorFailedError(detail, target=target, status=status, retry_after=wait)
    if status < 400:
        return VendorFailedError(f"an unexpected {detail}", target=target, status=status)
    kind = _kind_of_refusal(words)
    return kind(detail, target=target)


def seconds_to_wait(retry_after: str | None) -> float | None:
    """What a Retry-After header says in seconds; it may be a number or a date."""
    if not retry_after:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            moment = parsedate_to_datetime(retry_after)
        except ValueError:
            return None
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - clock.now().timestamp()
    return min(max(seconds, 0.0), LONGEST_WAIT) if seconds == seconds else None


def _kind_of_refusal(words: str) -> type[ModelError]:
    if _CONTEXT_TOO_LONG.search(words):
        return ContextTooLongError
    if _CONTENT_FILTERED.search(words):
        return ContentFilteredError
    return RefusedRequestError


def _status_of(error: Mapping[str, Any]) -> int:
    for name in ("code", "status", "status_code"):
        value = error.get(name)
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    words = _words(error)
    for pattern, status in ((_RATE_LIMITED, 429), (_KEY_REFUSED, 401), (_CONTEXT_TOO_LONG, 400)):
        if pattern.search(words):
            return status
    return 400 if _CONTENT_FILTERED.search(words) or _REFUSED.search(words) else 500


def _read(body: bytes | str | Mapping[str, Any]) -> tuple[str, str]:
    """All words that tell what it is, and the message for people."""
    if isinstance(body, Mapping):
        error: Any = body
    else:
        try:
            error = orjson.loads(body)
        except orjson.JSONDecodeError:
            text = body.decode(errors="replace") if isinstance(body, bytes) else body
            return text, " ".join(text.split())
    if isinstance(error, list) and error:
        error = error[0]  # Gemini wraps its errors in a list
    if isinstance(error, Mapping) and isinstance(error.get("error"), Mapping | str):
        error = error["error"]
    if not isinstance(error, Mapping):
        return str(error), str(error)
    message = error.get("message") or error.get("detail") or error.get("msg") or _words(error)
    return _words(error), str(message)


def _words(error: Mapping[str, Any]) -> str:
    return " ".join(str(value) for value in error.values() if value is not None)
