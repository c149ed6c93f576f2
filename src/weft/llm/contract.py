"""Holds what a model answered against the structure it was asked for."""

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from weft.kit.errors import WorldError
from weft.llm.tolerant_json import objects_in
from weft.llm.types import Completion

LONGEST_FOUND = 200
T = TypeVar("T", bound=BaseModel)


class ContractError(WorldError):
    """A model answered off its contract, also after it was told so; `raw` is its last answer as it stands."""

    code = "model_off_contract"
    title = "The model's answer does not keep its contract"

    def __init__(
        self, path: str, expected: str, found: str, *, raw: str, completions: Sequence[Completion] = ()
    ) -> None:
        super().__init__(f"at {path}: expected {expected}, found {found}", field=path)
        self.path = path
        self.expected = expected
        self.found = found
        self.raw = raw
        self.completions = tuple(completions)


def read_contract(schema: type[T], raw: str, pinned: tuple[str, str] | None = None) -> T:
    """The first object in a text that is valid; `pinned` is a field's name and the text that it must keep."""
    problem: ContractError | None = None
    for found in objects_in(raw):
        value = {**found, pinned[0]: pinned[1]} if pinned is not None else found
        try:
            return schema.model_validate(_clean(value))
        except ValidationError as error:
            problem = problem or _problem(error, raw)
    raise problem or ContractError("$", "a JSON object", _shown(raw) or "nothing", raw=raw)


def _problem(error: ValidationError, raw: str) -> ContractError:
    first = error.errors(include_url=False, include_context=False)[0]
    path = "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
    found = "nothing" if first["type"] == "missing" else _shown(first["input"])
    more = error.error_count() - 1
    expected = first["msg"] + (f" (and {more} more)" if more else "")
    return ContractError(path, expected, found, raw=raw)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= LONGEST_FOUND else text[:LONGEST_FOUND] + "…"


def _clean(value: Any) -> Any:
    """The same without halves of surrogate pairs: no text may hold one."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_clean(inner) for inner in value]
    if isinstance(value, dict):
        return {_clean(name): _clean(inner) for name, inner in value.items()}
    return value
