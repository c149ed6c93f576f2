"""The infrastructure as data: what the catalogue, an export and the API have in common. No secret has a place in it."""

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from weft.calls.schemas import Category
from weft.http.answers import Money
from weft.infra.names import AliasName, ModelName, ModelReference, Name
from weft.kit.text import StorableText, check_storable_json
from weft.llm.ports import Strategy

LARGEST_COUNT = 2_000_000_000
Currency = Annotated[str, Field(pattern="^[A-Z]{3}$", examples=["CNY"])]
Rate = Annotated[Money, Field(ge=0, max_digits=20, decimal_places=12, examples=["0.2"])]
Seconds = Annotated[float, Field(gt=0, le=3600)]
Count = Annotated[int, Field(ge=1, le=LARGEST_COUNT)]


class Lane(StrEnum):
    """How a vendor is spoken to."""

    OPENAI_COMPATIBLE = "openai_compatible"
    LITELLM = "litellm"
    OFFLINE = "offline"


OFFLINE_URL = "offline:"


def _check_url(url: str) -> str:
    """The address, if a call could go there and nothing in it is a secret."""
    if url in ("", OFFLINE_URL):
        return url
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = None
    if not sound or not url.isprintable() or " " in url:
        message = "is not an address; write for example 'https://api.deepseek.com/v1'"
        raise ValueError(message)
    if "@" in url or parts.query or parts.fragment:
        message = "holds a user, a query or a fragment; an address is only where to call, and a key is stored apart"
        raise ValueError(message)
    return url


BaseUrl = Annotated[
    StorableText,
    Field(max_length=2048, examples=["https://api.deepseek.com/v1"]),
    AfterValidator(_check_url),
]


class Closed(BaseModel):
    """Refuses what it does not know."""

    model_config = ConfigDict(extra="forbid")


class AbilitiesShape(Closed):
    """What a model can do."""

    vision: bool = False
    tools: bool = True
    reasoning: bool = False
    structured: Strategy = Strategy.PROMPT
    prompt_cache_markers: bool = False
    late_system_message: bool = True
    reasoning_back: bool = False
    cache_unit: Annotated[int, Field(ge=1, le=1_000_000)] = 64


class PriceFields(Closed):
    """What a model costs: per million tokens, per image, per second. What is left out is not known, never free."""

    source: Annotated[StorableText, Field(min_length=1, max_length=500, examples=["https://… (read 2026-11-18)"])]
    input: Rate | None = None
    cached_input: Rate | None = None
    cache_write: Rate | None = None
    output: Rate | None = None
    per_image: Rate | None = None
    per_second: Rate | None = None

    @model_validator(mode="after")
    def _some(self) -> Self:
        if all(getattr(self, name) is None for name in RATES):
            message = f"names no price; give at least one of {', '.join(RATES)}"
            raise ValueError(message)
        return self


RATES = ("input", "cached_input", "cache_write", "output", "per_image", "per_second")


class PriceShape(PriceFields):
    """A price, and from which day on it holds."""

    currency: Currency
    valid_from: date = Field(examples=["2026-03-06"])


class ModelFields(Closed):
    """A model, as its vendor offers it."""

    category: Category = Category.TEXT
    type: Annotated[StorableText, Field(max_length=64, examples=["chat"])] = "chat"
    version: Annotated[StorableText, Field(max_length=64, examples=["DeepSeek-V3.2"])] = ""
    context_window: Annotated[int, Field(ge=1, le=LARGEST_COUNT, examples=[131072])]
    max_output: Annotated[int, Field(ge=1, le=LARGEST_COUNT, examples=[8192])] | None = None
    abilities: AbilitiesShape = AbilitiesShape()
    structure: Annotated[dict[str, Any], AfterValidator(check_storable_json)] | None = Field(
        default=None, description="how its answers are read, where they differ from the usual of its category"
    )
    litellm_name: Annotated[StorableText, Field(max_length=200)] | None = None
    enabled: bool = True


class ModelShape(ModelFields):
    """A model with its prices."""

    prices: Annotated[list[PriceShape], Field(max_length=200)] = []

    @model_validator(mode="after")
    def _one_price_a_day(self) -> Self:
        days = [(price.currency, price.valid_from) for price in self.prices]
        if len(set(days)) < len(days):
            message = "names two prices of one currency from the same day on"
            raise ValueError(message)
        return self


class EndpointShape(Closed):
    """An address of a vendor; without a category, for models of any."""

    base_url: BaseUrl
    region: Annotated[StorableText, Field(max_length=64, examples=["cn"])] | None = None
    category: Category | None = None
    priority: Annotated[int, Field(ge=0, le=10_000, description="the smaller, the earlier it is tried")] = 100
    connect_seconds: Seconds | None = None
    first_seconds: Seconds | None = None
    gap_seconds: Seconds | None = None
    enabled: bool = True


class AssignmentShape(Closed):
    """Whom a key is for: a business, or one user of it."""

    business: Annotated[StorableText, Field(min_length=1, max_length=64, examples=["acme"])]
    user: Annotated[StorableText, Field(min_length=1, max_length=255, examples=["u-42"])] | None = None


class KeyFields(Closed):
    """Everything about a key except the key. Without assignments it serves everybody."""

    endpoint: Name | None = Field(default=None, description="the one endpoint that takes it")
    requests_per_minute: Count | None = None
    requests_per_day: Count | None = None
    tokens_per_day: Annotated[int, Field(ge=1, le=10**15)] | None = None
    money_per_day: Annotated[Money, Field(gt=0, max_digits=12, decimal_places=6, examples=["50"])] | None = None
    money_currency: Currency | None = None
    enabled: bool = True
    assignments: Annotated[list[AssignmentShape], Field(max_length=1000)] = []


class KeyShape(KeyFields):
    """A key in an export."""

    @model_validator(mode="after")
    def _money_has_a_currency(self) -> Self:
        check_money(self.money_per_day, self.money_currency)
        return self


def check_money(amount: Decimal | None, currency: str | None) -> None:
    """Refuse an amount without its currency, and a currency without an amount."""
    if (amount is None) != (currency is None):
        message = "money_per_day and money_currency go together: for example 50 and 'CNY'"
        raise ValueError(message)


class VendorFields(Closed):
    """A vendor."""

    title: Annotated[StorableText, Field(min_length=1, max_length=200, examples=["DeepSeek"])]
    lane: Lane = Lane.OPENAI_COMPATIBLE
    litellm_provider: Name | None = None
    needs_key: bool = True
    enabled: bool = True


class VendorShape(VendorFields):
    """A vendor with all that is its own."""

    endpoints: dict[Name, EndpointShape] = {}
    keys: dict[Name, KeyShape] = {}
    models: dict[ModelName, ModelShape] = {}


class Document(Closed):
    """The whole infrastructure, or the part of it that somebody wants to set."""

    version: Literal[1] = 1
    vendors: Annotated[dict[Name, VendorShape], Field(max_length=1000)] = {}
    aliases: Annotated[
        dict[AliasName, Annotated[list[ModelReference], Field(min_length=1, max_length=50)]], Field(max_length=1000)
    ] = {}

    @model_validator(mode="after")
    def _each_model_once(self) -> Self:
        for alias, models in self.aliases.items():
            if len(set(models)) < len(models):
                message = f"the alias {alias!r} names a model twice"
                raise ValueError(message)
        return self
