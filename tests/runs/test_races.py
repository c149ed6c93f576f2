"""STATE-5, TOOL-3, LED-2: what happens at the same time, or a moment too early, is neither lost nor done twice."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from tests.turns import House, SendMail, a_house, calls
from weft.kit.db import Database
from weft.kit.errors import ConflictError, TooManyError
from weft.llm.scripted import Answer
from weft.nodes.ports import Ending
from weft.runs.desk import MOST_QUEUED
from weft.runs.ending_anyway import end_anyway
from weft.runs.schemas import Decision, TurnRequest
from weft.runs.service import RunKeeper
from weft.state.runtime import RuntimeState
from weft.tools.tool import Approval, ToolResult

LONG = " ".join(f"word{number}" for number in range(400))


class Slow(SendMail):
    """A letter that takes a while, and needs nobody's word."""

    name = "send_slowly"
    approval = Approval.NEVER
    begun: asyncio.Event
    may_end: asyncio.Event

    async def run(self, state: RuntimeState) -> ToolResult:
        Slow.begun.set()
        await Slow.may_end.wait()
        return await super().run(state)


@pytest.fixture(autouse=True)
def _events() -> None:
    Slow.begun, Slow.may_end = asyncio.Event(), asyncio.Event()


async def _until(house: House, actor: Any, run_id: Any, kind: str) -> Any:
    async for batch in house.desk.follow(actor, run_id):
        for _, event in batch:
            if event.type == kind:
                return event
    raise AssertionError(f"the run never told of {kind}")


async def _status(house: House, actor: Any, run_id: Any, *wanted: str) -> str:
    for _ in range(200):
        status = (await house.desk.run(actor, run_id)).status
        if status in wanted:
            break
        await asyncio.sleep(0.05)
    return status


async def test_a_word_that_comes_before_the_run_rests_is_heard(turns_database: Database, tmp_path: Path) -> None:
    """TOOL-3: approved while another call was still under way; the run does not wait for what it has."""
    async with a_house(turns_database, tmp_path, more=[Slow([])]) as house:
        ann = await house.someone()
        house.says((calls("send_mail", "m", to="bob"), calls("send_slowly", "s", to="eve")), "Both are sent.")
        accepted = await house.desk.accept(ann, TurnRequest(message="write to both"))
        asked = await _until(house, ann, accepted.run.id, "approval_asked")
        await Slow.begun.wait()
        await house.desk.decide(ann, asked.approval_id, Decision(approved=True))
        Slow.may_end.set()
        assert await _status(house, ann, accepted.run.id, "completed", "failed", "waiting") == "completed"
        assert [letter.to for letter in house.sent] == ["bob"]
        told = await house.hear(ann, accepted)
        assert ("run_paused" in told.kinds, told.text) == (False, "Both are sent.")
        assert (await house.session(ann, told.session_id)).state_snapshot == {"status": "completed"}


async def test_the_end_that_is_asked_for_while_a_run_goes_to_rest_is_its_end(
    turns_database: Database, tmp_path: Path
) -> None:
    """LED-2, TOOL-3: it does not wait for anybody's word; what waited is withdrawn."""
    async with a_house(turns_database, tmp_path, more=[Slow([])]) as house:
        ann = await house.someone()
        house.says((calls("send_mail", "m", to="bob"), calls("send_slowly", "s", to="eve")))
        accepted = await house.desk.accept(ann, TurnRequest(message="write to both"))
        await Slow.begun.wait()
        async with house.database.transaction(ann) as tx:  # asked for in another process, and not heard of here
            await tx.connection.execute(
                text("UPDATE agent_runs SET cancel_requested_at = now() WHERE id = :run"), {"run": accepted.run.id}
            )
        Slow.may_end.set()
        assert await _status(house, ann, accepted.run.id, "cancelled", "waiting", "failed") == "cancelled"
        assert (house.sent, await house.desk.approvals(ann, accepted.run.id)) == ([], [])


async def test_the_session_names_what_still_waits(house: House) -> None:
    """LED-2: after one of two words, pending_tool_call_id is the other; after both, the session waits for nothing."""
    ann = await house.someone()
    house.says((calls("send_mail", "call_bob", to="bob"), calls("send_mail", "call_eve", to="eve")))
    told = await house.turn(ann, "write")
    bob, eve = told.of("approval_asked")
    await house.desk.decide(ann, bob.approval_id, Decision(approved=False))
    snapshot = (await house.session(ann, told.session_id)).state_snapshot
    assert (snapshot["pending_tool_call_id"], snapshot["pending_tool_call_ids"]) == ("call_eve", ["call_eve"])
    house.says(Answer(LONG, gap=0.02))
    after = await house.last_seq(ann, told.run.id)
    await house.desk.decide(ann, eve.approval_id, Decision(approved=False))
    assert "pending_tool_call_id" not in (await house.session(ann, told.session_id)).state_snapshot
    await house.desk.cancel(ann, told.run.id)
    await house.hear(ann, told.accepted, after=after)


async def test_what_waits_when_a_turn_ends_is_withdrawn(turns_database: Database, tmp_path: Path) -> None:
    """TOOL-3: nobody is asked for a run that is over, and a word for it is refused."""
    async with a_house(turns_database, tmp_path, more=[Slow([])]) as house:
        ann = await house.someone()
        house.says((calls("send_mail", "m", to="bob"), calls("send_slowly", "s", to="eve")))
        told = await house.turn(ann, "write to both", deadline_seconds=1)
        assert (told.run.status, told.run.error_code) == ("failed", "deadline_passed")
        (asked,) = told.of("approval_asked")
        assert await house.desk.approvals(ann, told.run.id) == []
        with pytest.raises(ConflictError, match="withdrawn"):
            await house.desk.decide(ann, asked.approval_id, Decision(approved=True))
        assert [(each.call_id, each.status) for each in told.of("tool_ended")] == [("m", "denied"), ("s", "unknown")]


async def test_a_run_is_stopped_before_it_was_taken_up(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """LED-2: between the claim and the first step, too: cancelled at once, and what the user said stands."""
    looking = asyncio.Event()

    async def look_for_ever(*_: Any) -> Any:
        looking.set()
        await asyncio.sleep(60)

    ann = await house.someone()
    with monkeypatch.context() as patched:
        patched.setattr("weft.runs.execution.take_up", look_for_ever)
        accepted = await house.desk.accept(ann, TurnRequest(message="never mind"))
        await looking.wait()
        await house.desk.cancel(ann, accepted.run.id)
        told = await house.hear(ann, accepted)
    assert (told.run.status, told.kinds[-1], house.asked) == ("cancelled", "run_finished", [])
    assert [row.content for row in await house.messages(ann, told.session_id)] == ["never mind"]
    house.says("Hello.")
    assert (await house.turn(ann, "hi", session_id=told.session_id)).text == "Hello."


async def test_a_turn_that_waits_behind_another_is_dropped_at_once(house: House) -> None:
    """LED-2: it ends without waiting for the one before; nothing of it stands in the conversation."""
    ann = await house.someone()
    house.says(calls("send_mail", "m", to="bob"))
    first = await house.turn(ann, "write")
    queued = TurnRequest(message="and then", session_id=first.session_id, when_busy="queue", client_run_id="later")
    second = await house.desk.accept(ann, queued)
    await house.desk.cancel(ann, second.run.id)
    told = await house.hear(ann, second)
    assert (told.run.status, told.kinds) == ("cancelled", ["run_started", "run_finished"])
    said = [row.content for row in await house.messages(ann, first.session_id) if row.role == "user"]
    assert said == ["write"]
    assert (await house.desk.run(ann, first.run.id)).status == "waiting"
    await house.desk.cancel(ann, first.run.id)
    assert await _status(house, ann, first.run.id, "cancelled") == "cancelled"
    house.says("Hello.")
    assert (await house.turn(ann, "hi", session_id=first.session_id)).text == "Hello."


async def test_no_more_turns_wait_than_may(house: House) -> None:
    """SEC-4: a conversation holds so many turns that wait, and says so."""
    ann = await house.someone()
    house.says(calls("send_mail", "m", to="bob"))
    first = await house.turn(ann, "write")
    more = TurnRequest(message="more", session_id=first.session_id, when_busy="queue")
    waiting = [await house.desk.accept(ann, more) for _ in range(MOST_QUEUED)]
    with pytest.raises(TooManyError):
        await house.desk.accept(ann, more)
    for each in waiting:
        await house.desk.cancel(ann, each.run.id)
    await house.desk.cancel(ann, first.run.id)


async def test_the_time_of_a_turn_begins_with_it(house: House) -> None:
    """SEC-4: however long it waited for the one before, a turn has all of its time."""
    ann = await house.someone()
    house.says(Answer(LONG, gap=0.004), "second")
    first = await house.desk.accept(ann, TurnRequest(message="one"))
    later = TurnRequest(message="two", session_id=first.session_id, when_busy="queue", deadline_seconds=1)
    second = await house.desk.accept(ann, later)
    one, two = await asyncio.gather(house.hear(ann, first), house.hear(ann, second))
    assert (one.run.status, two.run.status, two.text) == ("completed", "completed", "second"), two.run


async def test_two_claims_never_have_one_run(turns_database: Database, tmp_path: Path) -> None:
    """STATE-5: of ten that reach for it, one has it."""
    async with a_house(turns_database, tmp_path, works=False) as house:
        ann = await house.someone()
        desk = type(house.desk)(house.runtime.engine)  # of a process that only takes turns on
        accepted = await desk.accept(ann, TurnRequest(message="hi"))
        keeper = RunKeeper(house.database)
        held = await asyncio.gather(*(keeper.claim(f"worker-{n}", 60) for n in range(10)))
        (has,) = [each for each in held if each is not None]
        assert has.owner.run_id == accepted.run.id
        await end_anyway(house.runtime.engine, has, Ending("cancelled"))


async def test_what_nobody_carries_out_any_more_is_not_kept_alive(turns_database: Database, tmp_path: Path) -> None:
    """STATE-5: a process that has dropped a run lets its lease run out, however many others it carries out."""
    async with a_house(turns_database, tmp_path, lease_seconds=1) as house:
        worker, ann = house.runtime.worker, await house.someone()
        house.says(Answer(LONG, gap=0.02))
        busy = await house.desk.accept(ann, TurnRequest(message="long"))
        await _until(house, ann, busy.run.id, "text_grew")
        house.says(calls("send_mail", "m", to="bob"))
        other = await house.turn(ann, "write")
        async with house.database.transaction(ann) as tx:  # ours by name, and under way nowhere
            await tx.connection.execute(
                text(
                    "UPDATE agent_runs SET status = 'running', owner = :owner, fence = fence + 1, cancel_requested_at"
                    " = now(), lease_until = clock_timestamp() + interval '1 second' WHERE id = :run"
                ),
                {"owner": worker.name, "run": other.run.id},
            )
        assert await _status(house, ann, other.run.id, "cancelled") == "cancelled"
        await house.desk.cancel(ann, busy.run.id)
        await house.hear(ann, busy)


async def test_a_run_that_is_taken_over_is_stopped_where_it_was(turns_database: Database, tmp_path: Path) -> None:
    """STATE-5: with its next sign of life a process sees what is not its own any more, and does no more of it."""
    async with a_house(turns_database, tmp_path, lease_seconds=1) as house:
        ann = await house.someone()
        house.says(Answer(LONG, gap=0.02))
        accepted = await house.desk.accept(ann, TurnRequest(message="long"))
        await _until(house, ann, accepted.run.id, "text_grew")
        async with house.database.transaction(ann) as tx:
            await tx.connection.execute(
                text(
                    "UPDATE agent_runs SET owner = 'another', fence = fence + 1,"
                    " lease_until = clock_timestamp() + interval '60 seconds' WHERE id = :run"
                ),
                {"run": accepted.run.id},
            )
        hub = house.runtime.engine.hub
        for _ in range(60):
            if house.vendor.log[0].disconnected and hub.get(accepted.run.id) is None:
                break
            await asyncio.sleep(0.05)
        assert (house.vendor.log[0].disconnected, hub.get(accepted.run.id)) == (True, None)
        await RunKeeper(house.database).release("another")
        house.says("Short.")
        told = await house.hear(ann, accepted)
        assert (told.run.status, told.text.endswith("Short.")) == ("completed", True)


async def test_what_a_process_holds_of_a_run_that_is_not_its_own_any_more_is_written_nowhere(
    turns_database: Database, tmp_path: Path
) -> None:
    """STATE-5: every write asserts the fencing number; the call stands as begun, for whoever has the run now."""
    async with a_house(turns_database, tmp_path, lease_seconds=60, more=[Slow([])]) as house:
        ann = await house.someone()
        house.says(calls("send_slowly", "s", to="eve"), Answer('{"verdict":"done"}'), "I do not know.")
        accepted = await house.desk.accept(ann, TurnRequest(message="write"))
        await Slow.begun.wait()
        before = await house.actions(ann, accepted.run.id)
        async with house.database.transaction(ann) as tx:
            await tx.connection.execute(
                text("UPDATE agent_runs SET owner = 'another', fence = fence + 1 WHERE id = :run"),
                {"run": accepted.run.id},
            )
        Slow.may_end.set()
        await house.runtime.worker.settled()
        assert await house.actions(ann, accepted.run.id) == before
        assert [row.metadata.type for row in await house.messages(ann, accepted.session_id)][-1] == "tool_call"
        await RunKeeper(house.database).release("another")
        house.runtime.worker.look()
        told = await house.hear(ann, accepted)
        assert [(each.call_id, each.status) for each in told.of("tool_ended")] == [("s", "unknown")]


async def test_cancelling_stops_the_models_stream_at_once(house: House) -> None:
    """LED-2, INFRA-3: within a tenth of a second the vendor sees its reader leave."""
    ann = await house.someone()
    house.says(Answer(LONG, gap=0.02))
    accepted = await house.desk.accept(ann, TurnRequest(message="long"))
    await _until(house, ann, accepted.run.id, "text_grew")
    loop = asyncio.get_running_loop()
    asked = loop.time()
    await house.desk.cancel(ann, accepted.run.id)
    for _ in range(1_000):
        if house.vendor.log[0].ended_at is not None:
            break
        await asyncio.sleep(0.005)
    ended = house.vendor.log[0].ended_at
    assert ended is not None
    assert ended - asked < 0.5  # a tenth of it where nothing else runs on the machine
    assert house.vendor.log[0].disconnected
    await house.hear(ann, accepted)
