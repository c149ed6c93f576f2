"""What row-level security refuses of other people's prompts, whatever a query asks for."""

from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.calls.conftest import Recorder, compiled, recorder_of
from tests.context.blocks import memory, usual
from tests.people import People
from tests.sessions.conftest import ended_call
from weft.calls.shared_prefixes import SharedPrefixes
from weft.kit.actor import Actor, Reach
from weft.kit.db import Database

SECRET = "- a fact that ann alone knows"


@pytest.fixture
async def ann(database: Database, people: People) -> Recorder:
    return await recorder_of(database, await people.user())


@pytest.fixture
async def eve(database: Database, people: People, ann: Recorder) -> Recorder:
    """Another user of the same business."""
    return await recorder_of(database, await people.user(ann.actor.business_id, "eve"))


async def _all(database: Database, actor: Actor, sql: str, reach: Reach = Reach.USER, **values: Any) -> list[Any]:
    async with database.transaction(actor, reach) as tx:
        return list((await tx.connection.execute(text(sql), values)).all())


async def test_nobody_reads_what_others_were_sent(ann: Recorder, eve: Recorder, people: People) -> None:
    """SEC-1: one's own, and an operator's reach; in both tables."""
    await ann.call(compiled(usual(memory(SECRET))))
    database, user = ann.database, ann.actor.user_id
    for table in ("ai_call_contexts", "ai_call_texts"):
        sql = f"SELECT user_id FROM {table} WHERE user_id = :user"
        assert await _all(database, ann.actor, sql, user=user), table
        assert not await _all(database, eve.actor, sql, user=user), table
        assert await _all(database, people.operator(of=ann.actor), sql, Reach.BUSINESS, user=user), table
        assert not await _all(database, people.operator(of=await people.user()), sql, Reach.BUSINESS, user=user), table
        assert await _all(database, people.operator(), sql, Reach.INSTALLATION, user=user), table


async def test_whether_somebody_has_a_text_cannot_be_told(ann: Recorder, eve: Recorder) -> None:
    """SEC-1: storing the very same text collides with nothing, is stored anew, and tells nothing."""
    made = compiled(usual(memory(SECRET)))
    await ann.call(made)
    await eve.call(made)
    own = await _all(eve.database, eve.actor, "SELECT text FROM ai_call_texts")
    assert {row.text for row in own} == {segment.text for segment in made.sent.segments}
    insert = (
        "INSERT INTO ai_call_texts (user_id, business_id, hash, text, used_at)"
        " SELECT user_id, business_id, CAST(:hash AS uuid), 'x', now() FROM ai_call_texts LIMIT 1"
        " ON CONFLICT DO NOTHING RETURNING 1"
    )
    fresh = {"hash": "0" * 32}
    assert await _all(ann.database, ann.actor, insert, **fresh)
    assert await _all(eve.database, eve.actor, insert, **fresh), "as if nobody had it"


async def test_what_anybody_was_sent_tells_of_shared_texts_only(
    database: Database, ann: Recorder, eve: Recorder
) -> None:
    """SEC-1, SKILL-11: the figure stops at the first text of a user's own, however equal the rest is."""
    ann.prefixes = eve.prefixes = SharedPrefixes()
    made = compiled(usual(memory(SECRET)), cache_unit=1)
    await ann.call(made)
    again = await eve.call(made)
    own = await eve.call(made)
    shared = 0
    for segment in made.sent.segments:
        if segment.name == "user_context/profile":
            break
        shared += segment.tokens
    sql = "SELECT anyone_tokens FROM ai_call_contexts WHERE call_id = :call"
    assert (await _all(database, eve.actor, sql, call=again))[0].anyone_tokens == shared > 0
    assert (await _all(database, eve.actor, sql, call=own))[0].anyone_tokens == made.sent.total


async def test_nobody_writes_in_somebody_elses_name(ann: Recorder, eve: Recorder) -> None:
    """SEC-1: neither a text nor a context, nor over one; and what is written cannot be rewritten."""
    await ann.call(compiled())
    user, business = ann.actor.user_id, ann.actor.business_id
    text_of_ann = (
        "INSERT INTO ai_call_texts (user_id, business_id, hash, text, used_at) VALUES (:user, :business,"
        " gen_random_uuid(), 'x', now())"
    )
    context_of_ann = (
        "INSERT INTO ai_call_contexts (call_id, business_id, user_id, hashes, segments, manifest, expected_tokens,"
        " anyone_tokens) VALUES (:call, :business, :user, '{}', '[]', '{}', 0, 0)"
    )
    async with eve.database.transaction(eve.actor) as tx:
        own_call = await ended_call(tx, session_id=eve.session_id)
    about = {"user": user, "business": business}
    for sql, values in ((text_of_ann, about), (context_of_ann, about | {"call": own_call})):
        with pytest.raises(DBAPIError, match="row-level security"):
            await _all(eve.database, eve.actor, sql, **values)
    for sql in (
        "UPDATE ai_call_texts SET text = 'x'",
        "UPDATE ai_call_contexts SET manifest = '{}'",
        "DELETE FROM ai_call_texts",
        "DELETE FROM ai_call_contexts",
    ):
        with pytest.raises(DBAPIError, match="permission denied"):
            await _all(ann.database, ann.actor, sql)
    touch = "UPDATE ai_call_texts SET used_at = now() RETURNING 1"
    assert await _all(eve.database, eve.actor, touch) == []
    assert (await _all(ann.database, ann.actor, "SELECT count(*) AS n FROM ai_call_contexts"))[0].n == 1


async def test_the_system_sweeps_what_it_cannot_read(ann: Recorder) -> None:
    """SEC-2: neither texts nor manifests."""
    await ann.call(compiled())
    for sql in (
        "SELECT text FROM ai_call_texts",
        "SELECT manifest FROM ai_call_contexts",
        "SELECT segments FROM ai_call_contexts",
        "INSERT INTO ai_call_texts (text) VALUES ('x')",
        "UPDATE ai_call_texts SET text = 'x'",
    ):
        with pytest.raises(DBAPIError, match="permission denied"):
            async with ann.database.system() as tx:
                await tx.connection.execute(text(sql))
