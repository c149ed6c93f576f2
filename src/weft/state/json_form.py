"""Between a value and its stored JSON: what is written can always be read again, and is the same when it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import orjson
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from weft.kit.text import UnstorableError, check_storable_json
from weft.state.action import Action
from weft.state.errors import StateInvalidError

T = TypeVar("T")
Raw = bytes | str | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Recorded(Generic[T]):
    """A value as it is stored, and as whoever resumes will read it: go on with this one."""

    json: bytes
    value: T


class Form(Generic[T]):
    """The stored form of one kind of value."""

    def __init__(self, kind: type[T], name: str) -> None:
        self._adapter: TypeAdapter[T] = TypeAdapter(kind)
        self._name = name

    def load(self, raw: Raw) -> T:
        """Read what was stored: text, or JSON that the database has read already. Nothing is coerced."""
        try:
            return self._adapter.validate_json(raw if isinstance(raw, bytes | str) else orjson.dumps(raw))
        except ValidationError as error:
            raise StateInvalidError.of(error, self._name) from None
        except orjson.JSONEncodeError as error:
            raise StateInvalidError.at((self._name,), f"is no JSON: {error}") from None

    def record(self, value: T) -> Recorded[T]:
        """Write a value. What cannot be read again is refused here, where it was made, and not by the run that resumes.

        Tools may hand in what JSON has no word for, a tuple or a float that is no number: `value` has it as JSON does,
        as a list or null.
        """
        try:
            written = self._adapter.dump_json(value, warnings="error")
        except (PydanticSerializationError, UnicodeEncodeError, ValueError) as error:
            raise self._unwritable(value, error) from None
        return Recorded(written, self.load(written))

    def plain(self, value: T) -> dict[str, Any]:
        """The value as plain JSON, for showing it."""
        return cast("dict[str, Any]", self._adapter.dump_python(value, mode="json"))

    def _unwritable(self, value: T, error: Exception) -> StateInvalidError:
        try:
            check_storable_json(_with_lists(self._adapter.dump_python(value, warnings="none")))
        except UnstorableError as found:
            return StateInvalidError.at((self._name, *found.path), found.problem)
        except (PydanticSerializationError, ValueError, TypeError):
            pass  # the first error says as much
        return StateInvalidError.at((self._name,), f"cannot be written as JSON: {error}")


def _with_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_lists(inner) for key, inner in value.items()}
    return [_with_lists(inner) for inner in value] if isinstance(value, list | tuple) else value


ACTION: Form[Action] = Form(Action, "action")


def record_action(action: Action) -> Recorded[Action]:
    """An action as it is stored."""
    return ACTION.record(action)


def load_action(raw: Raw) -> Action:
    """An action as it was stored."""
    return ACTION.load(raw)
