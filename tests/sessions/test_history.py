"""LED-10: what a prompt may be made of."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sessions.conftest import START, Conversation, answered, audited, called, resulted, said
from weft.kit.ids import new_id
from weft.sessions.history import paired, window
from weft.sessions.metadata import ROLE_OF, TEXTS, ToolCallMade, ToolResultGiven
from weft.sessions.schemas import MessageView, NewMessage


def _rows(messages: list[NewMessage]) -> list[MessageView]:
    session_id = new_id()
    return [
        MessageView(
            id=new_id(),
            session_id=session_id,
            seq=index + 1,
            role=ROLE_OF[message.metadata.type],
            content=message.content,
            metadata=message.metadata,
            currency="CNY",
            created_at=START,
        )
        for index, message in enumerate(messages)
    ]


def _words(messages: list[MessageView]) -> list[str]:
    return [
        m.metadata.tool_call_id + ("!" if isinstance(m.metadata, ToolResultGiven) else "?")
        if isinstance(m.metadata, ToolCallMade | ToolResultGiven)
        else str(m.content)
        for m in messages
    ]


def test_a_pair_stays_whole() -> None:
    rows = _rows([said("q"), called("a"), called("b"), resulted("b"), resulted("a"), answered("r")])
    assert _words(paired(rows)) == ["q", "a?", "b?", "b!", "a!", "r"]


def test_half_a_pair_a_double_and_a_result_before_its_call_are_left_out() -> None:
    """LED-10: rows whose tool call and tool result do not pair up are left out."""
    rows = _rows(
        [
            *[said("q"), called("alone"), resulted("orphan"), called("twice"), resulted("twice"), resulted("twice")],
            *[resulted("early"), called("early"), called("good"), resulted("good"), answered("r")],
        ]
    )
    assert _words(paired(rows)) == ["q", "good?", "good!", "r"]


TURN = [said("q1"), called("a"), resulted("a"), answered("r1"), said("q2"), called("b"), resulted("b"), answered("r2")]


def test_texts_are_counted_and_pairs_ride_with_their_answer() -> None:
    """LED-10: "5 messages" counts visible user and assistant texts."""
    rows = _rows(TURN)
    assert _words(window(rows, 4)) == ["q1", "a?", "a!", "r1", "q2", "b?", "b!", "r2"]
    assert _words(window(rows, 3)) == ["a?", "a!", "r1", "q2", "b?", "b!", "r2"]
    assert _words(window(rows, 2)) == ["q2", "b?", "b!", "r2"]
    assert _words(window(rows, 1)) == ["b?", "b!", "r2"]
    assert window(rows, 0) == []


def test_pairs_of_an_answer_that_is_gone_go_with_it() -> None:
    rows = _rows([said("q1"), called("a"), resulted("a"), said("q2"), answered("r2")])
    assert _words(window(rows, 2)) == ["q2", "r2"]
    assert _words(window(rows, 3)) == ["q1", "a?", "a!", "q2", "r2"]


def test_a_conversation_of_tools_alone_has_no_history() -> None:
    assert window(_rows([called("a"), resulted("a")]), 5) == []


async def test_the_database_gives_what_the_rule_gives(conversation: Conversation) -> None:
    """LED-10: history comes from the database, without audit rows, oldest first."""
    await conversation.append(*TURN, audited(), said("q3"), called("lost"), answered("r3"))
    async with conversation.service() as service:
        assert _words(await service.history(conversation.id, 5)) == [
            *["a?", "a!", "r1", "q2", "b?", "b!", "r2", "q3", "r3"]
        ]
        assert _words(await service.history(conversation.id, 50)) == [
            *["q1", "a?", "a!", "r1", "q2", "b?", "b!", "r2", "q3", "r3"]
        ]


_IDS = st.sampled_from(["a", "b", "c", "d"])
_MESSAGES = st.one_of(
    st.builds(said, st.just("q")), st.builds(answered, st.just("r")), st.builds(called, _IDS), st.builds(resulted, _IDS)
)


@settings(max_examples=300)
@given(st.lists(_MESSAGES, max_size=30), st.integers(0, 8))
def test_any_history_is_one_a_model_accepts(messages: list[NewMessage], texts: int) -> None:
    """LED-10: whatever was written, each call is followed by its one result, and no more texts than asked."""
    rows = _rows(messages)
    shown = window(rows, texts)
    assert sum(m.metadata.type in TEXTS for m in shown) == min(texts, sum(m.metadata.type in TEXTS for m in rows))
    waiting: list[str] = []
    done: set[str] = set()
    for message in shown:
        about = message.metadata
        if isinstance(about, ToolCallMade):
            assert about.tool_call_id not in done | set(waiting)
            waiting.append(about.tool_call_id)
        elif isinstance(about, ToolResultGiven):
            waiting.remove(about.tool_call_id)
            done.add(about.tool_call_id)
    assert waiting == []
    assert [m.seq for m in shown] == sorted(m.seq for m in shown)
