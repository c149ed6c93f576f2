"""What calls were sent is kept for as long as the operator wants, and no longer."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from tests.calls.conftest import Recorder, compiled, recorder_of
from tests.context.blocks import conversation, says, usual
from weft.calls import context_sweep
from weft.calls.context_memory import ContextMemory
from weft.calls.context_sweep import Swept, sweep_contexts, sweeping
from weft.calls.contexts import ContextService
from weft.kit import clock
from weft.kit.db import Database
from weft.kit.errors import WorldError
from weft.sessions.service import SessionService

DAY = timedelta(days=1)


async def _count(recorder: Recorder, table: str) -> int:
    async with recorder.database.transaction(recorder.actor) as tx:
        return int(await tx.connection.scalar(text(f"SELECT count(*) FROM {table}")) or 0)


async def _made_at(recorder: Recorder, moment: datetime, monkeypatch: pytest.MonkeyPatch, made: object) -> None:
    """A call as if it had been recorded at this moment."""
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now", lambda: moment)
        call_id = await recorder.call(made)  # type: ignore[arg-type]
    async with recorder.database.system() as tx:
        await tx.connection.execute(
            text("UPDATE ai_call_contexts SET created_at = :at WHERE call_id = :id"), {"at": moment, "id": call_id}
        )


@pytest.fixture
async def recorder(new_database: object, request: pytest.FixtureRequest) -> object:
    """In a database of its own: a sweep is for everybody's."""
    from tests.people import People

    database = Database(await new_database("sweep"))  # type: ignore[operator]
    yield await recorder_of(database, await People(database).user())
    await database.close()


async def test_old_contexts_go_and_what_others_still_show_stays(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SKILL-11: retention, in batches; a text goes with the last call that was sent it."""
    now = datetime.now(UTC)
    old, young = compiled([*usual(), says("guidelines")], conversation(1)), compiled(rows=conversation(3))
    for days in (50, 45, 40):
        await _made_at(recorder, now - days * DAY, monkeypatch, old)
    await _made_at(recorder, now - 10 * DAY, monkeypatch, young)
    before = await _count(recorder, "ai_call_texts")
    swept = await sweep_contexts(recorder.database, 30 * DAY, batch=2)
    assert swept.contexts == 3
    assert swept.texts == before - len({segment.text for segment in young.sent.segments}) > 0
    recorder.memory = ContextMemory()
    assert await recorder.last() == young.sent
    assert await sweep_contexts(recorder.database, 30 * DAY) == Swept(0, 0)


async def test_nothing_that_a_running_turn_needs_goes(recorder: Recorder) -> None:
    """SKILL-11: with a retention of none the last hour stays."""
    made = compiled()
    await recorder.call(made)
    assert await sweep_contexts(recorder.database, timedelta(0)) == Swept(0, 0)
    later = datetime.now(UTC) + timedelta(hours=5)
    swept = await sweep_contexts(recorder.database, timedelta(0), now=lambda: later)
    assert swept == Swept(1, len({segment.text for segment in made.sent.segments}))


async def test_a_text_that_is_sent_again_stays(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    """SKILL-11: whether or not the process that sends it remembers to have stored it."""
    now = datetime.now(UTC)
    made = compiled()
    await _made_at(recorder, now - 40 * DAY, monkeypatch, made)
    await recorder.call(made)
    assert await sweep_contexts(recorder.database, 30 * DAY) == Swept(1, 0)
    recorder.memory = ContextMemory()
    assert await recorder.last() == made.sent


async def test_a_deleted_conversation_takes_what_it_was_sent_with_it(recorder: Recorder) -> None:
    """SKILL-11: nothing of it can be shown any more, and its texts go with the next sweep; other conversations keep
    theirs."""
    other = await recorder_of(recorder.database, recorder.actor)
    mine, theirs = compiled(rows=conversation(3)), compiled(rows=conversation(2))
    await recorder.call(mine)
    await other.call(theirs)
    async with recorder.database.transaction(recorder.actor) as tx:
        await ContextService(tx).forget(recorder.session_id)
        await SessionService(tx).delete(recorder.session_id)
    assert await _count(recorder, "ai_call_contexts") == 1
    assert await _count(recorder, "ai_calls") == 2, "its bill stays"
    assert await sweep_contexts(recorder.database, 30 * DAY) == Swept(0, 0), "not within the margin"
    later = datetime.now(UTC) + timedelta(hours=4)
    gone = {segment.text for segment in mine.sent.segments} - {segment.text for segment in theirs.sent.segments}
    assert await sweep_contexts(recorder.database, 30 * DAY, now=lambda: later) == Swept(0, len(gone))
    other.memory = ContextMemory()
    assert await other.last() == theirs.sent


async def test_the_server_sweeps_by_itself_and_gets_over_a_database_that_is_away(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SKILL-11: again and again, until it stops."""
    looked: list[int] = []
    often = asyncio.Event()

    async def sweep(*_: object) -> None:
        looked.append(1)
        if len(looked) == 1:
            raise WorldError("away")
        if len(looked) == 3:
            often.set()

    monkeypatch.setattr(context_sweep, "sweep_contexts", sweep)
    async with sweeping(recorder.database, DAY, first=0, every=0):
        await asyncio.wait_for(often.wait(), 10)
    ended = len(looked)
    await asyncio.sleep(0.05)
    assert len(looked) == ended
