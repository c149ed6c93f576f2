"""Lists page by cursor: an opaque word that says where the next page begins and which list it belongs to."""

import base64
import binascii
import zlib
from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar

import orjson
from fastapi import Query
from pydantic import BaseModel, Field

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


def write_cursor(listing: str, position: Sequence[Any]) -> str:
    """The cursor that begins after this position of this list."""
    body = orjson.dumps([listing, *position])
    return base64.urlsafe_b64encode(zlib.crc32(body).to_bytes(4) + body).decode().rstrip("=")


def read_cursor(listing: str, cursor: str | None) -> list[Any] | None:
    """The position that a cursor of this list stands for; one from elsewhere is refused."""
    if cursor is None:
        return None
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        found, *position = orjson.loads(raw[4:])
    except (binascii.Error, ValueError, TypeError):
        found, position, raw = None, [], b""
    place: list[Any] = position
    if found != listing or raw[:4] != zlib.crc32(raw[4:]).to_bytes(4):
        message = "is not a cursor of this list; pass the next_cursor of its last page as it came, or leave it out"
        raise InvalidError(message, field="cursor")
    return place
