"""Finds what really happened below LiteLLM's exceptions, and names it as the direct lane would."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from weft.llm.answers import shown
from weft.llm.errors import BrokenStreamError, ModelError, OffProtocolError, TimedOutError, VendorFailedError
from weft.llm.exchange import transport_problem
from weft.llm.refusals import error_in_stream, refusal
from weft.llm.types import Completion, Target


def problem_below(
    target: Target, error: Exception, *, streaming: bool, partial: Completion | None = None
) -> ModelError:
    """The error to raise; `streaming` says that the answer had begun."""
    chain = tuple(_chain(error))
    problem = (
        _refused(target, chain)
        or _lost(target, chain, streaming=streaming)
        or _unreadable(target, chain)
        or _said_in_stream(target, chain)
        or _by_its_status(target, error)
    )
    problem.partial = partial
    return problem


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and all that it came from, the deepest first."""
    seen: list[BaseException] = []
    pending: list[BaseException | None] = [error]
    while pending:
        current = pending.pop()
        if current is None or current in seen:
            continue
        seen.append(current)
        pending += [current.__context__, current.__cause__, getattr(current, "original_exception", None)]
    return reversed(seen)


def _refused(target: Target, chain: tuple[BaseException, ...]) -> ModelError | None:
    for error in chain:
        response = getattr(error, "response", None)
        status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
        own = type(error).__module__.startswith("litellm.exceptions")
        if own or not isinstance(status, int) or getattr(error, "status_code_is_synthesized", False):
            continue  # LiteLLM invents a status where there was none
        if _lost(target, chain, streaming=False) is not None:
            return None
        headers = getattr(error, "headers", None) or getattr(response, "headers", None) or {}
        return refusal(target, status, _body(error, response), retry_after=headers.get("retry-after"))
    return None


def _body(error: BaseException, response: Any) -> Mapping[str, Any] | str | bytes:
    if isinstance(error, httpx.HTTPStatusError) and isinstance(response, httpx.Response):
        return response.content if response.is_closed else str(error)
    said = getattr(error, "body", None) or getattr(error, "message", None) or str(error)
    return said if isinstance(said, Mapping | str | bytes) else str(said)


def _lost(target: Target, chain: tuple[BaseException, ...], *, streaming: bool) -> ModelError | None:
    for error in chain:
        if isinstance(error, httpx.TransportError):
            if not streaming or isinstance(error, httpx.ConnectTimeout):
                return transport_problem(target, error)
            if isinstance(error, httpx.TimeoutException):
                return TimedOutError("it went silent in the middle of the answer", target=target, stage="gap")
            return BrokenStreamError(f"{type(error).__name__}: {error}", target=target)
    return None


def _unreadable(target: Target, chain: tuple[BaseException, ...]) -> ModelError | None:
    for error in chain:
        if isinstance(error, json.JSONDecodeError):
            return OffProtocolError("$", "a JSON object", shown(error.doc), target=target)
    return None


def _said_in_stream(target: Target, chain: tuple[BaseException, ...]) -> ModelError | None:
    for error in chain:
        body: Any = getattr(error, "body", None)
        if body and type(error).__module__.startswith("openai"):
            return error_in_stream(target, body)
    return None


def _by_its_status(target: Target, error: Exception) -> ModelError:
    words = f"{type(error).__name__}: {error}"
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and 400 <= status < 500:
        return refusal(target, status, words)
    return VendorFailedError(words, target=target)
