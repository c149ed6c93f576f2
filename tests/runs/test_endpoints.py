"""`/api/runs` and `/api/approvals` as a client sees them: what happened, what is asked, who may know."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.runs.conftest import Calling
from tests.turns import House, Told, calls
from weft.kit.actor import Actor, Right
from weft.llm.scripted import Answer, Fault
from weft.runs.schemas import TurnRequest


async def got(client: httpx.AsyncClient, path: str, expected: int = 200, **query: Any) -> Any:
    answer = await client.get(path, params=query)
    assert answer.status_code == expected, answer.text
    return answer.json()


async def said(client: httpx.AsyncClient, path: str, expected: int, **body: Any) -> Any:
    answer = await client.post(path, json=body or None)
    assert answer.status_code == expected, answer.text
    return answer.json()


async def test_a_run_its_actions_and_what_it_told(house: House, calling: Calling) -> None:
    """STATE-2, SURF-1: an action has all its parts; events are numbered without a gap, and read page by page."""
    ann = await house.someone()
    house.says(calls("list_dir", path="."), "你的文件夹是空的。")
    told = await house.turn(ann, "我有什么文件？")
    async with calling(ann) as client:
        run = await got(client, f"/api/runs/{told.run.id}")
        assert (run["status"], run["turn"], run["session_id"]) == ("completed", 1, str(told.session_id))
        assert run["created_at"].endswith("Z")
        actions = await got(client, f"/api/runs/{told.run.id}/actions")
        assert [each["id"] for each in actions] == list(range(1, len(actions) + 1))
        nodes = [each["node"] for each in actions]
        assert nodes.index("intent") < nodes.index("tool:list_dir") < nodes.index("reflection") < nodes.index("end")
        spent = [each["action"]["usage"]["total_tokens"] for each in actions if each["action"].get("usage")]
        assert sum(spent) == sum(call.input_tokens + call.output_tokens for call in told.of("call_made"))

        events = await got(client, f"/api/runs/{told.run.id}/events", limit=100)
        pages: list[Any] = []
        while page := await got(client, f"/api/runs/{told.run.id}/events", after=len(pages), limit=7):
            pages += page
        assert pages == events
        assert [each["seq"] for each in events] == list(range(1, len(events) + 1))
        assert (events[0]["type"], events[-1]["type"]) == ("run_started", "run_finished")
        texts = [each["data"]["text"] for each in events if each["type"] == "text_grew"]
        assert "".join(texts) == "你的文件夹是空的。"


async def test_runs_are_listed_the_newest_first(house: House, calling: Calling) -> None:
    """SEC-1: page by page, of one conversation or of all; other people's never."""
    ann, eve = await house.someone(), await house.someone()
    house.says(*["好。"] * 4)
    first = await house.turn(ann, "一")
    others = [await house.turn(ann, words) for words in ("二", "三")]
    await house.turn(eve, "四")
    mine = [str(each.run.id) for each in (*others[::-1], first)]
    async with calling(ann) as client:
        one = await got(client, "/api/runs", limit=2)
        two = await got(client, "/api/runs", limit=2, cursor=one["next_cursor"])
        assert [each["id"] for each in one["items"] + two["items"]] == mine
        assert two.get("next_cursor") is None
        of_first = await got(client, "/api/runs", session_id=str(first.session_id))
        assert [each["id"] for each in of_first["items"]] == [str(first.run.id)]
        assert (await got(client, "/api/runs", 422, cursor="nonsense"))["code"] == "invalid"
    async with calling(eve) as client:
        assert (await got(client, "/api/runs", session_id=str(first.session_id)))["items"] == []


async def test_somebody_elses_run_is_like_none(house: House, calling: Calling) -> None:
    """SEC-1: the same answer, byte for byte but for the id, and nothing changes."""
    ann, eve = await house.someone(), await house.someone()
    told = await paused(house, ann)
    (asked,) = told.of("approval_asked")
    async with calling(eve) as client:
        for path, theirs in (("/api/runs/{}", told.run.id), ("/api/approvals/{}", asked.approval_id)):
            for suffix in ("", "/actions", "/events") if "runs" in path else ("",):
                found = await got(client, path.format(theirs) + suffix, 404)
                none = await got(client, path.format(missing := uuid4()) + suffix, 404)
                del found["request_id"], none["request_id"]
                assert found == {**none, "detail": none["detail"].replace(str(missing), str(theirs))}
        await said(client, f"/api/runs/{told.run.id}/cancel", 404)
        await said(client, f"/api/approvals/{asked.approval_id}", 404, approved=True)
    assert (await house.desk.run(ann, told.run.id)).status == "waiting"
    assert [each.status for each in await house.desk.approvals(ann, told.run.id)] == ["pending"]


async def test_reading_and_acting_are_rights_of_their_own(house: House, calling: Calling) -> None:
    """SEC-2: a key that may only read can neither stop a run nor allow a call."""
    ann = await house.someone()
    told = await paused(house, ann)
    (asked,) = told.of("approval_asked")
    async with calling(replace(ann, rights=frozenset({Right.SESSIONS}))) as client:
        await got(client, f"/api/runs/{told.run.id}")
        await said(client, f"/api/runs/{told.run.id}/cancel", 403)
        await said(client, f"/api/approvals/{asked.approval_id}", 403, approved=True)
    async with calling(replace(ann, rights=frozenset({Right.CHAT}))) as client:
        await got(client, f"/api/runs/{told.run.id}", 403)
    assert (await house.desk.run(ann, told.run.id)).status == "waiting"


async def test_a_run_is_cancelled(house: House, calling: Calling) -> None:
    """LED-2: accepted at once; the model is left while it is silent; asked again, it is the same."""
    ann = await house.someone()
    house.says(Answer("one two three four five six", fault=Fault("hang", after=4)))
    accepted = await house.desk.accept(ann, TurnRequest(message="count"))
    async with calling(ann) as client:
        path = f"/api/runs/{accepted.run.id}/cancel"
        while not house.asked:
            await got(client, f"/api/runs/{accepted.run.id}")
        assert (await said(client, path, 202))["status"] in ("running", "cancelled")
        await house.vendor.settled(20)
        assert house.vendor.log[-1].disconnected
        assert (await house.hear(ann, accepted)).run.status == "cancelled"
        assert (await said(client, path, 202))["status"] == "cancelled"


async def paused(house: House, actor: Actor, *letters: str) -> Told:
    """A run that waits for somebody's word about letters."""
    house.says([calls("send_mail", f"call_{to}", to=to, text="hi") for to in letters or ("bob",)])
    return await house.turn(actor, "写信")


async def test_an_approval_over_http(house: House, calling: Calling) -> None:
    """TOOL-3: what is asked, with the schema of the answer; approved, edited, denied; the same again is nothing."""
    ann = await house.someone()
    told = await paused(house, ann, "bob", "eve", "tom")
    async with calling(ann) as client:
        pending = (await got(client, "/api/approvals", status="pending"))["items"]
        bob, eve, tom = sorted(pending, key=lambda each: each["call_id"])
        assert (bob["name"], bob["arguments"], bob["status"]) == ("send_mail", {"to": "bob", "text": "hi"}, "pending")
        assert bob["input_schema"]["required"] == ["to"]
        assert bob == await got(client, f"/api/approvals/{bob['id']}")
        wrong = await said(client, f"/api/approvals/{eve['id']}", 422, approved=True, edited_args={"to": 5})
        assert (wrong["code"], wrong["field"]) == ("turn_invalid", "edited_args.to")
        both = await said(client, f"/api/approvals/{eve['id']}", 422, approved=False, edited_args={"to": "x"})
        assert both["field"] == "edited_args"
        house.says("办好了。")
        for _ in range(2):
            decided = [
                await said(client, f"/api/approvals/{bob['id']}", 200, approved=True),
                await said(client, f"/api/approvals/{eve['id']}", 200, approved=True, edited_args={"to": "eva"}),
                await said(client, f"/api/approvals/{tom['id']}", 200, approved=False, reason="不熟"),
            ]
            assert [each["status"] for each in decided] == ["approved", "edited", "denied"]
        other = await said(client, f"/api/approvals/{tom['id']}", 409, approved=True)
        assert other["code"] == "approval_decided"
        heard = await house.hear(ann, told.accepted, after=len(await got(client, f"/api/runs/{told.run.id}/events")))
        assert heard.run.status == "completed", heard.run
        assert (await got(client, "/api/approvals", status="pending"))["items"] == []
        listed = (await got(client, "/api/approvals", limit=2))["items"]
        assert [each["created_at"] for each in listed] == sorted((each["created_at"] for each in listed), reverse=True)
    assert [letter.to for letter in house.sent] == ["bob", "eva"]


@pytest.mark.parametrize("query", [{"status": "maybe"}, {"limit": 0}, {"cursor": "x"}])
async def test_a_list_that_cannot_be(house: House, calling: Calling, query: dict[str, Any]) -> None:
    """SEC-4: 422, with the place of what is wrong."""
    async with calling(await house.someone()) as client:
        assert (await got(client, "/api/approvals", 422, **query))["code"] == "invalid"
