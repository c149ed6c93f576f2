"""STATE-5: a run that was cut off anywhere is taken up by another process where its last action points."""

import asyncio
from pathlib import Path

from sqlalchemy import text

from tests.turns import House, SendMail, a_house, calls
from weft.kit.db import Database
from weft.llm.scripted import Answer
from weft.runs.schemas import Decision, TurnRequest
from weft.tools.tool import Approval


async def _crash(house: House) -> None:
    """The process is gone: nothing of it writes any more, and its leases run out."""
    worker = house.runtime.worker
    worker._stopping = True
    under_way = list(worker._under_way.values())
    for each in under_way:
        if each.execution._journal is not None:
            each.execution._journal.over = True
        each.task.cancel()
    await asyncio.gather(*(each.task for each in under_way), return_exceptions=True)
    async with house.database.system() as tx:
        await tx.connection.execute(
            text("UPDATE agent_runs SET lease_until = clock_timestamp() - interval '1 second' WHERE owner = :owner"),
            {"owner": worker.name},
        )


async def test_an_answer_that_was_cut_off_is_given_anew(turns_database: Database, tmp_path: Path) -> None:
    """FLOW-7, STATE-5: the piece that was shown stays, marked incomplete; then the whole answer follows."""
    async with a_house(turns_database, tmp_path, works=False) as first:
        ann = await first.someone()
        first.says(Answer(" ".join(str(number) for number in range(100)), gap=0.1))
        accepted = await first.desk.accept(ann, TurnRequest(message="count"))
        async for batch in first.desk.follow(ann, accepted.run.id):
            if any(event.type == "text_grew" for _, event in batch):
                break
        await asyncio.sleep(0.6)  # so long that what was shown is stored
        await _crash(first)
    async with a_house(turns_database, tmp_path) as second:
        second.says("one two three")
        told = await second.hear(ann, accepted)
        assert told.run.status == "completed", told.run
        assert told.run.attempts == 2
        starts, ends = told.of("text_started"), told.of("text_ended")
        assert [each.message_id for each in starts] == [each.message_id for each in ends]
        assert [each.incomplete for each in ends] == [True, False]
        rows = await second.messages(ann, accepted.session_id)
        assert [row.metadata.type for row in rows] == ["user_input", "assistant_output", "assistant_output"]
        assert rows[1].metadata.incomplete
        assert told.text == f"{rows[1].content}{rows[2].content}"
        audit = await second.messages(ann, accepted.session_id, audit=True)
        booked = [row.call_id for row in [*rows, *audit] if row.call_id]
        assert len(booked) == len(set(booked)) == 2


async def test_a_side_effect_nobody_saw_the_end_of_is_never_repeated(turns_database: Database, tmp_path: Path) -> None:
    """STATE-5: it is told as unknown, to the model and to the user, and is not done again."""
    begun = asyncio.Event()

    class Slow(SendMail):
        approval = Approval.NEVER

        async def run(self, state):
            await super().run(state)
            begun.set()
            await asyncio.sleep(60)

    async with a_house(turns_database, tmp_path, works=False, mail=Slow) as first:
        ann = await first.someone()
        first.says(calls("send_mail", to="bob"))
        accepted = await first.desk.accept(ann, TurnRequest(message="write to bob"))
        await begun.wait()
        await _crash(first)
        assert len(first.sent) == 1
    async with a_house(turns_database, tmp_path, mail=Slow) as second:
        second.says('{"verdict":"give_up","why":"unknown"}', "I do not know whether it was sent.")
        told = await second.hear(ann, accepted)
        assert told.run.status == "completed", told.run
        assert second.sent == []
        (ended,) = told.of("tool_ended")
        assert ended.status == "unknown"


async def test_a_decision_made_while_nobody_worked_is_carried_out(turns_database: Database, tmp_path: Path) -> None:
    """TOOL-3: approved at any later time, from any process; done exactly once."""
    async with a_house(turns_database, tmp_path) as first:
        ann = await first.someone()
        first.says(calls("send_mail", to="bob"))
        told = await first.turn(ann, "write to bob")
        assert told.run.status == "waiting"
    async with a_house(turns_database, tmp_path) as second:
        (approval,) = await second.desk.approvals(ann, told.run.id)
        second.says("Sent.")
        await second.desk.decide(ann, approval.id, Decision(approved=True))
        for _ in range(100):
            if (await second.desk.run(ann, told.run.id)).status == "completed":
                break
            await asyncio.sleep(0.1)
        heard = await second.hear(ann, told.accepted, after=0)
        assert [letter.to for letter in second.sent] == ["bob"]
        assert (await second.desk.run(ann, told.run.id)).status == "completed"
        assert heard.kinds[-1] == "run_paused"  # whoever reads from the start comes to the pause first
