"""Finding what was said, in all of a user's conversations and in nobody else's."""

from uuid import uuid4

import pytest

from tests.people import People
from tests.sessions.conftest import Conversation, answered, audited, called, resulted, said
from weft.kit.db import Database
from weft.kit.finding import Wanted
from weft.kit.ids import new_id
from weft.sessions.errors import MessageUnknownError
from weft.sessions.service import SessionService


async def found(conversation: Conversation, query: str, **options: object) -> list[str]:
    async with conversation.service() as service:
        return [each.content for each in await service.find(Wanted.of(query), 10, **options)]  # type: ignore[arg-type]


async def test_texts_of_every_conversation_are_found(conversation: Conversation, database: Database) -> None:
    """WORK-1, TOOL-2: the best first, then the newest; in Chinese and in English, any case and width."""
    async with database.transaction(conversation.actor) as tx:
        other = (await SessionService(tx).create()).id
    await conversation.append(said("我收到了一个 Ｏｆｆｅｒ，要不要换工作？"), answered("先看看薪水"))
    await Conversation(database, conversation.actor, other).append(said("OFFER letters"), answered("about 换工作"))
    assert await found(conversation, "offer") == ["OFFER letters", "我收到了一个 Ｏｆｆｅｒ，要不要换工作？"]
    assert (await found(conversation, "换工作 offer"))[0].startswith("我收到")
    assert await found(conversation, "去爬山") == []
    assert await found(conversation, "  ") == []


async def test_only_what_was_said_is_found(conversation: Conversation) -> None:
    """LED-4: no audit row, no call, no result; nor the turn that asks."""
    turn = new_id()
    await conversation.append(said("ok then"), called("1"), resulted("1"), audited(await conversation.call()))
    await conversation.append(said("ok now"), turn_id=turn)
    assert await found(conversation, "ok", but_not=turn) == ["ok then"]
    assert await found(conversation, "raw") == []


async def test_signs_are_no_wildcards(conversation: Conversation) -> None:
    """SEC-4"""
    await conversation.append(said("100 percent"), answered("a_b"))
    for query in ("%", "_", "\\", "a%b", "__"):
        assert "100 percent" not in await found(conversation, query)


async def test_nobody_finds_what_another_said(conversation: Conversation, people: People, database: Database) -> None:
    """SEC-1: in the same business or another; nor reads it by its id."""
    (message,) = await conversation.append(said("a secret wish"))
    business = conversation.actor.business_id
    for actor in (await people.user(business, "bob"), await people.user(external_id="ann")):
        async with database.transaction(actor) as tx:
            sessions = SessionService(tx)
            assert await sessions.find(Wanted.of("secret"), 10) == []
            with pytest.raises(MessageUnknownError):
                await sessions.content(message.id)
    async with conversation.service() as service:
        assert await service.content(message.id) == "a secret wish"
        with pytest.raises(MessageUnknownError):
            await service.content(uuid4())
