"""What goes over the wire about the AI infrastructure. A key goes in and never comes out."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import AfterValidator, Field, SecretStr, model_validator

from weft.calls.schemas import Category
from weft.http.answers import Money, UtcTime
from weft.infra.names import AliasName, ModelName, ModelReference, Name
from weft.infra.shapes import (
    LARGEST_COUNT,
    AbilitiesShape,
    BaseUrl,
    Closed,
    Currency,
    EndpointShape,
    KeyFields,
    Lane,
    ModelFields,
    PriceShape,
    Seconds,
    VendorFields,
    check_money,
)
from weft.kit.text import StorableText


def _check_secret(secret: SecretStr) -> SecretStr:
    """What can stand in an HTTP header; the message never shows it."""
    value = secret.get_secret_value()
    if not (value.isascii() and value.isprintable()) or value != value.strip():
        message = "holds characters that cannot stand in an HTTP header; paste the key alone, without spaces or quotes"
        raise ValueError(message)
    return secret


VendorKey = Annotated[
    SecretStr,
    Field(min_length=1, max_length=4096, examples=["(the vendor's key)"]),
    AfterValidator(_check_secret),
]


class VendorWish(VendorFields):
    """A vendor to be made."""

    name: Name


class VendorPatch(Closed):
    """What of a vendor to change; what is left out stays."""

    title: Annotated[StorableText, Field(min_length=1, max_length=200)] | None = None
    lane: Lane | None = None
    litellm_provider: Name | None = None
    needs_key: bool | None = None
    enabled: bool | None = None


class VendorView(VendorFields):
    """A vendor."""

    id: UUID
    name: Name
    origin: str = Field(examples=["catalogue"], description="catalogue, operator or environment")
    updated_at: UtcTime


class EndpointWish(EndpointShape):
    """An endpoint to be made."""

    vendor: Name
    name: Name


class EndpointPatch(Closed):
    """What of an endpoint to change; what is left out stays."""

    base_url: BaseUrl | None = None
    region: Annotated[StorableText, Field(max_length=64)] | None = None
    category: Category | None = None
    priority: Annotated[int, Field(ge=0, le=10_000)] | None = None
    connect_seconds: Seconds | None = None
    first_seconds: Seconds | None = None
    gap_seconds: Seconds | None = None
    enabled: bool | None = None


class EndpointView(EndpointShape):
    """An endpoint."""

    id: UUID
    vendor: Name
    name: Name
    updated_at: UtcTime


class KeyWish(KeyFields):
    """A vendor key to be stored. It is encrypted at once and never shown again."""

    vendor: Name
    name: Name
    secret: VendorKey

    @model_validator(mode="after")
    def _money_has_a_currency(self) -> Self:
        check_money(self.money_per_day, self.money_currency)
        return self


class KeyPatch(KeyFields):
    """What of a key to change; what is left out stays. `secret` replaces the key itself."""

    secret: VendorKey | None = None


class KeyUse(Closed):
    """What a key was used for since the day began (UTC)."""

    requests: int = Field(examples=[12])
    tokens: int = Field(examples=[48210])
    money: dict[Currency, Money] = Field(examples=[{"CNY": "0.031400000000"}])


class KeyView(KeyFields):
    """A vendor key, without the key."""

    id: UUID
    vendor: Name
    name: Name
    last_four: str = Field(examples=["3f9c"], description="its last four characters; empty while it waits for it")
    key_id: str | None = Field(
        default=None, examples=["9b1d0c44e2a7f310"], description="which of the installation's secrets encrypts it"
    )
    origin: str = Field(examples=["operator"])
    today: KeyUse
    updated_at: UtcTime


class ModelWish(ModelFields):
    """A model to be made."""

    vendor: Name
    name: ModelName


class ModelPatch(Closed):
    """What of a model to change; what is left out stays."""

    category: Category | None = None
    type: Annotated[StorableText, Field(max_length=64)] | None = None
    version: Annotated[StorableText, Field(max_length=64)] | None = None
    context_window: Annotated[int, Field(ge=1, le=LARGEST_COUNT, examples=[131072])] | None = None
    max_output: Annotated[int, Field(ge=1, le=LARGEST_COUNT, examples=[8192])] | None = None
    abilities: AbilitiesShape | None = None
    structure: dict[str, Any] | None = None
    litellm_name: Annotated[StorableText, Field(max_length=200)] | None = None
    enabled: bool | None = None


class ModelView(ModelFields):
    """A model."""

    id: UUID
    vendor: Name
    name: ModelName
    updated_at: UtcTime


class PriceWish(PriceShape):
    """A price to be set, for a model and from a day on; one that is there is replaced."""

    model: ModelReference


class PriceView(PriceShape):
    """A price."""

    id: UUID
    model: ModelReference
    valid_from: date


class AliasWish(Closed):
    """The models an alias stands for, in the order in which they are tried."""

    models: Annotated[list[ModelReference], Field(min_length=1, max_length=50)]


class AliasView(Closed):
    """An alias."""

    name: AliasName
    models: list[ModelReference]


class ChangeView(Closed):
    """One difference between the shipped catalogue and what is there."""

    action: str = Field(examples=["add"], description="add, change, or keep: an operator's own value that stays")
    kind: str = Field(examples=["model"])
    name: str = Field(examples=["deepseek/deepseek-chat"])
    field: str | None = Field(default=None, examples=["context_window"])
    before: Any = None
    after: Any = None


class CatalogueUpdate(Closed):
    """How to apply the shipped catalogue."""

    overwrite: bool = Field(default=False, examples=[False], description="also replace what an operator has changed")


class Imported(Closed):
    """What an import or an update came to."""

    written: int = Field(examples=[3])


class Rotated(Closed):
    """What a rotation came to."""

    key_id: str = Field(examples=["9b1d0c44e2a7f310"])
    reencrypted: int = Field(examples=[2])


def shown(view: type[Closed], row: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Those of a row's columns that a view shows."""
    return {name: row[name] for name in view.model_fields if name in row} | more
