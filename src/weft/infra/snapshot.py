"""The registry's rows as one process holds them in memory: read at once, never changed, soon replaced."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from uuid import UUID

from weft.infra.repository import State
from weft.llm.ports import Abilities, ModelCard, Price, Strategy
from weft.llm.types import Timeouts

Row = Mapping[str, Any]
_DEFAULTS = Timeouts()


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """A key, still sealed, and whom it serves."""

    row: Row = field(repr=False)
    businesses: frozenset[UUID]
    users: frozenset[UUID]

    def closeness(self, business_id: UUID | None, user_id: UUID | None) -> int | None:
        """0 for a key of this very user's, 1 for their business's, 2 for everybody's; None: not for them."""
        if not self.businesses and not self.users:
            return 2
        if user_id is not None and user_id in self.users:
            return 0
        if business_id is not None and business_id in self.businesses:
            return 1
        return None


@dataclass(frozen=True, slots=True)
class VendorEntry:
    """A vendor with its endpoints and keys."""

    row: Row
    endpoints: Sequence[Row]
    keys: Sequence[KeyEntry]

    @property
    def name(self) -> str:
        """Its name."""
        found: str = self.row["name"]
        return found


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model with its prices, those that came into force last first."""

    row: Row
    vendor: VendorEntry
    card: ModelCard
    prices: Sequence[Price]

    @property
    def reference(self) -> str:
        """`vendor/model`."""
        return f"{self.vendor.name}/{self.card.name}"

    def price(self, currency: str, day: date) -> Price | None:
        """The price in that currency that holds on that day."""
        return next((p for p in self.prices if p.currency == currency and p.valid_from <= day), None)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that routing asks."""

    taken_at: datetime
    models: Mapping[str, ModelEntry]
    aliases: Mapping[str, Sequence[str]]
    keys: Mapping[str, KeyEntry]  # by the name that calls are booked under

    @classmethod
    def of(cls, state: State, taken_at: datetime) -> "Snapshot":
        """Put the rows together."""
        vendors = {row["id"]: _vendor(row, state) for row in state.vendors}
        prices = _by(state.prices, "model_id")
        models = (
            ModelEntry(row, vendors[row["vendor_id"]], card_of(row), _prices(prices.get(row["id"], ())))
            for row in state.models
        )
        aliases: dict[str, list[str]] = {}
        for row in state.aliases:
            aliases.setdefault(row["name"], []).append(f"{row['vendor']}/{row['model']}")
        keys = {f"{vendor.name}/{key.row['name']}": key for vendor in vendors.values() for key in vendor.keys}
        return cls(taken_at, {model.reference: model for model in models}, aliases, keys)


def _by(rows: Iterable[Row], column: str) -> dict[UUID, list[Row]]:
    found: dict[UUID, list[Row]] = {}
    for row in rows:
        found.setdefault(row[column], []).append(row)
    return found


def _vendor(row: Row, state: State) -> VendorEntry:
    assigned = _by(state.assignments, "vendor_key_id")
    keys = [_key(key, assigned.get(key["id"], ())) for key in state.keys if key["vendor_id"] == row["id"]]
    endpoints = [endpoint for endpoint in state.endpoints if endpoint["vendor_id"] == row["id"]]
    return VendorEntry(row, endpoints, keys)


def _key(row: Row, assigned: Iterable[Row]) -> KeyEntry:
    whom = list(assigned)
    return KeyEntry(
        row,
        businesses=frozenset(each["business_id"] for each in whom if each["user_id"] is None),
        users=frozenset(each["user_id"] for each in whom if each["user_id"] is not None),
    )


def card_of(row: Row) -> ModelCard:
    """A model's row as the engine knows it."""
    abilities = dict(row["abilities"])
    if "structured" in abilities:
        abilities["structured"] = Strategy(abilities["structured"])
    return ModelCard(
        name=row["name"],
        vendor=row["vendor"],
        category=row["category"],
        context_window=row["context_window"],
        max_output=row["max_output"],
        abilities=Abilities(**abilities),
        structure=row["structure"],
        litellm_name=row["litellm_name"],
    )


def _prices(rows: Iterable[Row]) -> list[Price]:
    names = Price.__slots__
    prices = [Price(**{name: row[name] for name in names}) for row in rows]
    return sorted(prices, key=lambda price: price.valid_from, reverse=True)


def timeouts_of(endpoint: Row) -> Timeouts:
    """How long to wait for an endpoint."""
    return Timeouts(
        connect=endpoint["connect_seconds"] or _DEFAULTS.connect,
        first=endpoint["first_seconds"] or _DEFAULTS.first,
        gap=endpoint["gap_seconds"] or _DEFAULTS.gap,
    )
