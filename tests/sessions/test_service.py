"""Writing and reading a conversation."""

from datetime import timedelta

import pytest
from pydantic import ValidationError
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.people import People
from tests.sessions.conftest import Conversation, answered, audited, called, resulted, said
from weft.kit.db import Database
from weft.kit.errors import NotFoundError
from weft.profiles.service import ProfileService
from weft.sessions.errors import (
    IllegalTransitionError,
    MessageInvalidError,
    PositionInvalidError,
    SessionUnknownError,
)
from weft.sessions.metadata import ToolCallMade, UserInput
from weft.sessions.schemas import NewMessage
from weft.sessions.service import SessionService


async def test_a_session_is_billed_where_its_user_lived_when_it_began(database: Database, people: People) -> None:
    """LED-6: billing is frozen when the session is created; a later change of the country changes nothing."""
    ann = await people.user()
    async with database.transaction(ann) as tx:
        await ProfileService(tx).change(ann.owner_id, {"settings": {"preferences": {"country": "SG"}}})
        session = await SessionService(tx).create()
        await ProfileService(tx).change(ann.owner_id, {"settings": {"preferences": {"country": "US"}}})
    async with database.transaction(ann) as tx:
        found = await SessionService(tx).get(session.id)
    assert (found.billing_currency, found.billing_country_snapshot) == ("CNY", "SG")


@pytest.mark.parametrize("change", ["billing_currency = 'USD'", "billing_country_snapshot = 'US'"])
async def test_no_sql_thaws_the_billing(conversation: Conversation, change: str) -> None:
    """LED-6: the database refuses to change what a session is billed in."""
    with pytest.raises(DBAPIError, match="frozen"):
        async with conversation.database.transaction(conversation.actor) as tx:
            await tx.connection.execute(
                text(f"UPDATE agent_chat_sessions SET {change} WHERE id = :id"), {"id": conversation.id}
            )


async def test_another_currency_cannot_be_begun(database: Database, people: People) -> None:
    """LED-6: chk_billing_currency."""
    ann = await people.user()
    with pytest.raises(DBAPIError, match="chk_billing_currency"):
        async with database.transaction(ann) as tx:
            await tx.connection.execute(
                text(
                    "INSERT INTO agent_chat_sessions (id, business_id, user_id, billing_currency,"
                    " billing_country_snapshot) VALUES (gen_random_uuid(), :b, :u, 'USD', 'US')"
                ),
                {"b": ann.business_id, "u": ann.user_id},
            )


@pytest.mark.parametrize("currency", ["'USD'", "NULL"])
async def test_a_message_in_another_currency_is_refused(conversation: Conversation, currency: str) -> None:
    """LED-6: trg_message_currency_match refuses a currency that IS DISTINCT FROM its session's."""
    with pytest.raises(DBAPIError, match=f"session {conversation.id} is billed in CNY"):
        async with conversation.database.transaction(conversation.actor) as tx:
            await tx.connection.execute(
                text(
                    "INSERT INTO agent_chat_messages (id, session_id, business_id, user_id, seq, role, metadata,"
                    f" currency) VALUES (gen_random_uuid(), :s, :b, :u, 1, 'user',"
                    f' \'{{"type": "user_input"}}\', {currency})'
                ),
                {"s": conversation.id, "b": conversation.actor.business_id, "u": conversation.actor.user_id},
            )
    async with conversation.service() as service:
        assert await service.messages(conversation.id) == []


async def test_roles_and_sides_follow_from_what_a_message_is(conversation: Conversation) -> None:
    """LED-4, LED-5: answers and calls are `assistant`, results `tool`, audit rows negative `assistant`."""
    written = await conversation.append(
        said("hi"), audited(), called("t1"), resulted("t1"), audited(), answered("hello")
    )
    assert [(m.seq, m.role.value, m.metadata.type) for m in written] == [
        (1, "user", "user_input"),
        (-1, "assistant", "stage_audit"),
        (2, "assistant", "tool_call"),
        (3, "tool", "tool_result"),
        (-2, "assistant", "stage_audit"),
        (4, "assistant", "assistant_output"),
    ]
    async with conversation.service() as service:
        assert [m.seq for m in await service.messages(conversation.id)] == [4, 3, 2, 1]
        assert [m.seq for m in await service.messages(conversation.id, audit=True)] == [-2, -1]


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ("0, 'user', '{\"type\": \"user_input\"}'", "chk_message"),
        ("1, 'robot', '{\"type\": \"user_input\"}'", "chk_message"),
        ("1, 'assistant', '{\"type\": \"user_input\"}'", "chk_message_metadata"),
        ("1, 'system', '{}'", "chk_message_metadata"),
        ("-1, 'user', '{\"type\": \"user_input\"}'", "chk_message_visibility"),
        ("1, 'assistant', '{\"type\": \"stage_audit\"}'", "chk_message_visibility"),
    ],
)
async def test_the_database_refuses_rows_that_contradict_themselves(
    conversation: Conversation, values: str, constraint: str
) -> None:
    """LED-4, LED-5: role, metadata and sign agree, whoever writes."""
    with pytest.raises(DBAPIError, match=constraint):
        async with conversation.database.transaction(conversation.actor) as tx:
            await tx.connection.execute(
                text(
                    "INSERT INTO agent_chat_messages (id, session_id, business_id, user_id, currency, seq, role,"
                    f" metadata) VALUES (gen_random_uuid(), :s, :b, :u, 'CNY', {values})"
                ),
                {"s": conversation.id, "b": conversation.actor.business_id, "u": conversation.actor.user_id},
            )


@pytest.mark.parametrize(
    "message",
    [
        said("a\x00b"),
        said("a\ud800b"),
        NewMessage.model_construct(content="x", metadata={"type": "poem"}, call_id=None),
        NewMessage.model_construct(content="x", metadata={"type": "tool_call"}, call_id=None),
        NewMessage(content=None, metadata=ToolCallMade(tool_call_id="t", name="n", arguments={"a": "\x00"})),
    ],
    ids=["nul", "surrogate", "unknown type", "incomplete", "nul in metadata"],
)
async def test_a_message_that_cannot_stand_leaves_nothing_behind(
    conversation: Conversation, message: NewMessage
) -> None:
    """LED-5: metadata is validated on every write; all messages of a write are written or none."""
    with pytest.raises(MessageInvalidError):
        await conversation.append(said("first"), message)
    assert (await conversation.view()).title is None
    async with conversation.service() as service:
        assert await service.messages(conversation.id) == []


def test_metadata_of_no_known_type_is_no_message() -> None:
    """LED-5: a typed union."""
    with pytest.raises(ValidationError):
        NewMessage.model_validate({"content": "x", "metadata": {"type": "poem"}})


async def test_the_first_user_message_names_the_session_once(conversation: Conversation) -> None:
    """LED-3: set once, when the first user message is written; never overwritten."""
    await conversation.append(audited(), said("  第一句\n话  "))
    assert (await conversation.view()).title == "第一句 话"
    await conversation.append(said("second"))
    assert (await conversation.view()).title == "第一句 话"


async def test_an_empty_first_message_names_it_too(conversation: Conversation) -> None:
    """LED-3: empty gives 新会话, and a later message does not change that."""
    await conversation.append(NewMessage(content=None, metadata=UserInput()))
    await conversation.append(said("now with words"))
    assert (await conversation.view()).title == "新会话"


async def test_what_is_not_a_users_message_names_nothing(conversation: Conversation) -> None:
    await conversation.append(answered("hello"))
    assert (await conversation.view()).title is None


async def test_somebody_elses_session_is_unknown(conversation: Conversation, people: People) -> None:
    """SEC-1: in the same business or another, every call answers as if there were no such session."""
    await conversation.append(said("private"))
    neighbour = await people.user(conversation.actor.business_id, "bob")
    for stranger in (neighbour, await people.user()):
        for attempt in ("get", "messages", "mark_running", "delete", "usage"):
            with pytest.raises(SessionUnknownError):
                async with conversation.service(stranger) as service:
                    await getattr(service, attempt)(conversation.id)
        with pytest.raises(SessionUnknownError):
            async with conversation.service(stranger) as service:
                await service.append(conversation.id, [said("intruding")])
        async with conversation.service(stranger) as service:
            assert await service.window(conversation.id, 5) == (0, [])


@pytest.mark.parametrize(("before", "audit"), [(0, False), (-1, False), (1, True), (0, True)])
async def test_reading_on_from_the_wrong_side_is_refused(conversation: Conversation, before: int, audit: bool) -> None:
    """Issue 1, bad input: a negative seq for visible rows, a positive one for audit rows."""
    with pytest.raises(PositionInvalidError):
        async with conversation.service() as service:
            await service.messages(conversation.id, before=before, audit=audit)


async def test_pages_fit_together(conversation: Conversation) -> None:
    await conversation.append(*[said(str(number)) for number in range(7)])
    seen: list[str | None] = []
    before = None
    while True:
        async with conversation.service() as service:
            page = await service.messages(conversation.id, before=before, limit=3)
        if not page:
            break
        seen += [message.content for message in page]
        before = page[-1].seq
    assert seen == [str(number) for number in range(6, -1, -1)]


async def test_a_deleted_conversation_leaves_its_bill(conversation: Conversation) -> None:
    """LED-7: the ledger equals the invoice, whatever users delete."""
    call_id = await conversation.call()
    await conversation.append(said("hi"), answered("hello", call_id))
    async with conversation.service() as service:
        await service.delete(conversation.id)
    async with conversation.database.transaction(conversation.actor) as tx:
        counts = await tx.connection.execute(
            text(
                "SELECT (SELECT count(*) FROM agent_chat_messages WHERE session_id = :s),"
                " (SELECT count(*) FROM ai_calls WHERE id = :c)"
            ),
            {"s": conversation.id, "c": call_id},
        )
        assert tuple(counts.one()) == (0, 1)
    with pytest.raises(NotFoundError):
        await conversation.view()


async def test_a_running_session_is_not_deleted(conversation: Conversation) -> None:
    async with conversation.service() as service:
        await service.mark_running(conversation.id)
    with pytest.raises(IllegalTransitionError):
        async with conversation.service() as service:
            await service.delete(conversation.id)
    assert (await conversation.view()).status == "running"


async def test_the_session_remembers_its_skill(conversation: Conversation) -> None:
    """SKILL-4: the active skill and scenario persist on the session."""
    async with conversation.service() as service:
        await service.remember_skill(conversation.id, "bazi", "流年")
    found = await conversation.view()
    assert (found.skill, found.scenario) == ("bazi", "流年")


async def test_sessions_are_listed_by_when_they_were_touched(database: Database, people: People) -> None:
    ann = await people.user()
    ids = []
    for _ in range(4):
        async with database.transaction(ann) as tx:
            ids.append((await SessionService(tx).create()).id)
    async with database.transaction(ann) as tx:
        await SessionService(tx).mark_running(ids[0])
    async with database.transaction(ann) as tx:
        first = await SessionService(tx).recent(None, 2)
        rest = await SessionService(tx).recent((first[-1].updated_at, first[-1].id), 5)
    assert [session.id for session in [*first, *rest]] == [ids[0], ids[3], ids[2], ids[1]]
    assert first[0].updated_at - first[1].updated_at > timedelta(0)
