"""What can be wrong with the AI infrastructure."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from weft.kit.errors import ConflictError, InvalidError, NotFoundError, WorldError
from weft.kit.text import replace_unstorable


class InfraInvalidError(InvalidError):
    """A value of a vendor, endpoint, key, model, price or alias is not valid."""

    code = "infra_invalid"

    @classmethod
    def of(cls, error: ValidationError, *, within: str = "") -> "InfraInvalidError":
        """The first problem that pydantic found: its full path, and the value unless that may be a secret."""
        problem = error.errors(include_url=False)[0]
        path = [within, *(str(part) for part in problem["loc"])]
        field = replace_unstorable(".".join(part for part in path if part)) or "document"
        return cls(f"{field}: {problem['msg'].removeprefix('Value error, ')}{_found({**problem})}", field=field)


_TOLD = frozenset({"value_error", "extra_forbidden"})  # ours tell the value; an unknown field's may be anything


def _found(problem: Mapping[str, Any]) -> str:
    value = problem.get("input")
    silent = problem["type"] in _TOLD or any("secret" in str(part) for part in problem["loc"])
    if silent or not isinstance(value, str | int | float | bool):
        return ""
    return f" (found {replace_unstorable(repr(value))[:80]})"


class InfraUnknownError(NotFoundError):
    """There is no vendor, endpoint, key, model, price or alias of that name."""

    code = "infra_unknown"

    def __init__(self, kind: str, name: object, known: Sequence[str] = ()) -> None:
        listed = f"; there are: {', '.join(sorted(known)[:20])}" if known else ""
        super().__init__(f"there is no {kind} {replace_unstorable(str(name))[:200]!r}{listed}", field=kind)


class InfraTakenError(ConflictError):
    """Something of that name is there already."""

    code = "infra_taken"

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"there is a {kind} {name!r} already; change it, or choose another name", field="name")


class InfraInUseError(ConflictError):
    """Something else needs it."""

    code = "infra_in_use"


class NotAModelNameError(InvalidError):
    """A name that looks like a model's and is not accepted as one (LED-9)."""

    code = "not_a_model_name"

    def __init__(self, name: str, field: str = "model") -> None:
        super().__init__(f"{name!r} is not accepted; the model name is 'deepseek-chat'", field=field)


class ModelUnknownError(NotFoundError):
    """Nothing is known under the name of an alias or model."""

    code = "model_unknown"


class NoModelAvailableError(WorldError):
    """The alias is known, and no way to its models is open to this caller now; `reasons` says why for each."""

    code = "no_model_available"
    title = "No model is available"

    def __init__(self, alias: str, reasons: Sequence[str]) -> None:
        # Which keys there are and what they have spent is the operator's to know; users meet this error too.
        super().__init__(f"no model is available for {alias!r} now; the operator's log says why")
        self.alias = alias
        self.reasons = tuple(reasons)

    def __str__(self) -> str:
        return f"no way is open to {self.alias!r}: {'; '.join(self.reasons) or 'it names no model'}"
