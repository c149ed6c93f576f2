"""Errors as RFC 9457 problem details: the one translator for everything that speaks HTTP."""

from collections.abc import Mapping
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
    503: errors.WorldError.title,
}


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
    return {
        status: {
            "model": Problem,
            "description": _TITLES[status],
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in sorted({400, 401, 403, 413, 429, 503, *statuses})
    }


def problem_response(
    status: int, code: str, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """A problem as an HTTP answer."""
    problem = Problem(
        status=status, code=code, title=_TITLES.get(status, "Weft failed"), detail=replace_unstorable(detail), **more
    )
    return Json(
        problem.model_dump(exclude_none=True), status_code=status, headers=dict(headers or {}), media_type=MEDIA_TYPE
    )


def _request_id(request: Request) -> str | None:
    return request.scope.get("weft.request_id")


def _of_weft(request: Request, error: Any) -> Response:
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    headers = {}
    if isinstance(error, errors.TooManyError):
        headers["Retry-After"] = str(max(1, round(error.retry_after)))
    if isinstance(error, errors.UnauthenticatedError):
        headers["WWW-Authenticate"] = "Bearer"
    if status >= 500:
        log.error("request_failed", code=error.code, detail=error.detail)
    return problem_response(
        status, error.code, error.detail, headers=headers, field=error.field, request_id=_request_id(request)
    )


def _of_validation(request: Request, error: Any) -> Response:
    found = [
        FieldProblem(
            field=_path(problem["loc"]), detail=replace_unstorable(problem["msg"].removeprefix("Value error, "))
        )
        for problem in error.errors()
    ]
    first = found[0]
    return problem_response(
        422,
        errors.InvalidError.code,
        f"{first.field}: {first.detail}",
        field=first.field,
        errors=found,
        request_id=_request_id(request),
    )


def _path(location: tuple[int | str, ...]) -> str:
    """The path of a value as a caller would write it."""
    inner = [str(part) for part in location[1:]] or [str(part) for part in location]
    return replace_unstorable(".".join(inner))


def _of_http(request: Request, error: Any) -> Response:
    code = _CODES.get(error.status_code, "error")
    return problem_response(
        error.status_code, code, str(error.detail), headers=error.headers, request_id=_request_id(request)
    )


def _of_surprise(request: Request, error: Exception) -> Response:
    log.error("request_crashed", exc_info=error)
    detail = "Weft failed in a way it did not foresee; the log has it under this request_id"
    return problem_response(500, "internal", detail, request_id=_request_id(request))


def install(app: FastAPI) -> None:
    """Translate every error the application can raise."""
    app.add_exception_handler(errors.WeftError, _of_weft)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(Exception, _of_surprise)
