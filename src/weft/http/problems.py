"""Errors as RFC 9457 problem details: the one translator for everything that speaks HTTP."""

import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from weft.http.answers import Json
from weft.kit import errors
from weft.kit.log import get_logger
from weft.kit.text import replace_unstorable

log = get_logger(__name__)
MEDIA_TYPE = "application/problem+json"

_STATUS: list[tuple[type[errors.WeftError], int]] = [
    (errors.UnauthenticatedError, 401),
    (errors.ForbiddenError, 403),
    (errors.NotFoundError, 404),
    (errors.ConflictError, 409),
    (errors.TooLargeError, 413),
    (errors.InvalidError, 422),
    (errors.TooManyError, 429),
    (errors.CallerError, 400),
    (errors.WorldError, 503),
    (errors.WeftError, 500),
]
_CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 415: "unsupported_media_type"}
_TITLES = {
    400: errors.CallerError.title,
    401: errors.UnauthenticatedError.title,
    403: errors.ForbiddenError.title,
    404: errors.NotFoundError.title,
    405: "This address does not take that method",
    409: errors.ConflictError.title,
    413: errors.TooLargeError.title,
    415: "The body must be application/json",
    422: errors.InvalidError.title,
    429: errors.TooManyError.title,
    500: errors.WeftError.title,
    503: errors.WorldError.title,
}
_DETAILS = {  # where the framework knows no more than its status
    400: "the body cannot be read; it must be JSON in UTF-8",
    404: "there is nothing at this address; /openapi.json lists those there are",
    405: "this address takes other methods only; the Allow header names them",
}
_ANY_REQUEST = (400, 401, 403, 413, 429, 503)
_MAX_PATH = 200


class FieldProblem(BaseModel):
    """One value that is not valid."""

    field: str = Field(examples=["settings.preferences.timezone"])
    detail: str = Field(examples=["'CST' is not an IANA time zone; write for example 'Asia/Shanghai'"])


class Problem(BaseModel):
    """What went wrong, where, and what would be right (RFC 9457)."""

    type: str = Field(default="about:blank", examples=["about:blank"])
    status: int = Field(examples=[422])
    code: str = Field(examples=["invalid"])
    title: str = Field(examples=[errors.InvalidError.title])
    detail: str = Field(examples=["settings.preferences.timezone: 'CST' is not an IANA time zone"])
    field: str | None = Field(default=None, examples=["settings.preferences.timezone"])
    errors: list[FieldProblem] | None = None
    request_id: str | None = Field(default=None, examples=["0199f3c0-7e1d-7c55-9a43-0f6f1b2d3c4e"])


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses` of an endpoint: problem details under each of these statuses and those any request may get."""
    return {status: one_documented(status) for status in sorted({*_ANY_REQUEST, *statuses})}


def one_documented(status: int) -> dict[str, Any]:
    """One answer that is a problem, in the words of OpenAPI."""
    return {
        "description": _TITLES[status],
        "content": {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}},
    }


def problem_response(
    status: int, code: str, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """A problem as an HTTP answer; where no title is given, it has that of its status."""
    named = {"title": _title(status)} | more
    problem = Problem(status=status, code=code, detail=replace_unstorable(detail), **named)
    return Json(
        problem.model_dump(exclude_none=True), status_code=status, headers=dict(headers or {}), media_type=MEDIA_TYPE
    )


def _title(status: int) -> str:
    return _TITLES.get(status) or HTTPStatus(status).phrase


def _request_id(request: Request) -> str | None:
    return request.scope.get("weft.request_id")


def _of_weft(request: Request, error: Any) -> Response:
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    headers = {}
    if isinstance(error, errors.TooManyError):
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after)))
    if isinstance(error, errors.UnauthenticatedError):
        headers["WWW-Authenticate"] = "Bearer"
    if status >= 500:
        log.error("request_failed", code=error.code, detail=error.detail)
    return problem_response(
        status,
        error.code,
        error.detail,
        title=error.title,
        headers=headers,
        field=error.field,
        request_id=_request_id(request),
    )


def _of_validation(request: Request, error: Any) -> Response:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        reason = f"the body is not JSON: {first['ctx']['error']} at character {first['loc'][-1]}"
        return problem_response(400, _CODES[400], reason, request_id=_request_id(request))
    if isinstance(error.body, bytes):  # the framework left it unread for its content type
        return problem_response(415, _CODES[415], _say_json(request), request_id=_request_id(request))
    found = [
        FieldProblem(
            field=_path(problem["loc"]), detail=replace_unstorable(problem["msg"].removeprefix("Value error, "))
        )
        for problem in error.errors()
    ]
    return problem_response(
        422,
        errors.InvalidError.code,
        f"{found[0].field}: {found[0].detail}",
        field=found[0].field,
        errors=found,
        request_id=_request_id(request),
    )


def _say_json(request: Request) -> str:
    found = request.headers.get("content-type", "")[:100]
    return f"the body is said to be {found!r}; send it as application/json" if found else "the body has no content type"


def _path(location: tuple[int | str, ...]) -> str:
    """The path of a value as a caller would write it."""
    inner = [str(part) for part in location[1:]] or [str(part) for part in location]
    path = replace_unstorable(".".join(inner))
    return path if len(path) <= _MAX_PATH else path[:_MAX_PATH] + "…"


def _of_http(request: Request, error: Any) -> Response:
    status = error.status_code
    detail = _DETAILS.get(status) or str(error.detail)
    return problem_response(
        status, _CODES.get(status, "error"), detail, headers=error.headers, request_id=_request_id(request)
    )


def install(app: FastAPI) -> None:
    """Translate every error the application can foresee; for the others see `weft.http.middleware.Observe`."""
    app.add_exception_handler(errors.WeftError, _of_weft)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_http)
