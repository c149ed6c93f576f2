"""A stop that stops: the vendor is left at once, wherever the turn is, and whichever process is asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.people import People
from tests.turns import House, MailInput, SendMail, a_house, calls
from weft.kit.actor import Actor
from weft.llm.scripted import Answer, Exchange, Fault
from weft.runs.desk import Accepted, Desk
from weft.runs.repository import RunRepository
from weft.runs.schemas import Decision, TurnRequest
from weft.state.runtime import RuntimeState
from weft.tools.tool import ToolResult

WORDS = " ".join(f"word{number}" for number in range(20))
SILENT = Fault("hang", after=6)  # after some words, and until the client leaves
FOR_EVER = 3_600.0


async def begun(house: House, actor: Actor, message: str = "tell me") -> Accepted:
    return await house.desk.accept(actor, TurnRequest(message=message))


async def until(house: House, actor: Actor, accepted: Accepted, kind: str, times: int = 1) -> None:
    """Watch the run until it has told this so often."""
    async for batch in house.desk.follow(actor, accepted.run.id):
        times -= sum(event.type == kind for _, event in batch)
        if times <= 0:
            return


async def left(house: House) -> Exchange:
    """The vendor's last exchange, once that is over; the vendor itself would go on for ever."""
    await house.vendor.settled(20)
    return house.vendor.log[-1]


async def test_in_the_middle_of_a_silence_between_two_words(house: House) -> None:
    """FLOW-7, LED-2: the vendor sees the client leave while it is still silent; what was said is kept."""
    ann = await house.someone()
    house.says(Answer(WORDS, fault=SILENT))
    accepted = await begun(house, ann)
    await until(house, ann, accepted, "text_grew")
    await house.desk.cancel(ann, accepted.run.id)
    assert (await left(house)).disconnected
    told = await house.hear(ann, accepted)
    assert told.run.status == "cancelled"
    assert WORDS.startswith(told.text)


async def test_the_model_is_left_before_anything_is_written(house: House) -> None:
    """LED-2: whoever holds the run's row, and however busy the database is, the model stops at once."""
    ann = await house.someone()
    house.says(Answer(WORDS, fault=SILENT))
    accepted = await begun(house, ann)
    await until(house, ann, accepted, "text_grew")
    async with house.database.transaction(ann) as tx:
        await RunRepository(tx.connection).locked(accepted.run.id)
        cancelling = asyncio.ensure_future(house.desk.cancel(ann, accepted.run.id))
        assert (await left(house)).disconnected
        assert not cancelling.done()
    await cancelling
    assert (await house.hear(ann, accepted)).run.status == "cancelled"


async def test_before_the_first_word(house: House) -> None:
    """LED-2: a model that only thinks is left as well; nothing was said, and nothing is kept of it."""
    ann = await house.someone()
    house.says(Answer(WORDS, first_delay=FOR_EVER))
    accepted = await begun(house, ann)
    while not house.asked:  # noqa: ASYNC110
        await asyncio.sleep(0.002)
    await house.desk.cancel(ann, accepted.run.id)
    assert (await left(house)).disconnected
    told = await house.hear(ann, accepted)
    assert (told.run.status, told.text) == ("cancelled", "")
    assert [row.metadata.type for row in await house.messages(ann, told.session_id)] == ["user_input"]


async def test_while_the_answer_is_worded_after_the_tools(house: House) -> None:
    """LED-2, LED-7: in the last stage too; every call of the turn stands on one message."""
    ann = await house.someone()
    house.says(calls("list_dir", path="."), Answer(WORDS, fault=SILENT))
    accepted = await begun(house, ann, "look")
    await until(house, ann, accepted, "text_grew")
    await house.desk.cancel(ann, accepted.run.id)
    assert (await left(house)).disconnected
    told = await house.hear(ann, accepted)
    assert told.run.status == "cancelled"
    rows = await house.messages(ann, told.session_id) + await house.messages(ann, told.session_id, audit=True)
    assert sum(row.call_id is not None for row in rows) == len(house.asked) == 2


async def test_from_another_process(house: House) -> None:
    """SCALE-1: whoever is asked tells whoever carries the run out; no heartbeat needs to pass."""
    house.runtime.worker.lease = FOR_EVER
    ann = await house.someone()
    house.says(Answer(WORDS, fault=SILENT))
    accepted = await begun(house, ann)
    await until(house, ann, accepted, "text_grew")
    await Desk(house.runtime.engine).cancel(ann, accepted.run.id)
    assert (await left(house)).disconnected
    assert (await house.hear(ann, accepted)).run.status == "cancelled"


async def test_a_queued_run_never_begins(house: House) -> None:
    """LED-2: what waited for its turn says nothing and asks no model; the one before it goes on."""
    ann = await house.someone()
    house.says(Answer("first answer", gap=0.05, first_delay=0.3))
    one = await begun(house, ann)
    two = await house.desk.accept(ann, TurnRequest(message="two", session_id=one.session_id, when_busy="queue"))
    await house.desk.cancel(ann, two.run.id)
    first, second = await house.hear(ann, one), await house.hear(ann, two)
    assert (first.run.status, first.text) == ("completed", "first answer")
    assert (second.run.status, second.events[-1].outcome) == ("cancelled", "cancelled")
    assert len(house.asked) == 1


async def test_twice_and_too_late_is_no_harm(house: House) -> None:
    """LED-2: asked for again it is the same; a run that is over stays what it is."""
    ann = await house.someone()
    house.says(Answer(WORDS, fault=SILENT), "Hello.")
    accepted = await begun(house, ann)
    await until(house, ann, accepted, "text_grew")
    for _ in range(3):
        await house.desk.cancel(ann, accepted.run.id)
    cancelled = await house.hear(ann, accepted)
    assert (await house.desk.cancel(ann, accepted.run.id)).status == "cancelled"
    assert cancelled.kinds.count("run_finished") == 1
    done = await house.turn(ann, "hi", session_id=accepted.session_id)
    assert (await house.desk.cancel(ann, done.run.id)).status == "completed"
    assert (await house.session(ann, done.session_id)).state_snapshot.get("outcome") is None


class SlowMail(SendMail):
    """A post office that takes its time: what is handed in may or may not be on its way."""

    def __init__(self, sent: list[MailInput]) -> None:
        super().__init__(sent)
        self.handed_in = sent

    async def run(self, state: RuntimeState) -> ToolResult:
        self.handed_in.append(self.arguments(state))
        await asyncio.sleep(FOR_EVER)
        return ToolResult.of({"sent": True})


@pytest.fixture
async def slow_house(turns_database: Any, tmp_path: Path) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(a_house(turns_database, tmp_path, mail=SlowMail))


async def test_while_a_tool_is_doing_something_to_the_world(slow_house: House) -> None:
    """STATE-5: it is not waited for, and nobody claims to know whether it happened."""
    house = slow_house
    ann = await People(house.database).user()
    house.says(calls("send_mail", to="bob", text="hi"))
    paused = await house.turn(ann, "write to bob")
    (asked,) = paused.of("approval_asked")
    await house.desk.decide(ann, asked.approval_id, Decision(approved=True))
    while not house.sent:  # noqa: ASYNC110
        await asyncio.sleep(0.002)
    await house.desk.cancel(ann, paused.run.id)
    async with asyncio.timeout(20):
        while (await house.desk.run(ann, paused.run.id)).status != "cancelled":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    rows = await house.messages(ann, paused.session_id)
    assert [row.metadata.status for row in rows if row.metadata.type == "tool_result"] == ["unknown"]
    assert len(house.sent) == 1
