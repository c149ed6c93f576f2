"""Reading a request's headers before there is a request object."""

from starlette.types import Scope


def header(scope: Scope, name: bytes) -> bytes | None:
    """The first header of that name, which is given in lower case."""
    return next((value for key, value in scope["headers"] if key == name), None)
