"""LED-10: what a prompt may be made of comes from the database, in a window that moves in steps."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.people import People
from tests.sessions.conftest import Conversation, answered, audited, called, resulted, said
from weft.context.window import window_start
from weft.kit.db import Database
from weft.sessions.metadata import TEXTS
from weft.sessions.schemas import MessageView, NewMessage
from weft.sessions.service import SessionService

TURN = [said("q1"), called("a"), resulted("a"), answered("r1"), said("q2"), called("b"), resulted("b"), answered("r2")]


def _kinds(messages: list[MessageView]) -> list[str]:
    return [str(message.content) if message.metadata.type in TEXTS else message.metadata.type for message in messages]


async def test_a_short_conversation_is_shown_whole(conversation: Conversation) -> None:
    """LED-10, SKILL-1: without audit rows, oldest first, the turn that is being answered at the end."""
    await conversation.append(*TURN, audited(), said("q3"), called("c"), resulted("c"))
    async with conversation.service() as service:
        texts, messages = await service.window(conversation.id, 5)
    pair = ["tool_call", "tool_result"]
    assert texts == 4
    assert _kinds(messages) == ["q1", *pair, "r1", "q2", *pair, "r2", "q3", *pair]


async def test_nothing_was_said_yet(conversation: Conversation) -> None:
    """WORK-3: a run that no user typed."""
    async with conversation.service() as service:
        assert await service.window(conversation.id, 5) == (0, [])
        await service.append(conversation.id, [audited(), called("a"), resulted("a")])
        assert await service.window(conversation.id, 5) == (0, [])


_TURNS = st.lists(
    st.sampled_from([[said("q"), answered("r")], [said("q")], TURN[:4], [said("q"), audited(), answered("r")]]),
    max_size=14,
)


# The fixture makes people, each example one of its own: nothing is shared between examples.
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_TURNS, st.sampled_from([1, 2, 5, 10]))
async def test_any_conversation_shows_its_window_and_no_more(
    database: Database, people: People, turns: list[list[NewMessage]], guaranteed: int
) -> None:
    """LED-10, SKILL-1, SKILL-2: from the text on that the rule names, whatever was written between."""
    actor = await people.user()
    async with database.transaction(actor) as tx:
        service = SessionService(tx)
        session = (await service.create()).id
        written: list[MessageView] = []
        for turn in [*turns, [said("now"), called("z"), resulted("z")]]:
            written += await service.append(session, turn)
        texts, seen = await service.window(session, guaranteed)
    earlier = [message for message in written if message.metadata.type in TEXTS][:-1]
    shown = [message for message in seen if message.metadata.type in TEXTS][:-1]
    assert texts == len(earlier)
    assert shown == earlier[window_start(texts, guaranteed) :]
    assert seen == [message for message in written if message.seq >= seen[0].seq and message.seq > 0]
    assert [message.metadata.type for message in seen[-3:]] == ["user_input", "tool_call", "tool_result"]
