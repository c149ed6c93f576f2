"""Which ways lead to a model for a caller, best first, and why the others do not: a pure function of the snapshot."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from weft.infra.errors import ModelUnknownError, NotAModelNameError
from weft.infra.names import NOT_MODEL_NAMES
from weft.infra.shapes import Lane
from weft.infra.snapshot import KeyEntry, ModelEntry, Row, Snapshot
from weft.kit.text import replace_unstorable
from weft.llm.ports import Caller

NO_KEY = "-"  # stands for the key in names and bookings where a vendor needs none; no key can be called so


@dataclass(frozen=True, slots=True)
class Way:
    """A model over an endpoint with a key; `key` is None where the vendor needs none."""

    model: ModelEntry
    endpoint: Row
    key: KeyEntry | None

    @property
    def key_name(self) -> str:
        """The key as the ledger books it."""
        return f"{self.model.vendor.name}/{NO_KEY if self.key is None else self.key.row['name']}"


@dataclass(slots=True)
class Ways:
    """The ways found, and why others are closed."""

    open: list[Way] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)


def models_named(snapshot: Snapshot, name: str) -> Sequence[ModelEntry]:
    """The models an alias stands for, or the one of that name, or those of several vendors."""
    if name.strip().lower().rpartition("/")[2] in NOT_MODEL_NAMES:
        raise NotAModelNameError(name.strip())
    if name in snapshot.aliases:
        return [snapshot.models[reference] for reference in snapshot.aliases[name]]
    if name in snapshot.models:
        return [snapshot.models[name]]
    if found := [model for model in snapshot.models.values() if model.card.name == name]:
        return found
    known = ", ".join(sorted(snapshot.aliases)) or "none"
    shown = replace_unstorable(name)[:100]
    raise ModelUnknownError(
        f"no alias or model is called {shown!r}; the aliases are: {known}; a model is named as vendor/model",
        field="model",
    )


def find_ways(snapshot: Snapshot, name: str, caller: Caller) -> Ways:
    """Every way to the models of that name, in the order in which they should be tried."""
    ways = Ways()
    models = models_named(snapshot, name)
    real = [model for model in models if not _is_offline(model)]
    for model in real:
        _add(ways, model, caller)
    # The offline model stands in where nothing was set up, never for a vendor that is set up and does not answer:
    # nobody may take its words for those of the model that was asked for.
    if not any(_is_set_up(model) for model in real):
        for model in models:
            if _is_offline(model):
                _add(ways, model, caller)
    return ways


def _is_offline(model: ModelEntry) -> bool:
    return bool(model.vendor.row["lane"] == Lane.OFFLINE.value)


def _is_set_up(model: ModelEntry) -> bool:
    usable = model.row["enabled"] and model.vendor.row["enabled"]
    return bool(usable and (model.vendor.keys or not model.vendor.row["needs_key"]))


def _add(ways: Ways, model: ModelEntry, caller: Caller) -> None:
    for closed in _closed(model):
        ways.closed.append(f"{model.reference}: {closed}")
        return
    endpoints = [
        endpoint
        for endpoint in model.vendor.endpoints
        if endpoint["enabled"] and endpoint["category"] in (None, model.card.category)
    ]
    endpoints.sort(key=lambda row: (row["priority"], row["category"] is None, row["name"]))
    keys = _keys(ways, model, caller)
    before = len(ways.open)
    for endpoint in endpoints:
        ways.open.extend(
            Way(model, endpoint, key) for key in keys if key is None or key.row["endpoint_id"] in (None, endpoint["id"])
        )
    if keys and len(ways.open) == before:
        ways.closed.append(f"{model.reference}: no enabled endpoint takes {model.card.category} with these keys")


def _closed(model: ModelEntry) -> Iterator[str]:
    vendor = model.vendor
    if not vendor.row["enabled"]:
        yield f"the vendor {vendor.name} is disabled"
    elif not model.row["enabled"]:
        yield "the model is disabled"
    elif vendor.row["needs_key"] and not vendor.keys:
        yield f"{vendor.name} has no key (weft infra keys add {vendor.name}/main)"


def _keys(ways: Ways, model: ModelEntry, caller: Caller) -> Sequence[KeyEntry | None]:
    """The keys that serve the caller, their own first; None stands for going without."""
    usable: list[tuple[int, str, KeyEntry]] = []
    for key in model.vendor.keys:
        name = key.row["name"]
        closeness = key.closeness(caller.business_id, caller.user_id)
        if not key.row["enabled"]:
            why = "is disabled"
        elif closeness is None:
            why = "is for other businesses or users"
        elif key.row["secret"] is None:
            why = "waits for its secret (weft infra keys set)"
        else:
            usable.append((closeness, name, key))
            continue
        ways.closed.append(f"{model.reference}: key {model.vendor.name}/{name} {why}")
    if not usable and not model.vendor.row["needs_key"]:
        return [None]
    return [key for _, _, key in sorted(usable, key=lambda each: each[:2])]
