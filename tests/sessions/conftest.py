"""A conversation to write in, and short ways to write."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from tests.people import People
from weft.calls.schemas import CallEnd, CallStart, CostSource, Outcome, UsageSource
from weft.calls.service import CallService
from weft.kit.actor import Actor
from weft.kit.db import Database, Transaction
from weft.kit.ids import new_id
from weft.sessions.metadata import AssistantOutput, StageAudit, ToolCallMade, ToolResultGiven, UserInput
from weft.sessions.schemas import MessageView, NewMessage, SessionView
from weft.sessions.service import SessionService

START = datetime(2026, 11, 18, 8, 0, tzinfo=UTC)


def said(text: str | None) -> NewMessage:
    return NewMessage(content=text, metadata=UserInput())


def answered(text: str | None, call_id: UUID | None = None) -> NewMessage:
    return NewMessage(content=text, metadata=AssistantOutput(), call_id=call_id)


def called(tool_call_id: str) -> NewMessage:
    return NewMessage(content=None, metadata=ToolCallMade(tool_call_id=tool_call_id, name="read_file"))


def resulted(tool_call_id: str) -> NewMessage:
    return NewMessage(content="ok", metadata=ToolResultGiven(tool_call_id=tool_call_id, name="read_file"))


def audited(call_id: UUID | None = None) -> NewMessage:
    return NewMessage(content="raw", metadata=StageAudit(stage="intent"), call_id=call_id)


@dataclass
class Conversation:
    """One user's conversation."""

    database: Database
    actor: Actor
    id: UUID

    @asynccontextmanager
    async def service(self, actor: Actor | None = None) -> AsyncIterator[SessionService]:
        async with self.database.transaction(actor or self.actor) as tx:
            yield SessionService(tx)

    async def append(self, *messages: NewMessage, turn_id: UUID | None = None) -> list[MessageView]:
        async with self.service() as service:
            return await service.append(self.id, messages, turn_id)

    async def view(self) -> SessionView:
        async with self.service() as service:
            return await service.get(self.id)

    async def call(self, turn_id: UUID | None = None, currency: str = "CNY", **end: Any) -> UUID:
        async with self.database.transaction(self.actor) as tx:
            return await ended_call(tx, session_id=self.id, turn_id=turn_id, currency=currency, **end)


async def ended_call(
    tx: Transaction,
    *,
    session_id: UUID | None = None,
    turn_id: UUID | None = None,
    currency: str = "CNY",
    key: str = "deepseek/main",
    model: str = "deepseek-chat",
    started_at: datetime = START,
    **end: Any,
) -> UUID:
    """A call that has been made and booked."""
    call_id = new_id()
    await CallService(tx).start(
        CallStart(
            id=call_id,
            session_id=session_id,
            turn_id=turn_id,
            purpose="intent",
            vendor="deepseek",
            endpoint="main",
            key=key,
            model=model,
            currency=currency,
            started_at=started_at,
        )
    )
    facts: dict[str, Any] = {
        "input_tokens": 100,
        "cached_input_tokens": 64,
        "output_tokens": 10,
        "usage_source": UsageSource.REPORTED,
        "cost": Decimal("0.000114800000"),
        "cost_source": CostSource.CUSTOM_PRICING,
        "outcome": Outcome.SUCCEEDED,
        "ended_at": started_at,
    }
    await CallService(tx).end(call_id, CallEnd(**(facts | end)))
    return call_id


@pytest.fixture
async def conversation(database: Database, people: People) -> Conversation:
    actor = await people.user()
    async with database.transaction(actor) as tx:
        session = await SessionService(tx).create()
    return Conversation(database, actor, session.id)
