"""SEC-5, STATE-5, LED-2: whatever is wrong with a run, it comes to an end, and its conversation goes on after it."""

import asyncio
import math
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.turns import House, Told, a_house, calls
from weft.calls.service import CallService
from weft.kit.actor import Actor, Right
from weft.kit.db import Database, DatabaseLostError
from weft.runs.journal import RunJournal
from weft.runs.repository import RunRepository
from weft.runs.schemas import Decision, GivenResult, TurnRequest
from weft.runs.taking_up import MOST_ATTEMPTS


class Rights:
    """What callers may do now; `times` is how often they may before they lose it."""

    def __init__(self) -> None:
        self.times: float = math.inf

    async def __call__(self, _via: str) -> frozenset[Right]:
        self.times -= 1
        return frozenset({Right.CHAT}) if self.times >= 0 else frozenset()


@pytest.fixture
def rights(house: House) -> Rights:
    house.runtime.worker.rights = rights = Rights()
    return rights


async def _over(house: House, actor: Actor, run_id: Any) -> Any:
    for _ in range(200):
        run = await house.desk.run(actor, run_id)
        if run.ended_at is not None:
            return run
        await asyncio.sleep(0.05)
    raise TimeoutError(f"the run is {run.status} for ever")


async def _goes_on(house: House, actor: Actor, session_id: Any) -> Told:
    """The next turn is a turn like any other: it counts its actions on, and its calls are booked."""
    house.says(calls("list_dir", "look", path="."), "Here we are again.")
    told = await house.turn(actor, "are you there?", session_id=session_id)
    assert (told.run.status, told.text) == ("completed", "Here we are again."), told.run
    return told


async def test_rights_that_are_lost_while_a_run_waits_end_it(house: House, rights: Rights) -> None:
    """SEC-5: approved by then or not, nothing of it happens; the call has an end, and the session is free."""
    ann = await house.someone()
    house.says((calls("send_mail", "m", to="bob"), calls("send_mail", "n", to="eve")))
    told = await house.turn(ann, "write")
    rights.times = 0
    for asked in told.of("approval_asked"):
        await house.desk.decide(ann, asked.approval_id, Decision(approved=True))
    run = await _over(house, ann, told.run.id)
    assert (run.status, run.error_code, house.sent) == ("failed", "rights_lost", [])
    rows = await house.messages(ann, told.session_id)
    results = {row.metadata.tool_call_id: row.metadata.status for row in rows if row.metadata.type == "tool_result"}
    assert results == {"m": "denied", "n": "denied"}
    session = await house.session(ann, told.session_id)
    assert (session.status, session.state_snapshot["error_id"]) == ("failed", str(run.error_id))
    rights.times = math.inf
    await _goes_on(house, ann, told.session_id)


async def test_rights_that_are_lost_while_a_turn_is_queued_end_it(house: House, rights: Rights) -> None:
    """SEC-5, LED-2: what was said stands in the conversation, unanswered; those behind it are carried out."""
    ann = await house.someone()
    house.says(calls("send_mail", "m", to="bob"))
    first = await house.turn(ann, "write")
    queued = TurnRequest(message="and then", session_id=first.session_id, when_busy="queue")
    second = await house.desk.accept(ann, queued)
    house.says("Not written.")
    (asked,) = first.of("approval_asked")
    rights.times = 1  # for what is left of the first turn
    await house.desk.decide(ann, asked.approval_id, Decision(approved=False))
    told = await house.hear(ann, second)
    assert (told.run.error_code, told.kinds[-1]) == ("rights_lost", "run_failed")
    assert (await house.desk.run(ann, first.run.id)).status == "completed"
    rights.times = math.inf
    assert (await house.messages(ann, first.session_id))[-1].content == "and then"
    await _goes_on(house, ann, first.session_id)


async def test_a_queued_turn_that_cannot_begin_ends(house: House) -> None:
    """LED-2, SEC-5: its request is checked when it begins; one that is wrong by then keeps nobody waiting."""
    ann = await house.someone()
    house.says(calls("send_mail", "m", to="bob"))
    first = await house.turn(ann, "write")
    result = GivenResult(call_id="nobody_asked", content="blue")
    request = TurnRequest(session_id=first.session_id, results=(result,), when_busy="queue")
    second = await house.desk.accept(ann, request)
    house.says("Not written.")
    await house.desk.decide(ann, first.of("approval_asked")[0].approval_id, Decision(approved=False))
    run = await _over(house, ann, second.run.id)
    assert (run.status, run.error_code) == ("failed", "turn_invalid")
    assert (await house.session(ann, first.session_id)).status == "failed"
    await _goes_on(house, ann, first.session_id)


async def test_a_run_that_is_taken_up_for_ever_ends(house: House) -> None:
    """STATE-5: after so many processes that died of it; its shown text and its calls are closed and booked."""
    ann = await house.someone()
    house.says(calls("send_mail", "m", to="bob"))
    told = await house.turn(ann, "write")
    async with house.database.transaction(ann) as tx:
        await RunRepository(tx.connection).change(told.run.id, status="queued", attempts=MOST_ATTEMPTS)
    house.runtime.worker.look()
    run = await _over(house, ann, told.run.id)
    assert (run.status, run.error_code) == ("failed", "run_gave_up")
    assert await house.desk.approvals(ann, run.id) == []
    after = await _goes_on(house, ann, told.session_id)
    first, second = await house.actions(ann, run.id), await house.actions(ann, after.run.id)
    assert second[0]["id"] == first[-1]["id"] + 1
    await _each_call_is_booked_once(house, ann, told.session_id, run.id, after.run.id)


async def _each_call_is_booked_once(house: House, actor: Actor, session_id: Any, *run_ids: Any) -> None:
    rows = await house.messages(actor, session_id) + await house.messages(actor, session_id, audit=True)
    async with house.database.transaction(actor) as tx:
        made = [call for run_id in run_ids for call in await CallService(tx).of_turn(run_id)]
    booked = [row.call_id for row in rows if row.call_id is not None]
    assert sorted(booked) == sorted(call.id for call in made)


async def test_a_run_whose_own_actions_cannot_be_read_ends(house: House) -> None:
    """STATE-5: with as little as is needed: the session is free, and the next turn counts on."""
    ann = await house.someone()
    house.says(calls("send_mail", "m", to="bob"))
    told = await house.turn(ann, "write")
    broken = "UPDATE agent_actions SET body = '{\"nonsense\": 1}' WHERE run_id = $1 AND id = 2"
    await _as_owner(house.database.url, broken, told.run.id)
    await house.desk.decide(ann, told.of("approval_asked")[0].approval_id, Decision(approved=True))
    run = await _over(house, ann, told.run.id)
    assert (run.status, house.sent) == ("failed", [])
    await _goes_on(house, ann, told.session_id)


async def _as_owner(url: str, statement: str, *about: Any) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement, *about)
    finally:
        await connection.close()


async def test_an_end_that_cannot_be_written_with_its_turn_is_written_without(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STATE-5, LED-7: what no database takes ends the turn once; the model is not asked again."""
    write = RunRepository.write

    async def refuse(self: Any, owner: Any, left: Any) -> None:
        if any(node == "intent" for _, node in left.nodes):
            raise ValueError("no database takes this")
        await write(self, owner, left)

    ann = await house.someone()
    with monkeypatch.context() as patched:
        patched.setattr(RunRepository, "write", refuse)
        house.says(calls("list_dir", path="."), "never asked for")
        told = await house.turn(ann, "look")
        assert (told.run.status, told.run.error_code, len(house.asked)) == ("failed", "internal", 1)
    await _each_call_is_booked_once(house, ann, told.session_id, told.run.id)


async def test_a_database_that_goes_away_for_a_moment_fails_no_turn(
    turns_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STATE-5: the run goes on where it stands once its lease has run out; the tool is not run again."""
    write, gone = RunJournal.write, False

    async def lose(self: RunJournal, step: Any) -> None:
        nonlocal gone
        if not gone and any(node == "end" for _, node in step.nodes):
            gone = True
            raise DatabaseLostError("the database does not answer; try again in a moment")
        await write(self, step)

    monkeypatch.setattr(RunJournal, "write", lose)
    async with a_house(turns_database, tmp_path, lease_seconds=1) as house:
        ann = await house.someone()
        house.says(calls("write_file", path="n.md", content="x"), "Noted.", "Noted again.")
        accepted = await house.desk.accept(ann, TurnRequest(message="note it"))
        run = await _over(house, ann, accepted.run.id)
        assert (run.status, run.attempts) == ("completed", 2)
        told = await house.hear(ann, accepted)
        assert [each.status for each in told.of("tool_ended")] == ["succeeded"]


@pytest.mark.parametrize("at", range(1, 6))
async def test_a_turn_can_be_stopped_at_every_step(house: House, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """LED-2, STATE-5: in the middle of any write it is finished first; the end is one end, and all of it is kept."""
    write, steps = RunJournal._write, 0
    ann = await house.someone()
    house.says((calls("write_file", "w", path="n.md", content="x"), calls("use_skill", "s", skill="tarot")), "Noted.")

    async def stopping(self: RunJournal, tx: Any, step: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps == at:
            house.runtime.worker.hurry(self.held.owner.run_id)
            await asyncio.sleep(0.02)
        return await write(self, tx, step)

    with monkeypatch.context() as patched:
        patched.setattr(RunJournal, "_write", stopping)
        told = await house.turn(ann, "note it")
    if told.run.status == "completed":
        assert at >= 5  # it had come to its end
    else:
        assert told.run.status == "cancelled", told.run
    assert sum(kind in ("run_finished", "run_failed") for kind in told.kinds) == 1
    calls_made = [each.call_id for each in told.of("tool_called")]
    assert [each.call_id for each in told.of("tool_ended")] == calls_made
    await _each_call_is_booked_once(house, ann, told.session_id, told.run.id)
