"""STATE-6: a turn asks, reads and writes as much in a conversation of 5,000 turns as it did in its first ones."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest
from bench._growing import analyze, grow
from sqlalchemy import event, text

from tests.turns import House, Told, a_house, calls
from weft.kit.actor import Actor
from weft.kit.db import Database, Transaction
from weft.llm.scripted import Answer

EARLY, LATE = 24, 5_000  # by then the window over the history is as long as it gets
_READ = text("SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::bigint FROM pg_stat_xact_user_tables")
_WRITTEN = "SELECT sum(pg_column_size(body))::float8, count(*) FROM agent_actions WHERE run_id = $1"


@dataclass
class Counted:
    """What was asked of the database on behalf of a user."""

    statements: list[str] = field(default_factory=list)
    rows: int = 0
    transactions: int = 0
    at_first_call: tuple[int, ...] = ()  # the same three, when a model was called first
    run_id: UUID = field(default_factory=uuid4)
    turn: int = 0
    bytes_an_action: float = 0.0

    @property
    def so_far(self) -> tuple[int, ...]:
        return len(self.statements), self.rows, self.transactions


@contextmanager
def counting(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    """Count statements, and rows that the server itself says it has read for them."""
    counted, database = Counted(), house.database
    original: Callable[..., Any] = type(database).transaction

    @asynccontextmanager
    async def transaction(self: Database, *about: Any) -> AsyncIterator[Transaction]:
        async with original(self, *about) as tx:
            before = await tx.connection.scalar(_READ)
            yield tx
            counted.rows += await tx.connection.scalar(_READ) - before
        counted.transactions += 1

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "pg_stat_xact" not in statement:
            counted.statements.append(" ".join(statement.split())[:300])

    engine = database.engine.sync_engine
    with monkeypatch.context() as patched:
        patched.setattr(type(database), "transaction", transaction)
        event.listen(engine, "before_cursor_execute", note)
        yield counted
        event.remove(engine, "before_cursor_execute", note)


async def _turn(house: House, actor: Actor, session_id: UUID | None, counted: Counted | None = None) -> Told:
    asked = 0

    def answer(_exchange: Any) -> Answer:
        nonlocal asked
        asked += 1
        if counted is not None and not counted.at_first_call:
            counted.at_first_call = counted.so_far
        return Answer(tool_calls=(calls("list_dir", "call_1", path="."),)) if asked == 1 else Answer("Nothing there.")

    house.vendor.decide_with(answer)
    told = await house.turn(actor, "look again", session_id=session_id, client_run_id=f"run-{uuid4()}")
    assert told.run.status == "completed", told.run
    return told


async def _measured(house: House, actor: Actor, session_id: UUID, monkeypatch: pytest.MonkeyPatch) -> Counted:
    await _turn(house, actor, session_id)  # what a process remembers of a conversation, it remembers by now
    with counting(house, monkeypatch) as counted:
        told = await _turn(house, actor, session_id, counted)
    connection = await asyncpg.connect(house.database.url)
    written, actions = await connection.fetchrow(_WRITTEN, told.run.id)
    await connection.close()
    counted.run_id, counted.turn, counted.bytes_an_action = told.run.id, told.run.turn, written / actions
    return counted


async def _opened(url: str, home: Path, work: Callable[[House], Awaitable[Counted]]) -> Counted:
    """The work of a process of its own: what the planner made of small tables is not kept for large ones."""
    database = Database(url)
    try:
        async with a_house(database, home) as house:
            return await work(house)
    finally:
        await database.close()


@pytest.mark.timeout(600)
async def test_turn_5000_costs_what_turn_24_did(
    new_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STATE-6: as many queries, rows and bytes, to start a turn and to carry it out; a table knows no more by then."""
    url = await new_database("long")
    who: dict[str, Any] = {}

    async def begin(house: House) -> Counted:
        ann = await house.someone()
        told = await _turn(house, ann, None)
        for _ in range(EARLY - 3):
            await _turn(house, ann, told.session_id)
        who.update(actor=ann, session_id=told.session_id)
        return await _measured(house, ann, told.session_id, monkeypatch)

    async def go_on(house: House) -> Counted:
        return await _measured(house, who["actor"], who["session_id"], monkeypatch)

    early = await _opened(url, tmp_path, begin)
    assert early.turn == EARLY
    await grow(url, early.run_id, LATE - EARLY)
    late = await _opened(url, tmp_path, go_on)  # and the planner knows nothing of it
    await analyze(url)
    known = await _opened(url, tmp_path, go_on)
    assert late.turn > LATE
    for each in (late, known):
        assert each.statements == early.statements
        assert each.bytes_an_action == pytest.approx(early.bytes_an_action, rel=0.05)
        assert _no_more(each.at_first_call, early.at_first_call)
    assert _no_more(known.so_far, early.so_far)


def _no_more(late: tuple[int, ...], early: tuple[int, ...]) -> bool:
    """Statements, rows, transactions: a small table may be read whole, a large one never is."""
    return all(later <= before for later, before in zip(late, early, strict=True))
