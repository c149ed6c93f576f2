"""What wraps every request: its id, its log line and figures, the limit on its body, the hosts it may name."""

import time
from collections.abc import Callable
from uuid import UUID

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weft.http.metrics import HttpMetrics
from weft.http.problems import problem_response
from weft.kit.errors import TooLargeError
from weft.kit.ids import new_id
from weft.kit.log import get_logger
from weft.kit.text import replace_unstorable

log = get_logger("weft.http")
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def _header(scope: Scope, name: bytes) -> bytes | None:
    return next((value for key, value in scope["headers"] if key == name), None)


def _request_id(scope: Scope) -> str:
    """The caller's own id where it is a UUID, so that logs of both sides can be laid side by side."""
    try:
        return str(UUID((_header(scope, b"x-request-id") or b"").decode("ascii")))
    except ValueError:
        return str(new_id())


class Observe:
    """Gives each request an id, answers with it, and writes one log line and the metrics at its end."""

    def __init__(self, app: ASGIApp, metrics: HttpMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = scope["weft.request_id"] = _request_id(scope)
        status, started = 500, time.perf_counter()

        async def send_observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, send_observed)
            finally:
                self._finish(scope, status, time.perf_counter() - started)

    def _finish(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unmatched")
        self._metrics.observe(scope["method"], route, status, seconds)
        log.info("request", method=scope["method"], route=route, status=status, ms=round(seconds * 1000, 1))


class LimitBody:
    """Refuses a body larger than the limit, whether it announces its length or not."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = _header(scope, b"content-length")
        if announced is not None and announced.isdigit() and int(announced) > self._limit:
            await self._refuse(scope, receive, send)
            return
        taken, over = 0, False

        async def receive_limited() -> Message:
            nonlocal taken, over
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._limit:
                over = True
                raise TooLargeError(self._words())
            return message

        async def send_unless_over(message: Message) -> None:
            if not over:  # whatever the application makes of the broken body, the caller hears what broke it
                await send(message)

        try:
            await self._app(scope, receive_limited, send_unless_over)
        except TooLargeError:
            if not over:
                raise
        if over:
            await self._refuse(scope, receive, send)

    def _words(self) -> str:
        return f"the body is larger than {self._limit} bytes, the most this server takes (WEFT_MAX_BODY_BYTES)"

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        request_id = scope.get("weft.request_id")
        answer = problem_response(
            413, TooLargeError.code, self._words(), request_id=request_id, headers={"Connection": "close"}
        )
        await answer(scope, receive, send)


class Browsers:
    """Keeps web pages of other origins from using the caller's cookie, or a local installation that asks for none."""

    def __init__(self, app: ASGIApp, only_local: Callable[[str], bool] | None) -> None:
        self._app = app
        self._only_local = only_local  # where given: the only host names that may be called by

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        reason = self._reason_to_refuse(scope) if scope["type"] == "http" else None
        if reason is not None:
            answer = problem_response(403, "forbidden", reason, request_id=scope.get("weft.request_id"))
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _reason_to_refuse(self, scope: Scope) -> str | None:
        host = (_header(scope, b"host") or b"").decode("latin-1")
        if self._only_local is not None and not self._only_local(_name_of(host)):
            return "a local installation answers to 127.0.0.1, localhost and [::1] only; for more, set WEFT_AUTH=keys"
        origin = (_header(scope, b"origin") or b"").decode("latin-1")
        if scope["method"] in _SAFE_METHODS or not origin or _header(scope, b"authorization") is not None:
            return None
        if origin.partition("://")[2].lower() != host.lower():
            return f"a page of {replace_unstorable(origin[:100])} may not do this here"
        return None


def _name_of(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0].lstrip("[")
    return host.partition(":")[0]
