"""What the stored shapes share: nothing unknown, nothing coerced, texts and JSON that the database can hold."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from weft.kit.text import StorableText, check_storable_json

CLOSED = ConfigDict(extra="forbid", strict=True)


def _absent(value: object) -> bool:
    return value is None


ABSENT = Field(exclude_if=_absent)  # a field that STATE-1 and STATE-2 write with `?`: left out, never null

Name = Annotated[StorableText, Field(min_length=1, max_length=200)]
Line = Annotated[StorableText, Field(max_length=500)]
Text = Annotated[StorableText, Field(max_length=2_000)]
Long = Annotated[StorableText, Field(max_length=1_000_000)]
Place = Annotated[StorableText, Field(min_length=1, max_length=1_024)]
Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]

Json = Annotated[Any, AfterValidator(check_storable_json)]
JsonObject = Annotated[Mapping[str, Any], AfterValidator(check_storable_json)]
Content = Literal["text", "image", "data"]
