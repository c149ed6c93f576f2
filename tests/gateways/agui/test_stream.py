"""Runs that are joined over a real server: in the middle, after the end, at a pause and past it."""

import pytest

from tests.gateways.agui.seen import follow, paused, resumed, verify
from tests.gateways.client import Client
from tests.gateways.conftest import Served
from tests.gateways.verifier import kinds
from tests.turns import calls
from weft.llm.scripted import Answer

CHART = {"name": "show_chart", "description": "Shows a chart.", "parameters": {"type": "object", "properties": {}}}


async def test_joining_in_mid_answer(served: Served) -> None:
    """SURF-1: the same threadId and runId again start nothing; the answer is picked up where it stands."""
    whole = "春江潮水连海平，海上明月共潮生。" * 8
    served.house.says(Answer(whole, by=2, gap=0.02))
    given = served.input("背一首诗")
    async with served.watching(given) as watching:
        await watching.until("TEXT_MESSAGE_CONTENT", 4)
    broken = Client(list(given["messages"]))
    broken.follow(watching.events)
    again = {**given, "messages": broken.messages}
    events = await served.agui(again)
    verify(again, events)
    assert kinds(events)[:3] == ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT"]
    partial = events[2]["messages"][-1]["content"]
    assert partial
    assert len(partial) < len(whole)
    assert kinds(events).count("TEXT_MESSAGE_START") == 1
    broken.follow(events)
    assert [message["content"] for message in broken.messages] == ["背一首诗", whole]
    assert follow({"messages": []}, events).messages == broken.messages
    assert len(served.house.asked) == 1


async def test_joining_after_the_end(served: Served) -> None:
    """SURF-1: a finished run is told as it ended, and runs no second time."""
    served.house.says(calls("use_skill", skill="tarot"), "抽到了愚者。")
    given = served.input("抽牌")
    first = follow(given, await served.agui(given))
    events = await served.agui(given)
    verify(given, events)
    late = follow({"messages": []}, events)
    assert late.messages == first.messages
    assert late.state == first.state
    assert events[-1]["outcome"] == {"type": "success"}
    assert len(served.house.asked) == 2


async def test_joining_shows_earlier_turns_too(served: Served) -> None:
    """LED-1: a thread is a conversation; ids stay what they were."""
    served.house.says("一", calls("user_context"), "二")
    given = served.input("甲")
    client = follow(given, await served.agui(given))
    second = served.input("乙", threadId=given["threadId"])
    second["messages"] = [*client.messages, *second["messages"]]
    client = follow(second, await served.agui(second))
    again = {**second, "messages": second["messages"][-1:]}
    assert follow({"messages": []}, await served.agui(again)).messages == client.messages


@pytest.mark.usefixtures("asks_first")
async def test_joining_a_run_that_waits(served: Served) -> None:
    """SURF-1, TOOL-3: the interrupt is told again."""
    given, client = await paused(served)
    events = await served.agui(given)
    verify(given, events)
    late = follow({"messages": []}, events)
    assert late.interrupts == client.interrupts
    assert late.messages == client.messages


@pytest.mark.usefixtures("asks_first")
async def test_joining_a_run_that_somebody_else_let_go_on(served: Served) -> None:
    """SURF-1, TOOL-3: decided over HTTP, the run is followed past its pause; each name shows its own part of it."""
    served.house.says(
        (calls("write_file", "x", path="x.md", content="1"), calls("write_file", "y", path="y.md", content="2"))
    )
    given = served.input("写两个")
    client = follow(given, await served.agui(given))
    first, second = client.interrupts
    half = resumed(given, client, approved=True)
    half["resume"] = half["resume"][:1]
    assert follow(half, await served.agui(half)).interrupts == [second]
    served.house.says("写好了。")
    answer = await served.client.post(f"/api/approvals/{second['id']}", json={"approved": True})
    assert answer.status_code == 200
    events = await served.agui(half)  # the newest name: what came after the pause is its
    verify(half, events)
    assert follow({"messages": []}, events).messages[-1]["content"] == "写好了。"
    again = await served.agui(given)  # the first one: it ended with a question that another name has answered
    verify(given, again)
    assert [each["id"] for each in again[-1]["outcome"]["interrupts"]] == [first["id"], second["id"]]


async def test_a_client_that_goes_away_stops_nothing(served: Served) -> None:
    """SURF-1: the run goes on to its end."""
    served.house.says(Answer("一二三四五六七八九十" * 5, by=2, gap=0.01))
    given = served.input("数数")
    async with served.watching(given) as watching:
        await watching.until("TEXT_MESSAGE_CONTENT")
    events = await served.agui(given)
    assert follow({"messages": []}, events).messages[-1]["content"] == "一二三四五六七八九十" * 5


async def test_joining_where_a_frontend_tool_waits(served: Served) -> None:
    """SURF-1: a client that comes back learns which calls are its to carry out."""
    served.house.says(calls("show_chart", "chart_1", kind="pie"))
    given = served.input("画图", tools=[CHART])
    await served.agui(given)
    events = await served.agui(given)
    verify(given, events)
    assert events[-1]["outcome"]["pendingToolCallIds"] == ["chart_1"]
    (call,) = follow({"messages": []}, events).messages[-1]["toolCalls"]
    assert call["function"] == {"name": "show_chart", "arguments": '{"kind": "pie"}'}
