"""LED-2: the status machine, and the snapshot that never disagrees with it."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.sessions.conftest import Conversation
from weft.kit.errors import CallerError
from weft.sessions.errors import IllegalTransitionError, MessageInvalidError, SessionUnknownError
from weft.sessions.schemas import Status
from weft.sessions.status import LEADS_TO

MARKS = {Status.RUNNING: "mark_running", Status.COMPLETED: "mark_completed", Status.FAILED: "mark_failed"}


async def _mark(conversation: Conversation, status: Status) -> None:
    async with conversation.service() as service:
        more = ["e-1"] if status is Status.FAILED else []
        await getattr(service, MARKS[status])(conversation.id, *more)


async def _reach(conversation: Conversation, status: Status) -> None:
    if status is not Status.PENDING:
        await _mark(conversation, Status.RUNNING)
    if status in (Status.COMPLETED, Status.FAILED):
        await _mark(conversation, status)


@pytest.mark.parametrize("to", list(MARKS))
@pytest.mark.parametrize("at", list(Status))
async def test_only_legal_transitions_happen(conversation: Conversation, at: Status, to: Status) -> None:
    """LED-2: pending → running → completed | failed → running; anything else is an error that changes nothing."""
    await _reach(conversation, at)
    before = await conversation.view()
    if to in LEADS_TO[at]:
        await _mark(conversation, to)
        assert (await conversation.view()).status is to
    else:
        with pytest.raises(IllegalTransitionError, match=f"is {at} and cannot become {to}"):
            await _mark(conversation, to)
        assert await conversation.view() == before


async def test_a_failure_names_its_error_and_the_next_turn_forgets_it(conversation: Conversation) -> None:
    """LED-2: on failure state_snapshot.error_id is set."""
    await _reach(conversation, Status.FAILED)
    assert (await conversation.view()).state_snapshot == {"status": "failed", "error_id": "e-1"}
    await _mark(conversation, Status.RUNNING)
    assert (await conversation.view()).state_snapshot == {"status": "running"}


async def test_a_failure_without_an_error_is_refused(conversation: Conversation) -> None:
    """LED-2: a failed session can always be looked up in the log."""
    await _reach(conversation, Status.RUNNING)
    with pytest.raises(MessageInvalidError):
        async with conversation.service() as service:
            await service.mark_failed(conversation.id, "")
    assert (await conversation.view()).status is Status.RUNNING


async def test_a_cancelled_run_ends_completed(conversation: Conversation) -> None:
    """LED-2: a cancelled run ends it `completed` with state_snapshot.outcome = "cancelled"."""
    await _reach(conversation, Status.RUNNING)
    async with conversation.service() as service:
        await service.mark_completed(conversation.id, outcome="cancelled")
    assert (await conversation.view()).state_snapshot == {"status": "completed", "outcome": "cancelled"}


async def test_a_run_that_waits_stays_running_and_says_for_what(conversation: Conversation) -> None:
    """LED-2: state_snapshot.pending_tool_call_id is the first, pending_tool_call_ids are all."""
    await _reach(conversation, Status.RUNNING)
    async with conversation.service() as service:
        await service.mark_waiting(conversation.id, ["t1", "t2"])
    waiting = await conversation.view()
    assert waiting.status is Status.RUNNING
    assert waiting.state_snapshot == {
        "status": "running",
        "pending_tool_call_id": "t1",
        "pending_tool_call_ids": ["t1", "t2"],
    }
    await _mark(conversation, Status.COMPLETED)
    assert (await conversation.view()).state_snapshot == {"status": "completed"}


@pytest.mark.parametrize("ids", [[], ["t1", "t1"]])
async def test_waiting_for_nothing_or_twice_is_refused(conversation: Conversation, ids: list[str]) -> None:
    await _reach(conversation, Status.RUNNING)
    with pytest.raises(MessageInvalidError):
        async with conversation.service() as service:
            await service.mark_waiting(conversation.id, ids)


async def test_a_session_that_does_not_run_cannot_wait(conversation: Conversation) -> None:
    with pytest.raises(IllegalTransitionError, match="is pending and cannot wait for approval"):
        async with conversation.service() as service:
            await service.mark_waiting(conversation.id, ["t1"])


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("status = 'paused', state_snapshot = '{\"status\": \"paused\"}'", "chk_session_status"),
        ("status = 'running'", "chk_session_snapshot"),
        ('state_snapshot = \'{"status": "running"}\'', "chk_session_snapshot"),
        ("state_snapshot = '{}'", "chk_session_snapshot"),
        ("status = 'failed', state_snapshot = '{\"status\": \"failed\"}'", "chk_session_error"),
    ],
)
async def test_the_database_itself_keeps_status_and_snapshot_equal(
    conversation: Conversation, change: str, constraint: str
) -> None:
    """LED-2: chk_session_status holds the four; no SQL at all can part the two."""
    with pytest.raises(DBAPIError, match=constraint):
        async with conversation.database.transaction(conversation.actor) as tx:
            await tx.connection.execute(
                text(f"UPDATE agent_chat_sessions SET {change} WHERE id = :id"), {"id": conversation.id}
            )


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wishes=st.lists(st.sampled_from(list(MARKS)), max_size=12))
async def test_after_any_wishes_status_equals_snapshot(conversation: Conversation, wishes: list[Status]) -> None:
    """LED-2: `status` and `state_snapshot.status` change in one transaction, always equal."""
    for wish in wishes:
        before = (await conversation.view()).status
        try:
            await _mark(conversation, wish)
        except CallerError:
            assert wish not in LEADS_TO[before]
        after = await conversation.view()
        assert after.state_snapshot["status"] == after.status
        assert after.status in (before, wish)


async def test_a_session_that_is_not_there_is_unknown(conversation: Conversation) -> None:
    with pytest.raises(SessionUnknownError):
        async with conversation.service() as service:
            await service.mark_running(conversation.actor.owner_id)
