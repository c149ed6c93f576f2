"""One HTTP exchange with a vendor: how it is opened, refused and broken off."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx

from weft.kit.errors import OperatorError
from weft.llm.clients import client_for
from weft.llm.errors import AnswerTooLargeError, KeyRefusedError, ModelError, NotReachedError, TimedOutError
from weft.llm.loopback import refuse_unless_allowed
from weft.llm.refusals import refusal
from weft.llm.types import Target

LARGEST_REFUSAL = 64 << 10
_CHAT = "/chat/completions"


@asynccontextmanager
async def opened(target: Target, body: bytes) -> AsyncIterator[httpx.Response]:
    """Send the request and give the response once its head is there; leaving the block closes it at once."""
    _check_address(target)
    client = await client_for(target.base_url)
    response = await client.send(_request(client, target, body), stream=True)
    try:
        if not response.is_success:
            said = await _beginning(response)
            raise refusal(target, response.status_code, said, retry_after=response.headers.get("retry-after"))
        yield response
    finally:
        await response.aclose()


def check_target(target: Target) -> None:
    """Refuse what could not be sent, before anything of it stands in somebody else's error."""
    refuse_unless_allowed(target)
    for name, value in (("api_key", target.api_key), *target.extra_headers.items()):
        if not (value.isascii() and value.isprintable()) or value != value.strip():
            raise KeyRefusedError(f"{name} holds characters that cannot stand in an HTTP header", target=target)


def _check_address(target: Target) -> None:
    """Refuse a base_url that no request can go to."""
    reason = ""
    try:
        url = urlsplit(target.base_url)
        if url.scheme not in ("http", "https") or not url.hostname or url.port == 0:
            reason = "it needs http:// or https:// and a host"
        httpx.URL(target.base_url)
    except (httpx.InvalidURL, ValueError) as error:
        reason = str(error)
    if reason:
        raise OperatorError(f"{target.vendor}: base_url is not an address: {reason}", field="base_url")


async def whole_body(response: httpx.Response, target: Target) -> bytes:
    """The body, unless it passes the limit of an answer."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > target.limits.answer:
            raise too_large(target)
    return bytes(body)


def too_large(target: Target) -> AnswerTooLargeError:
    """The error for an answer that goes on past its limit."""
    return AnswerTooLargeError(f"the answer passes {target.limits.answer} bytes; it was cut off", target=target)


def transport_problem(target: Target, error: Exception) -> ModelError:
    """The error for a connection that could not be made, or was lost before an answer was there."""
    words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        seconds = target.timeouts.connect
        return TimedOutError(f"no connection within {seconds:g} s", target=target, stage="connect")
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        seconds = target.timeouts.first
        return TimedOutError(f"no answer within {seconds:g} s", target=target, stage="first")
    return NotReachedError(words, target=target)


def _request(client: httpx.AsyncClient, target: Target, body: bytes) -> httpx.Request:
    headers: dict[str, str] = {"content-type": "application/json"}
    if target.api_key:
        headers["authorization"] = f"Bearer {target.api_key}"
    headers.update(_lower(target.extra_headers))
    limits = target.timeouts
    # Reads are timed by a Watch: a vendor that sends nothing but comments is silent too.
    timeout = httpx.Timeout(connect=limits.connect, read=None, write=limits.first, pool=limits.connect)
    url = target.base_url.rstrip("/") + _CHAT
    return client.build_request("POST", url, content=body, headers=headers, timeout=timeout)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


async def _beginning(response: httpx.Response) -> bytes:
    said = bytearray()
    try:
        async for piece in response.aiter_bytes():
            said += piece
            if len(said) >= LARGEST_REFUSAL:
                break
    except httpx.HTTPError:
        pass  # the status alone says enough
    return bytes(said[:LARGEST_REFUSAL])
