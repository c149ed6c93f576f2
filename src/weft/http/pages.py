"""Lists page by cursor: an opaque word that says where the next page begins and which list it belongs to."""

import base64
import binascii
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, Generic, TypeVar

import orjson
from fastapi import Query
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from weft.kit.errors import InvalidError

Item = TypeVar("Item")
Limit = Annotated[int, Query(ge=1, le=100, description="how many at the most")]
CursorParameter = Annotated[
    str | None, Query(max_length=512, description="`next_cursor` of the page before; without it, the first page")
]


class Page(BaseModel, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None = Field(default=None, description="absent on the last page")


def page_of(
    listing: str, found: Sequence[Item], limit: int, position_of: Callable[[Item], Sequence[Any]]
) -> Page[Item]:
    """The page out of one item more than it may hold; that one says whether there is another page."""
    shown = list(found[:limit])
    more = write_cursor(listing, position_of(shown[-1])) if len(found) > limit else None
    return Page(items=shown, next_cursor=more)


def write_cursor(listing: str, position: Sequence[Any]) -> str:
    """The cursor that begins after this position of this list."""
    body = orjson.dumps([listing, *position], default=str)  # the driver has a UUID class of its own
    return base64.urlsafe_b64encode(zlib.crc32(body).to_bytes(4) + body).decode().rstrip("=")


def read_cursor(listing: str, cursor: str | None, shape: Any) -> Any:
    """The position that a cursor of this list stands for, of the given shape; one from elsewhere is refused.

    The checksum finds accidents, not forgers: whoever makes up a cursor can only ask for another part of the list
    that is theirs to read. The shape keeps out what is no position at all.
    """
    if cursor is None:
        return None
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        found, *position = orjson.loads(raw[4:])
        if isinstance(found, str) and found == listing and raw[:4] == zlib.crc32(raw[4:]).to_bytes(4):
            return _adapter(shape).validate_python(position)
    except (binascii.Error, ValueError, TypeError, ValidationError):
        pass  # whatever is wrong with it, it is not a cursor of this list
    message = "is not a cursor of this list; pass the next_cursor of its last page as it came, or leave it out"
    raise InvalidError(message, field="cursor")


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)
