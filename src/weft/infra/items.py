"""A document and the tables as the same flat list of items, so that they can be compared and written one by one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from weft.infra.repository import State
from weft.infra.shapes import (
    Document,
    EndpointShape,
    KeyFields,
    ModelFields,
    PriceFields,
    VendorFields,
)

Path = tuple[str, ...]
Fields = Mapping[str, Any]
# what each kind of item holds by itself, in the order in which they must be written
SHAPES: Mapping[str, type[BaseModel]] = {
    "vendor": VendorFields,
    "endpoint": EndpointShape,
    "model": ModelFields,
    "price": PriceFields,
    "key": KeyFields,
}
ALIAS = "alias"


@dataclass(frozen=True, slots=True)
class Item:
    """A vendor, endpoint, model, price, key or alias: which one, and what is set of it."""

    kind: str
    path: Path
    fields: Fields

    @property
    def at(self) -> tuple[str, Path]:
        """What tells it from all others."""
        return self.kind, self.path

    @property
    def name(self) -> str:
        """As people write it."""
        return f"{self.kind} {'/'.join(self.path)}"


@dataclass(frozen=True, slots=True)
class StoredItem(Item):
    """An item that is in the tables."""

    id: UUID | None = None
    seeded: Fields | None = None


def plain(value: Any) -> Any:
    """A value as JSON would hold it, one way for each: 2 and 2.00 are the same amount."""
    if isinstance(value, BaseModel):
        return plain(value.model_dump())
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


def items_of(document: Document) -> Iterator[Item]:
    """What the document sets, and only that: a field that it leaves out is not in the item."""
    for vendor, shape in document.vendors.items():
        yield _item("vendor", (vendor,), shape)
        for name, endpoint in shape.endpoints.items():
            yield _item("endpoint", (vendor, name), endpoint)
        for name, model in shape.models.items():
            yield _item("model", (vendor, name), model)
            for price in model.prices:
                yield _item("price", (vendor, name, price.currency, price.valid_from.isoformat()), price)
        for name, key in shape.keys.items():
            yield _item("key", (vendor, name), key)
    for alias, models in document.aliases.items():
        yield Item(ALIAS, (alias,), {"models": list(models)})


def _item(kind: str, path: Path, shape: BaseModel) -> Item:
    own = SHAPES[kind].model_fields
    return Item(kind, path, {name: getattr(shape, name) for name in shape.model_fields_set if name in own})


def stored_items(state: State, whom: Mapping[UUID, Sequence[Mapping[str, str]]]) -> Iterator[StoredItem]:
    """Everything in the tables; `whom` gives each key's assignments by the names people know."""
    for row in state.vendors:
        yield _stored("vendor", (row["name"],), row)
    for row in state.endpoints:
        yield _stored("endpoint", (row["vendor"], row["name"]), row)
    for row in state.models:
        yield _stored("model", (row["vendor"], row["name"]), row)
    for row in state.prices:
        yield _stored("price", (row["vendor"], row["model"], row["currency"], row["valid_from"].isoformat()), row)
    for row in state.keys:
        yield _stored("key", (row["vendor"], row["name"]), {**row, "assignments": list(whom.get(row["id"], ()))})
    for name, models in aliases_of(state).items():
        yield StoredItem(ALIAS, (name,), {"models": models})


def aliases_of(state: State) -> dict[str, list[str]]:
    """Each alias's models, in order."""
    found: dict[str, list[str]] = {}
    for row in state.aliases:
        found.setdefault(row["name"], []).append(f"{row['vendor']}/{row['model']}")
    return found


def _stored(kind: str, path: Path, row: Mapping[str, Any]) -> StoredItem:
    fields = {name: row[name] for name in SHAPES[kind].model_fields}
    return StoredItem(kind, path, fields, row["id"], row.get("seeded"))


def document_of(items: Iterator[StoredItem]) -> Document:
    """The document that sets exactly these items."""
    vendors: dict[str, dict[str, Any]] = {}
    aliases: dict[str, Any] = {}
    for item in items:
        if item.kind == ALIAS:
            aliases[item.path[0]] = item.fields["models"]
            continue
        if item.kind == "vendor":
            vendors[item.path[0]] = {**item.fields, "endpoints": {}, "keys": {}, "models": {}}
            continue
        vendor = vendors[item.path[0]]
        if item.kind == "price":
            _, model, currency, valid_from = item.path
            dated = {"currency": currency, "valid_from": valid_from, **item.fields}
            vendor["models"][model]["prices"].append(dated)
        elif item.kind == "model":
            vendor["models"][item.path[1]] = {**item.fields, "prices": []}
        else:
            vendor[f"{item.kind}s"][item.path[1]] = dict(item.fields)
    return Document.model_validate({"vendors": vendors, "aliases": aliases})
