"""How large a body may be, and how deep JSON may be nested: refused before anything has read it."""

import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weft.http.headers import header
from weft.http.problems import problem_response
from weft.kit.errors import TooLargeError

MAX_BODY_DEPTH = 64  # what is stored as JSON has a smaller limit of its own, which can name the field
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")


def deeper_than(limit: int, body: bytes) -> bool:
    """Whether JSON is nested deeper than that, told by its brackets, without building what it stands for."""
    if body.count(b"[") + body.count(b"{") <= limit:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(_STRING.sub(b"", body)):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > limit:
            return True
    return False


class _LimitedBody:
    """Passes a body on for as long as it keeps to the limits; afterwards `why_refused` says which one it broke."""

    def __init__(self, scope: Scope, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._json: bytearray | None = (
            bytearray() if b"json" in (header(scope, b"content-type") or b"").lower() else None
        )
        self._taken = 0
        self._refusal: str | None = None
        announced = header(scope, b"content-length")
        if announced is not None and announced.isdigit() and int(announced) > limit:
            self._refusal = self._too_large()

    async def receive(self) -> Message:
        """The next part of the body."""
        message = await self._receive()
        part = message.get("body", b"")
        self._taken += len(part)
        if self._taken > self._limit:
            self._refusal = self._too_large()
        elif self._json is not None and message["type"] == "http.request":
            self._json += part
            if not message.get("more_body", False) and deeper_than(MAX_BODY_DEPTH, bytes(self._json)):
                self._refusal = f"the body is nested more than {MAX_BODY_DEPTH} levels deep; flatten it"
        if self._refusal is not None:
            raise TooLargeError(self._refusal)
        return message

    def why_refused(self) -> str | None:
        """Which limit the body broke, if it has."""
        return self._refusal

    def _too_large(self) -> str:
        return f"the body is larger than {self._limit} bytes, the most this server takes (WEFT_MAX_BODY_BYTES)"


class LimitBody:
    """Refuses a body that is larger than the limit, announced or not, or nested too deep."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _LimitedBody(scope, receive, self._limit)
        if (reason := body.why_refused()) is not None:
            await self._refuse(reason, scope, receive, send)
            return
        started = False

        async def send_unless_refused(message: Message) -> None:
            nonlocal started
            if started or body.why_refused() is None:  # what the application makes of the broken body is not heard
                started = True
                await send(message)

        try:
            await self._app(scope, body.receive, send_unless_refused)
        except TooLargeError:
            if body.why_refused() is None or started:
                raise
        if (reason := body.why_refused()) is not None and not started:
            await self._refuse(reason, scope, receive, send)

    @staticmethod
    async def _refuse(reason: str, scope: Scope, receive: Receive, send: Send) -> None:
        request_id = scope.get("weft.request_id")
        headers = {"Connection": "close"}  # what is left of the body is not read
        answer = problem_response(413, TooLargeError.code, reason, request_id=request_id, headers=headers)
        await answer(scope, receive, send)
