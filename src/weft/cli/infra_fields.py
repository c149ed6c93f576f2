"""How fields of the infrastructure are typed: FIELD=VALUE, with a path where a field has parts."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from weft.infra.errors import InfraInvalidError
from weft.infra.names import split_reference
from weft.kit.errors import InvalidError

Wish = TypeVar("Wish", bound=BaseModel)
SECRET_FIELDS = frozenset({"secret", "key", "api_key", "token"})


def as_fields(assignments: Sequence[str], current: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The fields typed; where one is named in part, the rest of it stays as it is now."""
    fields: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if name.partition(".")[0] in SECRET_FIELDS:
            raise InvalidError(
                "a key is not typed on the command line, where others can see it: it is asked for, or read from "
                "standard input, or from a variable named by --from-env",
                field="secret",
            )
        if not equals or not name:
            raise InvalidError(f"{assignment!r} is not FIELD=VALUE; write for example enabled=false")
        first, *rest = name.split(".")
        if not rest:
            fields[first] = _value(text)
            continue
        begun = fields.get(first) or (current or {}).get(first) or {}
        part: dict[str, Any] = orjson.loads(orjson.dumps(begun)) if isinstance(begun, dict) else {}
        fields[first] = inner = part
        for step in rest[:-1]:
            inner = inner.setdefault(step, {})
        inner[rest[-1]] = _value(text)
    return fields


def _value(text: str) -> Any:
    if text == "":
        return None
    if text[0] in "[{" or text in ("true", "false", "null"):
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            return text
    return text


def checked(kind: type[Wish], values: Mapping[str, Any]) -> Wish:
    """The wish, if it is valid."""
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        raise InfraInvalidError.of(error) from None


def split_name(kind: str, name: str) -> tuple[str, ...]:
    """A vendor's name, or VENDOR/NAME."""
    if kind == "vendor":
        return (name,)
    path = split_reference(name)
    if not all(path):
        raise InvalidError(f"{name!r} does not name a {kind}; write VENDOR/NAME, for example deepseek/main")
    return path
