"""Errors in the shape of OpenAI, inside the problem documents that everything else here answers with."""

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from weft.http.answers import Json
from weft.http.problems import MEDIA_TYPE
from weft.kit.errors import WeftError

_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


def error_object(status: int, code: str, message: str, field: str | None = None) -> dict[str, Any]:
    """An error as OpenAI's clients read it."""
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {"message": message, "type": kind, "param": field, "code": code}


class OpenAIRoute(APIRoute):
    """Adds to each problem what OpenAI's clients look for."""

    def get_route_handler(self) -> Handler:
        """The handler of a request, its errors translated."""
        handle = super().get_route_handler()

        async def translated(request: Request) -> Response:
            try:
                return await handle(request)
            except (WeftError, RequestValidationError, HTTPException) as error:
                return _translated(await _problem(request, error))

        return translated


async def _problem(request: Request, error: Exception) -> Response:
    handlers = request.app.exception_handlers
    found = next(handlers[kind] for kind in type(error).__mro__ if kind in handlers)
    response: Response = found(request, error)
    return response


def _translated(response: Response) -> Response:
    problem = orjson.loads(bytes(response.body))
    problem["error"] = error_object(response.status_code, problem["code"], problem["detail"], problem.get("field"))
    headers = {
        name: value for name, value in response.headers.items() if name not in ("content-length", "content-type")
    }
    return Json(problem, status_code=response.status_code, headers=headers, media_type=MEDIA_TYPE)
