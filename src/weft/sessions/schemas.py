"""Sessions and messages, as services hand them out and as they go over the wire."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from weft.http.answers import Money, UtcTime
from weft.sessions.metadata import (
    AssistantOutput,
    MessageMetadata,
    Role,
    StageAudit,
    ToolCallMade,
    ToolResultGiven,
    UserInput,
)

BILLING_CURRENCIES = ("CNY",)  # as chk_billing_currency has it; a second one needs its price table first


class Status(StrEnum):
    """Where a session stands."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class BillingProfile(NamedTuple):
    """What a session is billed in, frozen when it is created."""

    currency: str
    country_snapshot: str

    @classmethod
    def for_country(cls, country: str) -> "BillingProfile":
        """The billing of a user who lives there. There is one currency so far, and no exchange rates ever."""
        return cls(BILLING_CURRENCIES[0], country)


class NewMessage(BaseModel):
    """A message to be written: its metadata decides its role and its side of zero."""

    model_config = ConfigDict(frozen=True)

    content: str | None
    metadata: UserInput | ToolCallMade | ToolResultGiven | AssistantOutput | StageAudit
    call_id: UUID | None = None  # the ended call that this message books
    id: UUID | None = None  # where those who watch know it already by its id


class SessionView(BaseModel):
    """A conversation."""

    id: UUID
    user_id: UUID
    title: str | None = Field(default=None, examples=["明天的安排"])
    status: Status
    state_snapshot: dict[str, JsonValue] = Field(examples=[{"status": "completed"}])
    skill: str | None = None
    scenario: str | None = None
    billing_currency: str = Field(examples=["CNY"])
    billing_country_snapshot: str = Field(examples=["CN"])
    created_at: UtcTime
    updated_at: UtcTime


class MessageView(BaseModel):
    """A message. A negative `seq` is an audit row, shown to operators only."""

    id: UUID
    session_id: UUID
    turn_id: UUID | None = None
    seq: int = Field(examples=[1])
    role: Role
    content: str | None = Field(default=None, examples=["你好"])
    metadata: MessageMetadata
    call_id: UUID | None = None
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    cost: Money | None = Field(default=None, examples=["0.000120"])
    currency: str = Field(examples=["CNY"])
    created_at: UtcTime

    @classmethod
    def of(cls, row: Any) -> "MessageView":
        """The message that a row holds."""
        return cls.model_validate(dict(row))


class Booked(NamedTuple):
    """What a message books; nothing, for one that no call made."""

    call_id: UUID | None = None
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None


class Seen(NamedTuple):
    """The part of a conversation that a prompt shows."""

    texts: int  # user and assistant texts before the turn that is being answered, shown or not
    messages: list[MessageView]


class FoundText(NamedTuple):
    """Something that was said in one of a user's conversations."""

    id: UUID
    session_id: UUID
    role: str
    content: str
    created_at: datetime
