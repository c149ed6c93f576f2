"""The tables `agent_chat_sessions` and `agent_chat_messages`; their rules stand in the migration."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, ForeignKeyConstraint, Index, Numeric, String, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column

from weft.kit.db.model import Model


class SessionRow(Model):
    """A conversation."""

    __tablename__ = "agent_chat_sessions"
    __table_args__ = (ForeignKeyConstraint(["business_id", "user_id"], ["users.business_id", "users.id"]),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    business_id: Mapped[UUID]
    user_id: Mapped[UUID]
    title: Mapped[str | None] = mapped_column(String(64))
    status: Mapped[str] = mapped_column(String(16), server_default="pending")
    state_snapshot: Mapped[dict[str, Any]]
    skill: Mapped[str | None] = mapped_column(String(64))
    scenario: Mapped[str | None] = mapped_column(String(128))
    billing_currency: Mapped[str] = mapped_column(String(3))
    billing_country_snapshot: Mapped[str] = mapped_column(String(2))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())


class MessageRow(Model):
    """A message: visible where `seq` is positive, audit where it is negative."""

    __tablename__ = "agent_chat_messages"
    __table_args__ = (
        ForeignKeyConstraint(
            ["session_id", "business_id", "user_id"],
            ["agent_chat_sessions.id", "agent_chat_sessions.business_id", "agent_chat_sessions.user_id"],
            ondelete="CASCADE",
        ),
        Index("uq_messages_session_seq", "session_id", "seq", unique=True),
        Index("idx_messages_session_seq_display", "session_id", "seq", postgresql_where=text("seq > 0")),
        Index("idx_messages_session_seq_audit", "session_id", "seq", postgresql_where=text("seq < 0")),
        Index(
            "uq_messages_session_text",
            "session_id",
            "text_number",
            unique=True,
            postgresql_where=text("text_number IS NOT NULL"),
        ),
        Index("idx_messages_session_user_text", "session_id", "text_number", postgresql_where=text("role = 'user'")),
        Index("uq_messages_call_id", "call_id", unique=True, postgresql_where=text("call_id IS NOT NULL")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    session_id: Mapped[UUID]
    business_id: Mapped[UUID]
    user_id: Mapped[UUID]
    turn_id: Mapped[UUID | None]
    seq: Mapped[int] = mapped_column(BigInteger)
    text_number: Mapped[int | None] = mapped_column(BigInteger)  # of user and assistant texts, from 1 on
    role: Mapped[str] = mapped_column(String(16))
    content: Mapped[str | None] = mapped_column(Text)
    details: Mapped[dict[str, Any]] = mapped_column("metadata")  # SQLAlchemy keeps the name `metadata` for itself
    call_id: Mapped[UUID | None] = mapped_column(ForeignKey("ai_calls.id"))
    input_tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    cached_input_tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    output_tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    cost: Mapped[Decimal | None] = mapped_column(Numeric(12, 6))
    currency: Mapped[str] = mapped_column(String(3))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
