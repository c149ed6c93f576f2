"""TOOL-3: what nobody decided in time is not allowed, whoever says what to it afterwards, and the run goes on."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.runs.conftest import Calling
from tests.turns import House, Told, a_house, calls
from weft.kit import clock
from weft.kit.db import Database
from weft.runs.errors import ApprovalExpiredError
from weft.runs.schemas import Decision
from weft.runs.service import RunKeeper, RunService


@pytest.fixture
async def house(turns_database: Database, tmp_path: Path) -> AsyncIterator[House]:
    """A Weft in which a question is open for a moment only."""
    async with a_house(turns_database, tmp_path) as house:
        engine = house.runtime.engine
        object.__setattr__(engine, "limits", replace(engine.limits, approval_seconds=0.2))
        yield house


@pytest.fixture
def nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hands have not come to sweep yet."""

    async def not_yet(_self: RunKeeper) -> None:
        return None

    monkeypatch.setattr(RunKeeper, "expire_approvals", not_yet)


async def too_late(house: House) -> tuple[Any, Told, Any]:
    """A run whose question was open until a moment ago, and the question."""
    ann = await house.someone()
    house.says(calls("send_mail", to="bob", text="hi"), "那就不写了。")
    told = await house.turn(ann, "写信")
    (asked,) = told.of("approval_asked")
    while clock.now() < told.run.created_at + timedelta(seconds=0.2):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.3)
    return ann, told, asked


async def ended(house: House, actor: Any, told: Told) -> Told:
    """All that the run tells, to its last end."""
    async with asyncio.timeout(20):
        while (await house.desk.run(actor, told.run.id)).ended_at is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    async with house.database.transaction(actor) as tx:
        events = await RunService(tx).events(told.run.id, 0, 500)
    after = next(event.seq for event in events if event.type == "run_paused")
    return await house.hear(actor, told.accepted, after=after)


async def expired(house: House, actor: Any, told: Told) -> None:
    """Nothing was sent, the model heard of it, the run came to a good end."""
    rest = await ended(house, actor, told)
    assert (rest.run.status, rest.text) == ("completed", "那就不写了。")
    assert [each.status for each in rest.of("tool_ended")] == ["denied"]
    assert [each.status for each in rest.of("approval_decided")] == ["expired"]
    assert house.sent == []


async def test_by_itself(house: House) -> None:
    """TOOL-3: nobody says anything, and the run does not wait for ever."""
    ann, told, _ = await too_late(house)
    await expired(house, ann, told)


@pytest.mark.usefixtures("nobody_looks")
@pytest.mark.parametrize("decision", [Decision(approved=True), Decision(approved=False)])
async def test_a_word_that_comes_too_late(house: House, decision: Decision) -> None:
    """TOOL-3: it is said plainly, each time alike, and the run goes on as if nobody had said anything."""
    ann, told, asked = await too_late(house)
    for _ in range(2):
        with pytest.raises(ApprovalExpiredError, match="was open until"):
            await house.desk.decide(ann, asked.approval_id, decision)
    await expired(house, ann, told)


async def test_over_http(house: House, calling: Calling) -> None:
    """TOOL-3: 409, and the approval says what became of it."""
    ann, told, asked = await too_late(house)
    async with calling(ann) as client:
        for _ in range(2):
            answer = await client.post(f"/api/approvals/{asked.approval_id}", json={"approved": True})
            assert (answer.status_code, answer.json()["code"]) == (409, "approval_expired")
        shown = (await client.get(f"/api/approvals/{asked.approval_id}")).json()
        assert (shown["status"], shown["decided_by"]) == ("expired", "time")
    await expired(house, ann, told)


@pytest.mark.parametrize("swept", [False, True])
async def test_over_ag_ui(house: House, swept: bool, request: pytest.FixtureRequest) -> None:
    """SURF-1, TOOL-3: a client that resumes too late is told how the run went on, not refused for ever."""
    if not swept:
        request.getfixturevalue("nobody_looks")
    ann, told, asked = await too_late(house)
    if swept:
        await ended(house, ann, told)
    given = [(asked.approval_id, Decision(approved=True))]
    accepted = await house.desk.resume(ann, str(told.session_id), "late", given)
    heard = await house.hear(ann, accepted)
    assert heard.run.status == "completed"
    await expired(house, ann, told)


async def test_what_was_allowed_in_time_stays_allowed(house: House) -> None:
    """TOOL-3: the same word again, after the time has run out, is nothing new."""
    ann = await house.someone()
    house.says(calls("send_mail", "a", to="bob"), "寄出去了。")
    told = await house.turn(ann, "写信")
    (asked,) = told.of("approval_asked")
    first = await house.desk.decide(ann, asked.approval_id, Decision(approved=True))
    await ended(house, ann, told)
    await asyncio.sleep(0.3)
    assert await house.desk.decide(ann, asked.approval_id, Decision(approved=True)) == first
    assert len(house.sent) == 1
