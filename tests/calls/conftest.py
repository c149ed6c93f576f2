"""Prompts as a turn compiles them, recorded the way a turn records them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest

from tests.context.blocks import TOOLS, card, conversation, usual
from tests.people import People
from tests.sessions.conftest import ended_call
from weft.calls.context_memory import ContextMemory
from weft.calls.contexts import ContextService
from weft.calls.shared_prefixes import SharedPrefixes
from weft.context.blocks import Block
from weft.context.compiling import Compiled, compile_context
from weft.context.conversation import Stored
from weft.context.prefix import Sent
from weft.context.recipes import PHASE_2
from weft.context.window import History
from weft.kit.actor import Actor
from weft.kit.db import Database, Transaction
from weft.llm.tokens import TokenCounter
from weft.sessions.service import SessionService

COUNTER = TokenCounter()


def compiled(
    blocks: Sequence[Block] | None = None,
    rows: Sequence[Stored] | None = None,
    after: Compiled | None = None,
    **abilities: Any,
) -> Compiled:
    """A prompt, after the conversation's last one; without anything said, the usual one of a first turn."""
    shown = usual() if blocks is None else blocks
    history = History(conversation(0) if rows is None else rows)
    last = {} if after is None else {"last": after.sent, "standing": after.standing}
    return compile_context(PHASE_2, shown, history, TOOLS, card(**abilities), COUNTER, **last)


@dataclass
class Recorder:
    """One user's conversation, its calls recorded by a process that has just started."""

    database: Database
    actor: Actor
    session_id: UUID
    memory: ContextMemory = field(default_factory=ContextMemory)
    prefixes: SharedPrefixes = field(default_factory=SharedPrefixes)

    def service(self, tx: Transaction) -> ContextService:
        return ContextService(tx, self.memory, self.prefixes)

    async def call(self, made: Compiled, **booked: Any) -> UUID:
        """A call that was made and booked, and recorded."""
        async with self.database.transaction(self.actor) as tx:
            call_id = await ended_call(tx, session_id=self.session_id, **booked)
            await self.service(tx).record([call_id], made)
        return call_id

    async def last(self) -> Sent | None:
        async with self.database.transaction(self.actor) as tx:
            return await self.service(tx).last_sent(self.session_id)


async def recorder_of(database: Database, actor: Actor) -> Recorder:
    async with database.transaction(actor) as tx:
        session = await SessionService(tx).create()
    return Recorder(database, actor, session.id)


@pytest.fixture
async def recorder(database: Database, people: People) -> Recorder:
    return await recorder_of(database, await people.user())
