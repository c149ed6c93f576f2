"""What a call was sent is stored with it, each text once, and can be read again byte for byte."""

import asyncio
from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy import text

from tests.calls.conftest import Recorder, compiled, recorder_of
from tests.context.blocks import conversation, pair, says, usual
from tests.people import People
from tests.sessions.conftest import ended_call
from weft.calls.context_memory import ContextMemory
from weft.context.conversation import Stored
from weft.context.prefix import Segment, Sent
from weft.kit.db import Database
from weft.kit.ids import new_id


async def _texts(recorder: Recorder) -> list[str]:
    async with recorder.database.transaction(recorder.actor) as tx:
        return list((await tx.connection.scalars(text("SELECT text FROM ai_call_texts ORDER BY text"))).all())


async def test_a_call_is_read_again_as_it_was_sent(recorder: Recorder) -> None:
    """SKILL-11: by the process that stored it, and by one that remembers nothing."""
    made = compiled(rows=[*conversation(3), *pair("x", "“引号” \\ \n\t\x00 end")])
    await recorder.call(made)
    assert await recorder.last() == made.sent
    recorder.memory = ContextMemory()
    assert await recorder.last() == made.sent


async def test_each_text_is_stored_once(recorder: Recorder) -> None:
    """SKILL-11: however many calls were sent it, whether the process remembers or not."""
    first = compiled(rows=conversation(2))
    second = compiled(rows=conversation(3), after=first)
    await recorder.call(first)
    await recorder.call(second)
    recorder.memory = ContextMemory()
    await recorder.call(second)
    stored = await _texts(recorder)
    assert len(stored) == len(set(stored))
    assert set(stored) == {segment.text for made in (first, second) for segment in made.sent.segments}


async def test_what_is_rolled_back_is_not_taken_for_stored(recorder: Recorder) -> None:
    """SKILL-11: a step that could not be written leaves no gap in the next one."""
    made = compiled()
    with pytest.raises(RuntimeError):
        async with recorder.database.transaction(recorder.actor) as tx:
            await recorder.service(tx).record([await ended_call(tx, session_id=recorder.session_id)], made)
            raise RuntimeError
    assert await recorder.last() is None
    await recorder.call(made)
    recorder.memory = ContextMemory()
    assert await recorder.last() == made.sent


async def test_a_call_recorded_again_stays_as_it_was(recorder: Recorder) -> None:
    """SKILL-11: a turn that resumes may write a step twice; several calls may have been sent the same."""
    made, other = compiled(), compiled([*usual(), says("guidelines")])
    async with recorder.database.transaction(recorder.actor) as tx:
        tries = [await ended_call(tx, session_id=recorder.session_id) for _ in range(2)]
        await recorder.service(tx).record(tries, made)
    async with recorder.database.transaction(recorder.actor) as tx:
        await recorder.service(tx).record(tries, other)
    recorder.memory = ContextMemory()
    assert await recorder.last() == made.sent


async def test_calls_that_were_never_sent_store_nothing(recorder: Recorder, people: People) -> None:
    """SKILL-11: an id that the ledger does not know, or that is somebody else's, is passed over."""
    stranger = await recorder_of(recorder.database, await people.user())
    theirs: UUID = await stranger.call(compiled())
    async with recorder.database.transaction(recorder.actor) as tx:
        await recorder.service(tx).record([], compiled())
        await recorder.service(tx).record([new_id(), theirs], compiled())
    assert await recorder.last() is None
    assert await _texts(recorder) == []


async def test_last_is_the_newest_of_the_conversation(recorder: Recorder, database: Database) -> None:
    """SKILL-11: and another conversation of the same user has its own."""
    other = await recorder_of(database, recorder.actor)
    first, second = compiled(rows=conversation(1)), compiled(rows=conversation(2))
    await recorder.call(first)
    await other.call(first)
    await recorder.call(second)
    assert await recorder.last() == second.sent
    assert await other.last() == first.sent


async def test_pictures_are_a_part_of_what_was_sent(recorder: Recorder) -> None:
    """SKILL-11: the very bytes that the model saw."""
    picture = "data:image/png;base64," + "iVBORw0KGgo" * 2_000
    asked = Stored("now", "user_input", "what is this?", images=(picture,))
    made = compiled(rows=[*conversation(1), asked], vision=True)
    call_id = await recorder.call(made)
    recorder.memory = ContextMemory()
    async with recorder.database.transaction(recorder.actor) as tx:
        view = await recorder.service(tx).view(call_id)
    assert view.messages == made.messages
    assert picture in str(view.messages)
    assert next(block.text for block in view.blocks if block.id == "message/now")


async def test_many_conversations_of_one_user_record_at_once(recorder: Recorder, database: Database) -> None:
    """SKILL-11: the same new texts in any order, several calls in one step; nobody waits for ever, nothing is lost."""
    others = [await recorder_of(database, recorder.actor) for _ in range(8)]
    made = [replace(compiled(), sent=Sent((Segment("x", letter, 1, True),))) for letter in "abcd"]

    async def step(number: int) -> None:
        own = others[number]
        async with database.transaction(own.actor) as tx:
            for each in made if number % 2 else made[::-1]:
                call_id = await ended_call(tx, session_id=own.session_id)
                await own.service(tx).record([call_id], each)
                await asyncio.sleep(0.02)  # whoever else is at work gets to its next text, too

    await asyncio.wait_for(asyncio.gather(*map(step, range(8))), 30)
    for own in others:
        own.memory = ContextMemory()
        assert await own.last() in [each.sent for each in made]
    assert await _texts(recorder) == ["a", "b", "c", "d"]
