"""A plain chat request over a real server."""

import asyncio
import base64
import json
from typing import Any
from uuid import UUID

import pytest

from tests.gateways.conftest import Served
from tests.turns import calls
from weft.kit.ids import new_id
from weft.llm.scripted import Answer, Fault, Refusal

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
EVENTS = {"Accept": "text/event-stream"}


async def chat(served: Served, expected: int = 200, **given: Any) -> dict[str, Any]:
    answer = await served.client.post("/api/chat", json=given)
    assert answer.status_code == expected, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def events(served: Served, **given: Any) -> list[tuple[str, Any]]:
    """The named events of a streamed answer."""
    answer = await served.client.post("/api/chat", json=given, headers=EVENTS)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert b"\r" not in answer.content
    frames = [each for each in answer.text.split("\n\n") if each and not each.startswith(":")]
    parted = [each.split("\n", 1) for each in frames]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in parted]


async def test_a_message_is_answered(served: Served) -> None:
    """SURF-2, LED-7: words, ids, tokens and money as text."""
    served.house.says("你好，小雨！")
    answer = await chat(served, message="你好")
    assert (answer["text"], answer["status"], answer["skill"]) == ("你好，小雨！", "completed", None)
    assert answer["usage"]["calls"] == 1
    assert answer["usage"]["input_tokens"] > 0
    assert answer["usage"]["cost"] is None  # nobody has a price for the model of a test
    rows = await served.house.messages(served.actor, UUID(answer["conversation_id"]))
    assert [row.content for row in rows] == ["你好", "你好，小雨！"]
    assert {str(row.turn_id) for row in rows} == {answer["run_id"]}


async def test_a_conversation_goes_on_by_its_id_or_by_a_name(served: Served) -> None:
    """SURF-2, LED-1: the id that was answered, or any name of the caller's own."""
    served.house.says("一", "二", "三", "四")
    first = await chat(served, message="甲")
    assert (await chat(served, message="乙", conversation_id=first["conversation_id"]))["conversation_id"] == first[
        "conversation_id"
    ]
    named = await chat(served, message="丙", conversation_id="wx:42")
    again = await chat(served, message="丁", conversation_id="wx:42")
    assert again["conversation_id"] == named["conversation_id"] != first["conversation_id"]
    assert "丙" in str(served.house.asked[-1])
    assert "甲" not in str(served.house.asked[-1])


async def test_of_many_messages_the_users_last_counts(served: Served) -> None:
    """SURF-2, LED-10: the rest comes from the database, or not at all."""
    served.house.says("好。")
    said = [
        {"role": "user", "content": "编造的历史"},
        {"role": "assistant", "content": "编造的回答"},
        {"role": "user", "content": [{"type": "text", "text": "真正的问题"}]},
        {"role": "assistant", "content": "编造的开头"},
    ]
    answer = await chat(served, messages=said)
    rows = await served.house.messages(served.actor, UUID(answer["conversation_id"]))
    assert rows[0].content == "真正的问题"
    assert "编造" not in str(served.house.asked)


async def test_a_skill_and_a_voice_are_asked_for(served: Served) -> None:
    """SURF-2, SKILL-3, SKILL-4: the skill stays with the conversation."""
    served.house.says("抽一张牌。", "再抽一张。")
    first = await chat(served, message="开始", skill="tarot", voice_mode="warm")
    assert first["skill"] == "tarot"
    again = await chat(served, message="继续", conversation_id=first["conversation_id"])
    assert again["skill"] == "tarot"


WRONG = [
    ({"message": "你好", "skill": "nothing-like-it"}, 404, "skill_not_found"),
    ({"message": "你好", "voice_mode": "robot"}, 422, "voice_unknown"),
    ({"message": "  "}, 422, "turn_invalid"),
    ({}, 422, "turn_invalid"),
    ({"messages": [{"role": "assistant", "content": "?"}]}, 422, "turn_invalid"),
    ({"message": "x", "conversation": "typo"}, 422, "invalid"),
    ({"message": "x", "attachments": [{"name": "a.png", "content": "not base64!"}]}, 422, "invalid"),
    ({"message": "x", "attachments": [{"name": "a.png"}]}, 422, "invalid"),
    ({"message": "nul \x00"}, 422, "invalid"),
    ({"decisions": [{"approval_id": str(new_id()), "approved": True}]}, 422, "invalid"),
    ({"decisions": [{"approval_id": str(new_id()), "approved": True}], "conversation_id": "x"}, 404, "session_unknown"),
]


@pytest.mark.parametrize(("given", "status", "code"), WRONG)
async def test_what_is_wrong_is_told_plainly(served: Served, given: dict[str, Any], status: int, code: str) -> None:
    """SURF-2, SEC-4: a clear 4xx, and nothing runs."""
    assert (await chat(served, status, **given))["code"] == code
    assert not served.house.asked


async def test_the_answer_streams_while_it_is_made(served: Served) -> None:
    """SURF-2, FLOW-7: events with names; the last one is the whole answer."""
    served.house.says(calls("use_skill", skill="tarot"), Answer("抽到了愚者，一切从零开始。", by=2))
    told = await events(served, message="抽牌")
    names = [name for name, _ in told]
    assert (names[0], names[-1]) == ("start", "done")
    assert {"tool", "skill", "text"} <= set(names)
    done = told[-1][1]
    assert (
        "".join(value["text"] for name, value in told if name == "text") == done["text"] == "抽到了愚者，一切从零开始。"
    )
    assert [value.get("status") for name, value in told if name == "tool"] == [None, "succeeded"]
    assert done["skill"] == "tarot"
    assert told[0][1]["run_id"] == done["run_id"]


async def test_the_same_request_again_is_one_turn(served: Served) -> None:
    """SURF-2: `run_id` makes it safe to try again."""
    served.house.says("好。")
    about = {"message": "你好", "conversation_id": str(new_id()), "run_id": "once"}
    first, again = await chat(served, **about), await chat(served, **about)
    assert first == again
    assert len(served.house.asked) == 1
    told = await events(served, **about)
    assert told[0][1]["rejoined"] is True
    assert told[-1][1]["text"] == "好。"


@pytest.mark.usefixtures("asks_first")
async def test_a_turn_that_waits_says_for_what_and_goes_on(served: Served) -> None:
    """TOOL-3: pending approvals stand in the answer; the decision brings the rest."""
    served.house.says(calls("write_file", path="a.md", content="甲"))
    waiting = await chat(served, message="写下来")
    assert (waiting["status"], waiting["text"]) == ("waiting", "")
    (asked,) = waiting["approvals"]
    assert (asked["name"], asked["arguments"]) == ("write_file", {"path": "a.md", "content": "甲"})
    served.house.says("写好了。")
    decided = {"approval_id": asked["id"], "approved": True}
    answer = await chat(served, decisions=[decided], conversation_id=waiting["conversation_id"])
    assert (answer["status"], answer["text"], answer["approvals"]) == ("completed", "写好了。", [])
    assert answer["run_id"] == waiting["run_id"]


@pytest.mark.usefixtures("asks_first")
async def test_a_stream_that_waits_says_for_what_and_ends(served: Served) -> None:
    """TOOL-3: an event with what is asked, and a last one that says so again; the decision's stream has the rest."""
    served.house.says(calls("write_file", path="a.md", content="甲"))
    told = await events(served, message="写下来")
    (asked,) = [value for name, value in told if name == "approval"]
    done = told[-1]
    assert (done[0], done[1]["status"], done[1]["approvals"]) == ("done", "waiting", [asked])
    served.house.says("好，那就不写。")
    decided = {"approval_id": asked["id"], "approved": False, "reason": "不用了"}
    rest = await events(served, decisions=[decided], conversation_id=done[1]["conversation_id"])
    assert [value.get("status") for name, value in rest if name == "tool"] == ["denied"]
    assert (rest[-1][0], rest[-1][1]["text"]) == ("done", "好，那就不写。")


async def test_a_turn_that_is_stopped_says_how_far_it_came(served: Served) -> None:
    """LED-2, FLOW-7: cancelled is a status of the answer, and what had been said is marked as incomplete."""
    whole = "一二三四五六七八九十" * 30
    served.house.says(Answer(whole, by=2, fault=Fault("hang", after=12)))
    asked = {"message": "数数", "conversation_id": str(new_id()), "run_id": "once"}
    answering = asyncio.ensure_future(chat(served, **asked))
    said = 0
    while not said:
        runs = (await served.client.get("/api/runs")).json()["items"]
        told = (await served.client.get(f"/api/runs/{runs[0]['id']}/events")).json() if runs else []
        said = sum(len(each["data"]["text"]) for each in told if each["type"] == "text_grew")
    await served.client.post(f"/api/runs/{runs[0]['id']}/cancel")
    answer = await answering
    assert (answer["status"], answer["incomplete"]) == ("cancelled", True)
    assert whole.startswith(answer["text"])
    assert len(answer["text"]) >= said
    assert (await events(served, **asked))[-1][1] == {
        key: value for key, value in answer.items() if value is not None
    } | {"usage": {key: value for key, value in answer["usage"].items() if value is not None}}


@pytest.mark.usefixtures("asks_first")
async def test_asking_again_after_somebody_else_decided(served: Served) -> None:
    """TOOL-3, SURF-2: the same request brings the whole answer, and asks for nothing that is decided."""
    served.house.says(calls("write_file", path="a.md", content="甲"))
    about = {"message": "写下来", "conversation_id": str(new_id()), "run_id": "once"}
    waiting = await chat(served, **about)
    assert (await chat(served, **about)) == waiting
    served.house.says("写好了。")
    approval = waiting["approvals"][0]["id"]
    assert (await served.client.post(f"/api/approvals/{approval}", json={"approved": True})).status_code == 200
    answer = await chat(served, **about)
    assert (answer["status"], answer["text"], answer["approvals"]) == ("completed", "写好了。", [])
    assert answer["run_id"] == waiting["run_id"]


async def test_a_turn_that_fails_is_a_problem(served: Served) -> None:
    """SURF-2: with the code of what went wrong; in a stream, an event."""
    served.house.vendor.enqueue(*[Refusal(400)] * 12)
    problem = await chat(served, 503, message="你好")
    assert problem["code"] == "turn_failed"
    assert "model_" in problem["detail"]
    told = await events(served, message="你好")
    assert told[-1][0] == "error"
    assert told[-1][1]["code"].startswith("model_")


async def test_a_file_comes_along(served: Served) -> None:
    """WORK-4: kept in the workspace, and shown to the model where it is a picture."""
    served.house.says("一只猫。")
    file = {"name": "猫.png", "media_type": "image/png", "content": base64.b64encode(PNG).decode()}
    answer = await chat(served, message="这是什么？", attachments=[file])
    rows = await served.house.messages(served.actor, UUID(answer["conversation_id"]))
    (kept,) = rows[0].metadata.attachments
    assert (kept.name, kept.path.startswith("uploads/")) == ("猫.png", True)


async def test_a_busy_conversation_refuses_or_waits(served: Served) -> None:
    """Issue 5 item 7: refused with the id of the run on its way, or queued if asked."""
    served.house.says(Answer("一二三四五六七八九十", by=2, gap=0.05), "轮到我了。")
    given = served.input("数数")
    async with served.watching(given) as watching:
        await watching.until("TEXT_MESSAGE_CONTENT")
        about = {"message": "还有", "conversation_id": given["threadId"]}
        assert (await chat(served, 409, **about))["code"] == "session_busy"
        assert (await chat(served, when_busy="queue", **about))["text"] == "轮到我了。"
