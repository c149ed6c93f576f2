"""A booked call, and the sums that are asked of many."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from weft.http.answers import Money, UtcTime


class Category(StrEnum):
    """What kind of model was called."""

    TEXT = "text"
    REASONING = "reasoning"
    EMBEDDING = "embedding"
    MULTIMODAL = "multimodal"
    TEXT_TO_IMAGE = "text_to_image"
    TEXT_TO_VIDEO = "text_to_video"
    SPEECH = "speech"


class UsageSource(StrEnum):
    """Whether the vendor counted the tokens or we did."""

    REPORTED = "reported"
    ESTIMATED = "estimated"


class CostSource(StrEnum):
    """Where the price came from."""

    CUSTOM_PRICING = "custom_pricing"
    LITELLM_CATALOG = "litellm_catalog"
    UNPRICED = "unpriced"


class Outcome(StrEnum):
    """How a call ended, or that it has not."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"


Tokens = Annotated[int, Field(ge=0)]
Cost = Annotated[Decimal, Field(ge=0, max_digits=20, decimal_places=12)]


class CallStart(BaseModel):
    """What is known of a call when it is sent."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    session_id: UUID | None = None
    turn_id: UUID | None = None
    purpose: str = Field(max_length=64)
    vendor: str = Field(max_length=64)
    endpoint: str = Field(max_length=255)
    key: str = Field(max_length=128)
    model: str = Field(max_length=128)
    category: Category = Category.TEXT
    currency: str = Field(pattern="^[A-Z]{3}$")
    started_at: datetime


class CallEnd(BaseModel):
    """What is known of a call when it is over. A cost of None is a call without a price, never a free one."""

    model_config = ConfigDict(frozen=True)

    input_tokens: Tokens = 0
    cached_input_tokens: Tokens = 0
    cache_write_tokens: Tokens = 0
    output_tokens: Tokens = 0
    reasoning_tokens: Tokens = 0
    units: dict[str, Any] = {}
    usage_source: UsageSource
    cost: Cost | None
    cost_source: CostSource
    first_token_at: datetime | None = None
    ended_at: datetime
    outcome: Outcome
    error_code: str | None = None


class CallTold(NamedTuple):
    """How a call went, for whoever watches."""

    outcome: str
    first_token_ms: int | None


class CallView(BaseModel):
    """A provider call as it is booked. A null cost is a call without a price."""

    id: UUID
    purpose: str = Field(examples=["intent"])
    vendor: str = Field(examples=["deepseek"])
    endpoint: str = Field(examples=["main"])
    key: str = Field(examples=["deepseek/main"])
    model: str = Field(examples=["deepseek-chat"])
    category: Category
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    usage_source: UsageSource
    cost: Money | None = Field(default=None, examples=["0.000114800000"])
    currency: str = Field(examples=["CNY"])
    cost_source: CostSource
    started_at: UtcTime
    first_token_at: UtcTime | None = None
    ended_at: UtcTime | None = None
    outcome: Outcome
    error_code: str | None = None


class CallLine(CallView):
    """A call in a list of many."""

    session_id: UUID | None = None
    turn_id: UUID | None = Field(default=None, description="the run that it was made for")
    expected_cached_tokens: int | None = Field(default=None, description="null: what it was sent is not kept")


@dataclass(frozen=True, slots=True)
class CallFilter:
    """Which calls are listed; what is None does not narrow. `none` are those outside conversations."""

    session_id: UUID | Literal["none"] | None = None
    turn_id: UUID | None = None
    user_id: UUID | None = None
    business_id: UUID | None = None
    model: str | None = None
    key: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class Booking(BaseModel):
    """What of a call is booked on its message."""

    model_config = ConfigDict(frozen=True)

    call_id: UUID
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    cost: Decimal | None
    currency: str


class GroupBy(StrEnum):
    """By what the ledger sums."""

    TOTAL = "total"
    DAY = "day"
    TURN = "turn"
    SESSION = "session"
    USER = "user"
    KEY = "key"
    MODEL = "model"


class UsageTotal(BaseModel):
    """The sum over some calls of one currency. `cost` sums the priced ones; `unpriced_calls` says how many were not."""

    group: str | None = Field(default=None, examples=["2026-11-18"], description="the day, id or name summed by")
    currency: str = Field(examples=["CNY"])
    calls: int = Field(examples=[3])
    input_tokens: int = Field(examples=[5120])
    cached_input_tokens: int = Field(examples=[4096])
    output_tokens: int = Field(examples=[310])
    cost: Money = Field(examples=["0.003797200000"])
    unpriced_calls: int = Field(examples=[0])
    estimated_calls: int = Field(default=0, examples=[0])


class UsageReport(BaseModel):
    """Totals, one for each group and currency, newest or dearest first."""

    by: GroupBy
    totals: list[UsageTotal]
    truncated: bool = Field(default=False, description="there are more groups than are shown; narrow the time")


class KeyTotal(BaseModel):
    """What one vendor key was used for, in one currency; running calls count as requests."""

    model_config = ConfigDict(frozen=True)

    key: str
    currency: str
    requests: int
    last_minute: int
    tokens: int
    cost: Decimal
