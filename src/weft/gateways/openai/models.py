"""The models that there are to OpenAI's clients: Weft itself, and Weft in each of its skills."""

from collections.abc import Iterable
from typing import Any

from weft.kit.errors import NotFoundError
from weft.kit.text import replace_unstorable
from weft.skills.catalogue import Snapshot

WEFT = "weft"
_PREFIX = f"{WEFT}/"
CREATED = 1_767_225_600  # 2026; clients want a number here and make nothing of it


class ModelNotFoundError(NotFoundError):
    """No model of that name can be asked for here."""

    code = "model_not_found"


def skill_of(model: str) -> str | None:
    """The skill that a model's name asks for."""
    if model == WEFT:
        return None
    if model.startswith(_PREFIX) and len(model) > len(_PREFIX):
        return model.removeprefix(_PREFIX)[:64]
    raise _unknown(model)


def listed(catalogue: Snapshot) -> list[dict[str, Any]]:
    """All of them, as a list of OpenAI's."""
    names = sorted(name for name, each in catalogue.skills.items() if each.available)
    return [described(name) for name in (WEFT, *_named(names))]


def one_of(catalogue: Snapshot, name: str) -> dict[str, Any]:
    """One of them, by its name."""
    found = next((model for model in listed(catalogue) if model["id"] == name), None)
    if found is None:
        raise _unknown(name)
    return found


def described(name: str) -> dict[str, Any]:
    """One model."""
    return {"id": name, "object": "model", "created": CREATED, "owned_by": WEFT}


def _named(skills: Iterable[str]) -> list[str]:
    return [_PREFIX + skill for skill in skills]


def _unknown(model: str) -> ModelNotFoundError:
    shown = replace_unstorable(model[:80])
    return ModelNotFoundError(f"there is no model {shown!r}; ask for 'weft', or for 'weft/<skill>'", field="model")
