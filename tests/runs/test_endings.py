"""However a turn ends, it ends properly: stopped, failed, too late, or broken off in the middle of an answer."""

import asyncio
from decimal import Decimal

import pytest

from tests.turns import House, calls
from weft.calls.schemas import GroupBy
from weft.calls.service import CallService
from weft.kit.errors import ConflictError, InvalidError, NotFoundError
from weft.llm.scripted import Answer, Fault, Refusal
from weft.runs.schemas import GivenResult, TurnRequest

LONG = " ".join(f"word{number}" for number in range(200))


async def _until(house: House, actor, run_id, kind: str) -> None:
    async for batch in house.desk.follow(actor, run_id):
        if any(event.type == kind for _, event in batch):
            return


async def test_a_stopped_answer_is_kept_as_far_as_it_was_shown(house: House) -> None:
    """LED-2, FLOW-7: completed with the outcome cancelled; the text stays, marked; its call is booked once."""
    ann = await house.someone()
    house.says(Answer(LONG, gap=0.02))
    accepted = await house.desk.accept(ann, TurnRequest(message="tell me"))
    await _until(house, ann, accepted.run.id, "text_grew")
    await house.desk.cancel(ann, accepted.run.id)
    told = await house.hear(ann, accepted)
    assert (told.run.status, told.events[-1].outcome) == ("cancelled", "cancelled")
    rows = await house.messages(ann, told.session_id)
    assert rows[-1].metadata.incomplete
    assert LONG.startswith(rows[-1].content or "?")
    assert told.text == rows[-1].content
    assert rows[-1].call_id is not None
    session = await house.session(ann, told.session_id)
    assert (session.status, session.state_snapshot["outcome"]) == ("completed", "cancelled")


async def test_a_vendor_that_fails_fails_the_turn_and_nothing_else(house: House) -> None:
    """LED-2: the session says which error; the next turn is a turn like any other."""
    ann = await house.someone()
    house.says(Refusal(400))
    told = await house.turn(ann, "hi")
    assert told.run.status == "failed"
    assert told.events[-1].code == told.run.error_code
    session = await house.session(ann, told.session_id)
    assert (session.status, session.state_snapshot["error_id"]) == ("failed", str(told.run.error_id))
    house.says("Hello.")
    assert (await house.turn(ann, "hi", session_id=told.session_id)).run.status == "completed"


async def test_an_answer_that_breaks_off_ends_as_an_incomplete_one(house: House) -> None:
    """FLOW-7: what was shown is never taken back."""
    ann = await house.someone()
    house.says(Answer(LONG, fault=Fault("disconnect", after=40)))
    told = await house.turn(ann, "hi")
    assert told.run.status == "completed"
    assert told.of("text_ended")[-1].incomplete
    rows = await house.messages(ann, told.session_id)
    assert rows[-1].metadata.incomplete
    assert rows[-1].content == told.text
    assert LONG.startswith(told.text)


async def test_a_turn_that_takes_too_long_is_stopped(house: House) -> None:
    """SEC-4: a deadline is kept, and told as what it is."""
    ann = await house.someone()
    house.says(Answer(LONG, gap=0.1))
    told = await house.turn(ann, "hi", deadline_seconds=1)
    assert (told.run.status, told.run.error_code) == ("failed", "deadline_passed")
    assert (await house.messages(ann, told.session_id))[-1].metadata.incomplete


async def test_the_same_name_never_starts_a_second_run(house: House) -> None:
    """SURF-1: the same thread and run id again are the same run, running or over."""
    ann = await house.someone()
    house.says("Hello.")
    first = await house.turn(ann, "hi", thread="t", client_run_id="r")
    again = await house.turn(ann, "hi", thread="t", client_run_id="r")
    assert (again.accepted.fresh, again.run.id, again.text) == (False, first.run.id, "Hello.")
    assert len(house.asked) == 1


async def test_somebody_elses_thread_is_another_thread(house: House) -> None:
    """SEC-1: a thread id that another user has used answers exactly like one that does not exist."""
    ann, eve = await house.someone(), await house.someone()
    house.says("Hello Ann.", "Hello Eve.")
    mine = await house.turn(ann, "hi")
    theirs = await house.turn(eve, "hi", thread=str(mine.session_id))
    assert (theirs.text, theirs.session_id == mine.session_id) == ("Hello Eve.", False)
    with pytest.raises(NotFoundError):
        await house.desk.accept(eve, TurnRequest(message="hi", session_id=mine.session_id))


async def test_a_queued_turn_begins_when_the_one_before_is_over(house: House) -> None:
    """LED-2: one active run a session; what was queued is said in its turn and not before."""
    ann = await house.someone()
    house.says(Answer("first answer is slow", gap=0.1), "second answer")
    one = await house.desk.accept(ann, TurnRequest(message="one"))
    with pytest.raises(ConflictError):
        await house.desk.accept(ann, TurnRequest(message="two", session_id=one.session_id))
    two = await house.desk.accept(ann, TurnRequest(message="two", session_id=one.session_id, when_busy="queue"))
    first, second = await asyncio.gather(house.hear(ann, one), house.hear(ann, two))
    assert (first.text, second.text) == ("first answer is slow", "second answer")
    rows = await house.messages(ann, one.session_id)
    assert [row.content for row in rows] == ["one", "first answer is slow", "two", "second answer"]


async def test_a_clients_own_tool_is_answered_by_the_client(house: House) -> None:
    """SURF-1: the run ends with the call pending; its result comes with the next turn, and the model goes on."""
    ann = await house.someone()
    tool = {"name": "pick_color", "description": "Let the user pick.", "parameters": {"type": "object"}}
    house.says(calls("pick_color", "call_p"), "蓝色很好。")
    told = await house.turn(ann, "选个颜色", frontend_tools=[tool])
    assert (told.run.status, told.events[-1].pending_tool_calls) == ("completed", ("call_p",))
    with pytest.raises(InvalidError, match="waits for a result"):
        await house.desk.accept(
            ann, TurnRequest(session_id=told.session_id, results=(GivenResult(call_id="other", content="x"),))
        )
    result = GivenResult(call_id="call_p", content="blue")
    after = await house.turn(ann, session_id=told.session_id, results=(result,), frontend_tools=[tool])
    assert (after.run.status, after.text) == ("completed", "蓝色很好。"), after.run
    sent = house.asked[-1]["messages"]
    assert [each["role"] for each in sent if each["role"] in ("assistant", "tool")] == ["assistant", "tool"]


async def test_every_call_of_every_ending_stands_on_one_message(house: House) -> None:
    """LED-7: whatever became of the turns, the session's total is the sum of its messages."""
    ann = await house.someone()
    house.says("Hello.", Answer(LONG, fault=Fault("disconnect", after=40)), calls("list_dir", path="."), "Done.")
    told = await house.turn(ann, "one")
    for message in ("two", "three"):
        await house.turn(ann, message, session_id=told.session_id)
    rows = await house.messages(ann, told.session_id) + await house.messages(ann, told.session_id, audit=True)
    async with house.database.transaction(ann) as tx:
        total = (await CallService(tx).report(GroupBy.TOTAL, session_id=told.session_id)).totals[0]
    booked = [row for row in rows if row.call_id is not None]
    assert len(booked) == total.calls == len(house.asked)
    assert sum(row.input_tokens for row in booked) == total.input_tokens
    assert sum((row.cost or Decimal(0)) for row in booked) == pytest.approx(total.cost, abs=Decimal("0.00001"))
