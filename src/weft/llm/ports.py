"""What a call needs from outside the engine: a registry that knows where it may go, and a ledger that books it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal, Protocol
from uuid import UUID

from weft.llm.types import Target, Usage


class Strategy(StrEnum):
    """How a model is brought to answer in a given structure."""

    NATIVE_SCHEMA = "native_schema"
    TOOL = "tool"
    JSON_MODE = "json_mode"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a model can do."""

    vision: bool = False
    tools: bool = True
    reasoning: bool = False
    structured: Strategy = Strategy.PROMPT
    prompt_cache_markers: bool = False  # it wants its cacheable prefix marked (Anthropic)
    late_system_message: bool = True  # it takes a system message after the history
    reasoning_back: bool = False  # it wants its own reasoning_content back with the history
    cache_unit: int = 64  # tokens; prefixes are cached in steps of this


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs from a day on: per million tokens, per image, per second. None is not known, never free."""

    currency: str
    valid_from: date
    source: str
    input: Decimal | None = None
    cached_input: Decimal | None = None
    cache_write: Decimal | None = None
    output: Decimal | None = None
    per_image: Decimal | None = None
    per_second: Decimal | None = None


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A model as the registry knows it."""

    name: str
    vendor: str
    category: str
    context_window: int
    max_output: int | None = None
    abilities: Abilities = Abilities()
    structure: Mapping[str, Any] | None = None  # how its answers are read (INFRA-2); None: the category's usual one
    litellm_name: str | None = None  # what LiteLLM calls it, where that differs


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf a call is made, and in which currency it is booked."""

    currency: str
    business_id: UUID | None = None
    user_id: UUID | None = None
    session_id: UUID | None = None
    turn_id: UUID | None = None
    purpose: str = "chat"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way a call may go."""

    card: ModelCard
    target: Target
    endpoint: str  # its name in the registry
    key: str  # its name in the registry: "vendor/name"
    price: Price | None = None  # the one valid now in the caller's currency


class Registry(Protocol):
    """Knows where calls may go."""

    async def candidates(self, alias: str, caller: Caller) -> Sequence[Candidate]:
        """The ways open to this caller, best first: assigned, enabled, within their limits. Raises where none is."""

    async def take(self, candidate: Candidate) -> bool:
        """Claim one call's place within the limits of the candidate's key, before each try; False if none is left."""

    def settle(self, candidate: Candidate) -> None:
        """The claimed call stands in the ledger now, or will never be made: the claim is over."""


@dataclass(frozen=True, slots=True)
class Booking:
    """What is known of a call when it is over."""

    usage: Usage
    usage_source: Literal["reported", "estimated"]
    cost: Decimal | None
    cost_source: Literal["custom_pricing", "litellm_catalog", "unpriced"]
    outcome: Literal["succeeded", "failed", "cancelled", "abandoned"]
    ended_at: datetime
    first_token_at: datetime | None = None
    error_code: str | None = None
    units: Mapping[str, str] = field(default_factory=dict)


class Ledger(Protocol):
    """Books every provider call, once."""

    async def start(self, call_id: UUID, caller: Caller, candidate: Candidate, started_at: datetime) -> None:
        """Note a call before it is sent."""

    async def end(self, call_id: UUID, caller: Caller, booking: Booking) -> None:
        """Book a call that is over."""
