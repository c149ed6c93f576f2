"""The tables of runs; their rules stand in the migration."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, ForeignKeyConstraint, Index, Integer, String, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column

from weft.kit.db.model import Model

_OF_SESSION = ("session_id", "business_id", "user_id")
_SESSIONS = [f"agent_chat_sessions.{column}" for column in ("id", "business_id", "user_id")]
_RUN = ("run_id", *_OF_SESSION)
_RUNS = [f"agent_runs.{column}" for column in ("id", *_OF_SESSION)]


class RunRow(Model):
    """A turn on its way, or one that has arrived."""

    __tablename__ = "agent_runs"
    __table_args__ = (
        ForeignKeyConstraint(_OF_SESSION, _SESSIONS, ondelete="CASCADE"),
        Index("uq_agent_runs_turn", "session_id", "turn", unique=True, postgresql_where=text("parent_run_id IS NULL")),
        Index(
            "uq_agent_runs_active",
            "session_id",
            unique=True,
            postgresql_where=text("status IN ('running', 'waiting') AND parent_run_id IS NULL"),
        ),
        Index(
            "idx_agent_runs_session_open",
            "session_id",
            "turn",
            postgresql_where=text("status IN ('queued', 'running', 'waiting') AND parent_run_id IS NULL"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    session_id: Mapped[UUID]
    business_id: Mapped[UUID]
    user_id: Mapped[UUID]
    parent_run_id: Mapped[UUID | None] = mapped_column(ForeignKey("agent_runs.id", ondelete="CASCADE"))
    turn: Mapped[int] = mapped_column(BigInteger)
    status: Mapped[str] = mapped_column(String(16))
    request: Mapped[dict[str, Any]]
    via: Mapped[str] = mapped_column(String(64))
    said: Mapped[bool]  # whether what the user said stands in the conversation
    fence: Mapped[int] = mapped_column(BigInteger, server_default="0")
    owner: Mapped[str | None] = mapped_column(String(64))
    lease_until: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(Integer, server_default="0")
    cancel_requested_at: Mapped[datetime | None]
    deadline_at: Mapped[datetime]
    error_id: Mapped[UUID | None]
    error_code: Mapped[str | None] = mapped_column(String(64))
    error_detail: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]


class RunRequestRow(Model):
    """A client's own name for a run, or for what follows a pause of it: the same name again never starts another."""

    __tablename__ = "agent_run_requests"
    __table_args__ = (
        ForeignKeyConstraint(_RUN, _RUNS, ondelete="CASCADE"),
        Index("idx_agent_run_requests_run", "run_id", "from_seq"),
    )

    session_id: Mapped[UUID] = mapped_column(primary_key=True)
    client_run_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    run_id: Mapped[UUID]
    business_id: Mapped[UUID]
    user_id: Mapped[UUID]
    from_seq: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ActionRow(Model):
    """One action, for good."""

    __tablename__ = "agent_actions"
    __table_args__ = (
        ForeignKeyConstraint(_RUN, _RUNS, ondelete="CASCADE"),
        Index("idx_agent_actions_run", "run_id", "id"),
    )

    session_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    run_id: Mapped[UUID]
    business_id: Mapped[UUID]
    user_id: Mapped[UUID]
    node: Mapped[str] = mapped_column(String(128))
    body: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class SnapshotRow(Model):
    """What the turn after this one starts from."""

    __tablename__ = "agent_turn_snapshots"
    __table_args__ = (ForeignKeyConstraint(_RUN, _RUNS, ondelete="CASCADE"),)

    session_id: Mapped[UUID] = mapped_column(primary_key=True)
    turn: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    run_id: Mapped[UUID]
    business_id: Mapped[UUID]
    user_id: Mapped[UUID]
    state: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class SessionPromptRow(Model):
    """What a conversation's prefix shows: kept so that after a restart it is the same."""

    __tablename__ = "agent_session_prompts"
    __table_args__ = (ForeignKeyConstraint(_OF_SESSION, _SESSIONS, ondelete="CASCADE"),)

    session_id: Mapped[UUID] = mapped_column(primary_key=True)
    business_id: Mapped[UUID]
    user_id: Mapped[UUID]
    standing: Mapped[dict[str, Any]]


class EventRow(Model):
    """What a run told, in the order it was told."""

    __tablename__ = "agent_run_events"
    __table_args__ = (ForeignKeyConstraint(_RUN, _RUNS, ondelete="CASCADE"),)

    run_id: Mapped[UUID] = mapped_column(primary_key=True)
    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    session_id: Mapped[UUID]
    business_id: Mapped[UUID]
    user_id: Mapped[UUID]
    type: Mapped[str] = mapped_column(String(32))
    data: Mapped[dict[str, Any]]
    at: Mapped[datetime]


class ApprovalRow(Model):
    """A tool call that waits for somebody's word, or had it."""

    __tablename__ = "agent_approvals"
    __table_args__ = (
        ForeignKeyConstraint(_RUN, _RUNS, ondelete="CASCADE"),
        Index("idx_agent_approvals_user", "user_id", text("created_at DESC"), text("id DESC")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    run_id: Mapped[UUID]
    call_id: Mapped[str] = mapped_column(String(255))
    session_id: Mapped[UUID]
    business_id: Mapped[UUID]
    user_id: Mapped[UUID]
    name: Mapped[str] = mapped_column(String(255))
    arguments: Mapped[dict[str, Any]]
    schema: Mapped[dict[str, Any]]
    message: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(String(16), server_default="pending")
    edited: Mapped[dict[str, Any] | None]
    reason: Mapped[str | None] = mapped_column(Text)
    decided_by: Mapped[str | None] = mapped_column(String(64))
    decided_at: Mapped[datetime | None]
    expires_at: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
