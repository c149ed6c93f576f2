"""`/api/calls` over HTTP: what is there for whom, and in which form."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import httpx
import pytest

from tests.calls.conftest import Recorder, compiled, recorder_of
from tests.clients import Keys, bearer
from tests.context.blocks import conversation, says, usual
from tests.people import People
from tests.sessions.conftest import ended_call
from weft.accounts.authentication import LocalAuthentication
from weft.calls.context_memory import ContextMemory
from weft.kit.actor import Actor
from weft.kit.db import Database
from weft.kit.ids import new_id

MISSING = "00000000-0000-7000-8000-000000000000"


@pytest.fixture
async def mine(database: Database) -> Recorder:
    """A conversation of the one user of a local installation."""
    return await recorder_of(database, (await LocalAuthentication.prepare(database)).actor)


async def _three(recorder: Recorder) -> list[UUID]:
    """Two turns that grow, and one whose prefix collapsed."""
    first = compiled(rows=conversation(1))
    second = compiled(rows=conversation(2), after=first)
    third = compiled([says("guidelines", "New."), *usual()], conversation(3), after=second)
    return [await recorder.call(each) for each in (first, second, third)]


async def test_a_call_is_shown_with_its_blocks(local: httpx.AsyncClient, mine: Recorder) -> None:
    """SKILL-11: `GET /api/calls/{id}/context`."""
    *_, last = await _three(mine)
    answer = await local.get(f"/api/calls/{last}/context")
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    assert shown["call"]["id"] == str(last)
    assert shown["recipe"] == "phase2"
    blocks = {block["id"]: block for block in shown["blocks"]}
    assert blocks["guidelines"]["text"] == "New."
    assert blocks["guidelines"].keys() >= {"source", "trust", "scope", "place", "tokens", "state", "why", "cached"}
    assert shown["cache"]["collapsed"] is True
    assert shown["cache"]["alarms"][0]["block"] == "guidelines"
    assert shown["purses"]["prompt"]["spent"] > 0
    assert [message["role"] for message in shown["messages"]][:2] == ["system", "user"]


async def test_two_calls_are_compared(local: httpx.AsyncClient, mine: Recorder) -> None:
    """SKILL-11: `GET /api/calls/{id}/context/diff?with=`, by id or with the one before."""
    first, second, third = await _three(mine)
    before = (await local.get(f"/api/calls/{third}/context/diff", params={"with": "previous"})).json()
    assert (before["before_id"], before["broke"], before["collapsed"]) == (str(second), "guidelines", True)
    named = (await local.get(f"/api/calls/{second}/context/diff", params={"with": str(first)})).json()
    assert (named["before_id"], named["collapsed"]) == (str(first), False)
    assert (await local.get(f"/api/calls/{first}/context/diff")).json()["code"] == "context_not_kept"
    assert (await local.get(f"/api/calls/{second}/context/diff?with=yesterday")).status_code == 422


async def test_calls_are_listed_by_conversation_and_by_run(local: httpx.AsyncClient, mine: Recorder) -> None:
    """SKILL-11: newest first, page by page, each with its run, its price and what was expected of the cache."""
    turn = new_id()
    made = [*await _three(mine), await mine.call(compiled(), turn_id=turn)]
    about = {"session_id": str(mine.session_id), "limit": "3"}
    page = (await local.get("/api/calls", params=about)).json()
    rest = (await local.get("/api/calls", params=about | {"cursor": page["next_cursor"]})).json()
    listed = [*page["items"], *rest["items"]]
    assert [each["id"] for each in listed] == [str(call) for call in reversed(made)]
    assert "next_cursor" not in rest or rest["next_cursor"] is None
    assert listed[0]["turn_id"] == str(turn)
    assert listed[0].keys() >= {"purpose", "model", "input_tokens", "cost", "first_token_at", "expected_cached_tokens"}
    of_run = (await local.get("/api/calls", params={"turn_id": str(turn)})).json()
    assert [each["id"] for each in of_run["items"]] == [str(made[-1])]
    assert (await local.get("/api/calls", params={"cursor": page["next_cursor"]})).status_code == 422


async def test_the_calls_behind_a_figure_are_listed(local: httpx.AsyncClient, mine: Recorder) -> None:
    """LED-7: what a group of the ledger sums is found by the same words: model, key, time, no conversation."""
    day = datetime(2025, 3, 4, tzinfo=UTC)
    async with mine.database.transaction(mine.actor) as tx:
        ours = await ended_call(tx, key="k/rare", model="rare", started_at=day)
        theirs = await ended_call(tx, key="k/other", model="rare", started_at=day + timedelta(days=1))
    assert await _listed(local, key="k/rare") == [ours]
    assert await _listed(local, model="rare") == [theirs, ours]
    assert await _listed(local, model="rare", until=(day + timedelta(days=1)).isoformat()) == [ours]
    assert await _listed(local, model="rare", since=(day + timedelta(days=1)).isoformat()) == [theirs]
    assert await _listed(local, model="rare", session_id="none") == [theirs, ours]
    assert await _listed(local, model="rare", session_id=str(mine.session_id)) == []
    assert await _listed(local, user_id=str(new_id())) == []
    usage = (await local.get("/api/usage", params={"by": "model", "until": "2025-12-31T00:00:00Z"})).json()["totals"]
    assert [each["calls"] for each in usage if each["group"] == "rare"] == [2]


async def test_a_page_goes_on_only_where_it_began(local: httpx.AsyncClient, mine: Recorder) -> None:
    """LED-7: a cursor of one question is refused by another."""
    async with mine.database.transaction(mine.actor) as tx:
        for _ in range(2):
            await ended_call(tx, key="k/paged", model="paged")
    page = (await local.get("/api/calls", params={"model": "paged", "limit": "1"})).json()
    wrong = {"key": "k/paged", "limit": "1", "cursor": page["next_cursor"]}
    assert (await local.get("/api/calls", params=wrong)).status_code == 422
    assert (await local.get("/api/calls", params={"session_id": "some"})).status_code == 422


async def _listed(local: httpx.AsyncClient, **which: str) -> list[UUID]:
    return [UUID(each["id"]) for each in (await local.get("/api/calls", params=which)).json()["items"]]


async def test_alarms_are_among_the_figures(local: httpx.AsyncClient, mine: Recorder) -> None:
    """SKILL-11: for Prometheus, by the kind of block and by model, never by an id."""
    await _three(mine)
    figures = (await local.get("/metrics")).text
    assert 'weft_prompt_prefix_collapsed_total{block="guidelines",why="unplanned"}' in figures
    assert 'weft_prompt_cache_reported_tokens_total{model="deepseek-chat"}' in figures


async def _recorder_over(keys: Keys, anyone: httpx.AsyncClient, key: str, user: str) -> Recorder:
    session = (await anyone.post("/api/sessions", headers=bearer(key, user))).json()
    async with keys.database.system() as tx:
        from sqlalchemy import text

        found = (
            await tx.connection.execute(
                text("SELECT business_id, id FROM users WHERE external_id = :user ORDER BY id DESC LIMIT 1"),
                {"user": user},
            )
        ).one()
    actor = Actor("test", frozenset(), found.business_id, found.id)
    return Recorder(keys.database, actor, UUID(session["id"]), ContextMemory())


async def test_somebody_elses_call_is_as_one_that_does_not_exist(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-1, SKILL-11: to another user of the business, to another business; operators see their reach."""
    business, elsewhere = await keys.business(), await keys.business()
    key, other_key = await keys.key(business), await keys.key(elsewhere)
    recorder = await _recorder_over(keys, anyone, key, f"ann-{new_id().hex}")
    first, second, _ = await _three(recorder)
    for headers in (bearer(key, "bob"), bearer(other_key, "bob"), bearer(await keys.operator(business=elsewhere))):
        for path in ("context", f"context/diff?with={first}", "context/diff"):
            answers = [await anyone.get(f"/api/calls/{call}/{path}", headers=headers) for call in (second, MISSING)]
            assert [answer.status_code for answer in answers] == [404, 404]
            told, missing = (answer.json() for answer in answers)
            told["detail"] = told["detail"].replace(str(second), MISSING)
            told.pop("request_id"), missing.pop("request_id")
            assert told == missing
        listed = await anyone.get("/api/calls", params={"session_id": str(recorder.session_id)}, headers=headers)
        assert listed.json()["items"] == []
    for headers in (bearer(await keys.operator(business=business)), bearer(await keys.operator())):
        answer = await anyone.get(f"/api/calls/{second}/context", headers=headers)
        assert answer.status_code == 200, answer.text
        assert isinstance(answer.json()["cache"]["anyone_tokens"], int)
    refused = await anyone.get(
        f"/api/calls/{second}/context", headers=bearer(await keys.key(business, rights={"usage"}), "x")
    )
    assert refused.status_code == 403


async def test_a_diff_with_somebody_elses_call_is_refused(
    local: httpx.AsyncClient, mine: Recorder, people: People
) -> None:
    """SEC-1: the other side of a comparison is looked at with the same eyes."""
    theirs = await (await recorder_of(mine.database, await people.user())).call(compiled())
    own = await mine.call(compiled())
    assert (await local.get(f"/api/calls/{own}/context/diff?with={theirs}")).json()["code"] == "call_unknown"
