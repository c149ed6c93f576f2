"""What can be wrong with a state, an action or a plan."""

from collections.abc import Iterable
from typing import Self

from pydantic import ValidationError

from weft.kit.errors import InvalidError, OperatorError, WeftError
from weft.kit.text import replace_unstorable, shown_path


class StateInvalidError(WeftError):
    """An action or a snapshot is not of the shape it must have, so that nothing may be built on it."""

    code = "state_invalid"
    title = "The state of the turn cannot be built"

    @classmethod
    def at(cls, path: Iterable[str | int], problem: str) -> Self:
        """A problem with the value at this path."""
        where = shown_path(path)
        return cls(f"{where or 'the value'}: {replace_unstorable(problem)}", field=where or None)

    @classmethod
    def of(cls, error: ValidationError, *within: str | int) -> Self:
        """The first problem that pydantic found, told by its full path."""
        problem = error.errors(include_url=False, include_input=False)[0]
        return cls.at((*within, *problem["loc"]), problem["msg"].removeprefix("Value error, "))


class UnknownStateVersionError(OperatorError):
    """A snapshot that another Weft wrote: an older one is running on a newer one's data."""

    code = "unknown_state_version"

    def __init__(self, version: object, known: Iterable[int]) -> None:
        shown = replace_unstorable(repr(version)[:80])
        versions = ", ".join(map(str, known))
        super().__init__(f"snapshot.version is {shown}; this Weft knows versions {versions}", field="snapshot.version")


class TodosInvalidError(InvalidError):
    """A plan that cannot be carried out; whoever wrote it is told what to change."""

    code = "todos_invalid"
