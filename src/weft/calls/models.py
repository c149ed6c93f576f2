"""The tables of calls and of what they were sent."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    JSON,
    BigInteger,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Numeric,
    String,
    Text,
    Uuid,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from weft.kit.db.model import Model


class CallRow(Model):
    """One provider call."""

    __tablename__ = "ai_calls"
    __table_args__ = (
        ForeignKeyConstraint(["business_id", "user_id"], ["users.business_id", "users.id"]),
        Index("idx_ai_calls_session_id", "session_id", "started_at"),
        Index("idx_ai_calls_turn_id", "turn_id"),
        Index("idx_ai_calls_user_id", "user_id", "started_at"),
        Index("idx_ai_calls_business_id", "business_id", "started_at"),
        Index("idx_ai_calls_key", "key", "started_at"),
        Index("idx_ai_calls_started_at", "started_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    business_id: Mapped[UUID | None] = mapped_column(ForeignKey("businesses.id"))
    user_id: Mapped[UUID | None]
    session_id: Mapped[UUID | None]
    turn_id: Mapped[UUID | None]
    purpose: Mapped[str] = mapped_column(String(64))
    vendor: Mapped[str] = mapped_column(String(64))
    endpoint: Mapped[str] = mapped_column(String(255))
    key: Mapped[str] = mapped_column(String(128))
    model: Mapped[str] = mapped_column(String(128))
    category: Mapped[str] = mapped_column(String(32))
    units: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    input_tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    cached_input_tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    cache_write_tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    output_tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    reasoning_tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    usage_source: Mapped[str] = mapped_column(String(16))
    cost: Mapped[Decimal | None] = mapped_column(Numeric(20, 12))
    currency: Mapped[str] = mapped_column(String(3))
    cost_source: Mapped[str] = mapped_column(String(16))
    started_at: Mapped[datetime]
    first_token_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    outcome: Mapped[str] = mapped_column(String(16))
    error_code: Mapped[str | None] = mapped_column(String(64))


class ContextRow(Model):
    """What one call was made of; its texts stand in `ai_call_texts`."""

    __tablename__ = "ai_call_contexts"
    __table_args__ = (
        ForeignKeyConstraint(["business_id", "user_id"], ["users.business_id", "users.id"]),
        ForeignKeyConstraint(
            ["session_id", "business_id", "user_id"],
            [f"agent_chat_sessions.{column}" for column in ("id", "business_id", "user_id")],
            ondelete="CASCADE",
        ),
        Index("idx_ai_call_contexts_session_id", "session_id", "call_id"),
        Index("idx_ai_call_contexts_created_at", "created_at"),
        Index("idx_ai_call_contexts_user_id", "user_id"),
    )

    call_id: Mapped[UUID] = mapped_column(ForeignKey("ai_calls.id"), primary_key=True)
    session_id: Mapped[UUID | None]
    business_id: Mapped[UUID]
    user_id: Mapped[UUID]
    hashes: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid))
    segments: Mapped[list[Any]] = mapped_column(JSON)
    manifest: Mapped[dict[str, Any]] = mapped_column(JSON)
    expected_tokens: Mapped[int] = mapped_column(BigInteger)
    anyone_tokens: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class TextRow(Model):
    """A stretch of what a user's calls were sent, once however many were sent it."""

    __tablename__ = "ai_call_texts"
    __table_args__ = (
        ForeignKeyConstraint(["business_id", "user_id"], ["users.business_id", "users.id"]),
        Index("idx_ai_call_texts_used_at", "used_at"),
        Index("idx_ai_call_texts_left_at", "left_at", "user_id", postgresql_where=text("left_at IS NOT NULL")),
    )

    user_id: Mapped[UUID] = mapped_column(primary_key=True)
    hash: Mapped[UUID] = mapped_column(primary_key=True)
    business_id: Mapped[UUID]
    text: Mapped[str] = mapped_column(Text)
    used_at: Mapped[datetime]
    left_at: Mapped[datetime | None]
