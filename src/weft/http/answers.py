"""JSON answers: times are ISO 8601 in UTC, money is a string."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any

import orjson
from fastapi.responses import Response
from pydantic import PlainSerializer, WithJsonSchema


class Json(Response):
    """A JSON body."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The body's bytes."""
        return orjson.dumps(content)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _plain(amount: Decimal) -> str:
    return format(amount, "f")


UtcTime = Annotated[
    datetime,
    PlainSerializer(_iso, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}, mode="serialization"),
]
Money = Annotated[
    Decimal,
    PlainSerializer(_plain, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "pattern": r"^-?\d+(\.\d+)?$"}, mode="serialization"),
]
