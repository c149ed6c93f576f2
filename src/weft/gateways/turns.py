"""The one request for a turn, made of what a gateway has read."""

from typing import Any

from pydantic import ValidationError

from weft.runs.errors import TurnInvalidError
from weft.runs.schemas import TurnRequest


def turn_request(**fields: Any) -> TurnRequest:
    """The request, or what is wrong with it in words that a caller can act on."""
    try:
        return TurnRequest.model_validate(fields)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in problem["loc"]) or "request"
        raise TurnInvalidError(f"{where}: {problem['msg'].removeprefix('Value error, ')}", field=where) from None
