"""What wraps every request: its id, its log line and figures, and the pages of other origins that it keeps out."""

import time
from collections.abc import Callable
from uuid import UUID

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weft.http.headers import header
from weft.http.metrics import HttpMetrics
from weft.http.problems import problem_response
from weft.kit.errors import ForbiddenError
from weft.kit.ids import new_id
from weft.kit.log import get_logger
from weft.kit.text import replace_unstorable

log = get_logger("weft.http")
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_METHODS = _SAFE_METHODS | {"POST", "PUT", "PATCH", "DELETE"}
_NEVER_ANSWERED = 499  # the caller went away first


def _request_id(scope: Scope) -> str:
    """The caller's own id where it is a UUID, so that logs of both sides can be laid side by side."""
    try:
        return str(UUID((header(scope, b"x-request-id") or b"").decode("ascii")))
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
        status, started = _NEVER_ANSWERED, time.perf_counter()

        async def send_observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, send_observed)
            except Exception:  # here, where the log still knows the request's id, it becomes an answer
                log.exception("request_crashed")
                if status != _NEVER_ANSWERED:
                    raise  # half an answer is out: breaking the connection tells the caller so
                await _surprise(request_id)(scope, receive, send_observed)
            finally:
                self._finish(scope, status, time.perf_counter() - started)

    def _finish(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unmatched")
        method = scope["method"] if scope["method"] in _METHODS else "other"  # as a label, it must not be the caller's
        self._metrics.observe(method, route, status, seconds)
        log.info("request", method=method, route=route, status=status, ms=round(seconds * 1000, 1))


def _surprise(request_id: str) -> ASGIApp:
    detail = "Weft failed in a way it did not foresee; the log has it under this request_id"
    return problem_response(500, "internal", detail, request_id=request_id)


class Browsers:
    """Keeps web pages of other origins from using the caller's cookie, or a local installation that asks for none."""

    def __init__(self, app: ASGIApp, only_local: Callable[[str], bool] | None) -> None:
        self._app = app
        self._only_local = only_local  # where given: the only host names that may be called by

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        reason = self._reason_to_refuse(scope) if scope["type"] == "http" else None
        if reason is not None:
            answer = problem_response(403, ForbiddenError.code, reason, request_id=scope.get("weft.request_id"))
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _reason_to_refuse(self, scope: Scope) -> str | None:
        host = (header(scope, b"host") or b"").decode("latin-1").lower()
        if self._only_local is not None and not self._only_local(_name_of(host)):
            return "a local installation answers to 127.0.0.1, localhost and [::1] only; for more, set WEFT_AUTH=keys"
        origin = (header(scope, b"origin") or b"").decode("latin-1").lower()
        if scope["method"] in _SAFE_METHODS or not origin or header(scope, b"authorization") is not None:
            return None
        if origin.partition("://")[2] != host:
            return f"a page of {replace_unstorable(origin[:100])} may not do this here"
        return None


def _name_of(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0].lstrip("[")
    return host.partition(":")[0]
