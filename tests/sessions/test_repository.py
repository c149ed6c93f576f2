"""What reading costs: the same in a long session as in a short one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg
import pytest
from sqlalchemy import event, text

from tests.sessions.conftest import Conversation, answered, said
from weft.kit.db import Database

GROW = text(
    "INSERT INTO agent_chat_messages (id, session_id, business_id, user_id, seq, text_number, role, content, metadata,"
    " currency) SELECT gen_random_uuid(), m.session_id, m.business_id, m.user_id, m.seq + 2 * n, m.seq + 2 * n, m.role,"
    " m.content, m.metadata, m.currency FROM agent_chat_messages m, generate_series(1, :more) n"
    " WHERE m.session_id = :session"
)


@contextmanager
def _statements(database: Database) -> Iterator[list[tuple[str, Any]]]:
    seen: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "agent_chat_messages" in statement:
            seen.append((statement, parameters))

    event.listen(database.engine.sync_engine, "before_cursor_execute", note)
    yield seen
    event.remove(database.engine.sync_engine, "before_cursor_execute", note)


def _rows_touched(plan: dict[str, Any]) -> int:
    own = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0) + plan.get("Rows Removed by Index Recheck", 0)
    # A scan has plans of its own within it, too: what row-level security asks once for all of its rows.
    reads = "Relation Name" in plan
    return int(own * plan["Actual Loops"] if reads else 0) + sum(map(_rows_touched, plan.get("Plans", [])))


@pytest.mark.parametrize("analyzed", [False, True], ids=["fresh statistics missing", "fresh statistics"])
async def test_reading_the_newest_costs_the_same_in_a_long_session(conversation: Conversation, analyzed: bool) -> None:
    """Issue 1, STATE-6: newest messages and history touch as many rows in 20,000 messages as in 20."""
    await conversation.append(said("q"), answered("r"))
    short = await _touched(conversation, analyzed)
    async with conversation.database.transaction(conversation.actor) as tx:
        await tx.connection.execute(GROW, {"session": conversation.id, "more": 10_000})
    long = await _touched(conversation, analyzed)
    assert max(long) <= max(short) + 50, (short, long)


async def _touched(conversation: Conversation, analyzed: bool) -> list[int]:
    """The rows that each statement of a page and of a history read touches."""
    if analyzed:
        owner = await asyncpg.connect(conversation.database.url)
        await owner.execute("ANALYZE agent_chat_messages")
        await owner.close()
    with _statements(conversation.database) as statements:
        async with conversation.service() as service:
            await service.messages(conversation.id, limit=10)
            await service.window(conversation.id, 10)
    touched = []
    async with conversation.database.transaction(conversation.actor) as tx:
        connection = tx.connection
        for statement, parameters in statements:
            explain = "EXPLAIN (ANALYZE, FORMAT JSON) " + statement
            (plan,) = (await connection.exec_driver_sql(explain, tuple(parameters))).scalars()
            touched.append(_rows_touched(plan[0]["Plan"]))
    assert len(touched) >= 2
    return touched
