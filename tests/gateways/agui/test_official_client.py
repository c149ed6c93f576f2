"""What others' programs for AG-UI make of it: each way in which a run can go, as each of them sees it."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.gateways.agui.official import HttpAgent, Official, Script, Seen, Validator
from tests.gateways.agui.programs import Node
from tests.gateways.conftest import Served
from tests.turns import calls
from weft.kit.ids import new_id
from weft.llm.scripted import Answer, Refusal

PROGRAMS = ("client", "client-0x", "script", "validator", "validator-0x")
CHART = {"name": "show_chart", "description": "Shows a chart.", "parameters": {"type": "object", "properties": {}}}
JOINED = ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT"]
POEM = "春江潮水连海平，海上明月共潮生。" * 10


@pytest.fixture(params=PROGRAMS)
def official(request: pytest.FixtureRequest, served: Served, tmp_path: Path) -> Official:
    """Each of them in its turn."""
    match request.param:
        case "client":
            return HttpAgent(served, request.getfixturevalue("node"), "@ag-ui/client")
        case "client-0x":
            return HttpAgent(served, request.getfixturevalue("node"), "@ag-ui/client-0x")
        case "script":
            return Script(served, request.getfixturevalue("node"), tmp_path / "input.json")
        case name:
            return Validator(served, unversioned=name == "validator-0x")


def roles(seen: Seen) -> list[str]:
    return [message["role"] for message in seen["messages"]]


async def test_a_direct_answer(official: Official) -> None:
    """SURF-1: words, and a state that names the conversation."""
    official.served.house.says("你好，小雨！")
    given = official.served.input("你好")
    seen = await official.run(given)
    assert seen["messages"][-1]["content"] == "你好，小雨！"
    assert seen["state"]["session_id"] == given["threadId"]
    assert (seen["events"][0], seen["events"][-1]) == ("RUN_STARTED", "RUN_FINISHED")


async def test_a_skill_and_thoughts(official: Official) -> None:
    """SURF-1, SKILL-3: a skill is taken on within the turn, with the model thinking before and after."""
    taken = Answer(tool_calls=(calls("use_skill", "s", skill="tarot"),), reasoning="先看看要用哪个技能")
    official.served.house.says(taken, Answer("抽到了愚者。", reasoning="想一想"))
    seen = await official.run(official.served.input("抽牌"))
    assert seen["messages"][-1]["content"] == "抽到了愚者。"
    assert "REASONING_MESSAGE_CONTENT" in seen["events"]
    assert seen["state"]["skill"] == "tarot"
    assert '"activated"' in next(message for message in seen["messages"] if message["role"] == "tool")["content"]


async def test_a_tool(official: Official) -> None:
    """SURF-1, FLOW-6: a call and its result stand in the client's copy of the conversation."""
    official.served.house.says(calls("list_dir", "a", path="."), "你的文件夹是空的。")
    seen = await official.run(official.served.input("我有什么文件？"))
    assert roles(seen) == ["user", "assistant", "tool", "assistant"]
    assert seen["messages"][2]["toolCallId"] == "a"
    assert seen["messages"][-1]["content"] == "你的文件夹是空的。"


async def test_several_tools_at_once(official: Official) -> None:
    """SURF-1, FLOW-6: reads, a write and one that fails, all in one message of the model's."""
    several = (
        calls("list_dir", "a", path="."),
        calls("user_context", "b"),
        calls("write_file", "c", path="笔记.md", content="甲"),
        calls("read_file", "d", path="没有.md"),
    )
    official.served.house.says(several, Answer('{"verdict":"done","why":"enough"}'), "都看过了。")
    seen = await official.run(official.served.input("看看，再记下来"))
    assert roles(seen) == ["user", "assistant", "tool", "tool", "tool", "tool", "assistant"]
    assert [call["id"] for call in seen["messages"][1]["toolCalls"]] == ["a", "b", "c", "d"]
    assert {message["toolCallId"] for message in seen["messages"][2:6]} == {"a", "b", "c", "d"}


async def paused(official: Official) -> tuple[dict[str, Any], Seen]:
    """A run that waits for somebody's word about a file, as the program has it."""
    official.served.house.says(calls("write_file", path="a.md", content="甲"))
    given = official.served.input("写下来")
    waiting = await official.run(given)
    assert waiting["events"][-1] == "RUN_FINISHED"
    assert len(waiting["interrupts"]) == 1
    return given, waiting


def answered(given: dict[str, Any], waiting: Seen, status: str, payload: Any) -> dict[str, Any]:
    """The same thread goes on, with this said to everything that it waits for."""
    about = {"status": status} if payload is None else {"status": status, "payload": payload}
    resume = [{"interruptId": each["id"], **about} for each in waiting["interrupts"]]
    return {**given, "runId": f"run-{new_id()}", "messages": waiting["messages"], "resume": resume}


@pytest.mark.usefixtures("asks_first")
@pytest.mark.parametrize(
    ("status", "payload", "decided", "file"),
    [
        ("resolved", {"approved": True}, "approved", "a.md"),
        ("resolved", {"approved": True, "editedArgs": {"path": "b.md", "content": "乙"}}, "edited", "b.md"),
        ("resolved", {"approved": False}, "denied", None),
        ("cancelled", None, "denied", None),
    ],
)
async def test_an_approval(official: Official, status: str, payload: Any, decided: str, file: str | None) -> None:
    """TOOL-3: approved, edited, denied, cancelled; and the same answer again decides nothing anew."""
    given, waiting = await paused(official)
    official.served.house.says("好了。")
    again = answered(given, waiting, status, payload)
    for _ in range(2):
        seen = await official.run(again)
        assert roles(seen) == ["user", "assistant", "tool", "assistant"]
        assert seen["messages"][-1]["content"] == "好了。"
        assert (file is None) is ('"denied"' in seen["messages"][2]["content"])
        assert file is None or file in seen["messages"][2]["content"]
    approvals = (await official.served.client.get("/api/approvals")).json()["items"]
    assert [each["status"] for each in approvals] == [decided]


@pytest.mark.usefixtures("asks_first")
async def test_joining_a_run_that_waits_and_that_went_on(official: Official) -> None:
    """SURF-1, TOOL-3: a client that comes back is asked again; where somebody else has decided, it sees the rest."""
    given, waiting = await paused(official)
    seen = await official.run(given)
    assert seen["interrupts"] == waiting["interrupts"]
    assert seen["messages"] == waiting["messages"]
    official.served.house.says("好了。")
    answer = {"approved": True}
    path = f"/api/approvals/{waiting['interrupts'][0]['id']}"
    assert (await official.served.client.post(path, json=answer)).status_code == 200
    seen = await official.run({**given, "messages": waiting["messages"]})
    assert seen["interrupts"] == []
    assert roles(seen) == ["user", "assistant", "tool", "assistant"]
    assert seen["messages"][-1]["content"] == "好了。"


async def test_a_cancelled_run(official: Official) -> None:
    """SURF-1: everything is closed and the run is over; what had been said stays."""
    whole = "一二三四五六七八九十" * 300
    official.served.house.says(Answer(whole, by=2, gap=0.02))
    given = official.served.input("数数")
    left = await official.leave(given, 3)
    (run,) = (await official.served.client.get("/api/runs", params={"session_id": given["threadId"]})).json()["items"]
    assert run["status"] == "running"
    house = official.served.house
    watching = house.desk.follow(official.served.actor, UUID(run["id"]))
    await anext(aiter(watching))
    await official.served.client.post(f"/api/runs/{run['id']}/cancel")
    seen = await official.run({**given, "messages": left})
    assert seen["events"][-1] == "RUN_FINISHED"
    assert whole.startswith(seen["messages"][-1]["content"])
    assert len(seen["messages"][-1]["content"]) < len(whole)


async def test_a_vendor_that_fails(official: Official) -> None:
    """SURF-1: the run's own error is its last event, with the code and the words of what went wrong."""
    official.served.house.vendor.enqueue(*[Refusal(400)] * 6)
    seen = await official.run(official.served.input("你好"))
    assert seen["events"][-1] == "RUN_ERROR"
    assert seen["said"]["code"].startswith("model_")
    assert seen["said"]["message"]


async def test_joining_in_mid_answer_and_after_the_end(official: Official) -> None:
    """SURF-1: one gapless answer, whenever the client comes back."""
    official.served.house.says(Answer(POEM, by=2, gap=0.02))
    given = official.served.input("背一首诗")
    left = await official.leave(given, 4)
    assert left[-1]["content"] in POEM
    seen = await official.run({**given, "messages": left})
    assert [message["content"] for message in seen["messages"]] == ["背一首诗", POEM]
    assert seen["events"][:3] == JOINED
    late = await official.run(given)
    assert [message["content"] for message in late["messages"]] == ["背一首诗", POEM]
    assert "TEXT_MESSAGE_CONTENT" not in late["events"]


async def test_a_frontend_tool(official: Official) -> None:
    """SURF-1: the client's own tool is the client's to answer, and the next run goes on from there."""
    official.served.house.says(calls("show_chart", "chart_1", kind="pie"))
    given = official.served.input("画图", tools=[CHART])
    seen = await official.run(given)
    (call,) = seen["messages"][-1]["toolCalls"]
    assert call["function"]["arguments"] == '{"kind": "pie"}'
    official.served.house.says("图画好了。")
    shown = {"id": "t1", "role": "tool", "toolCallId": "chart_1", "content": "shown"}
    messages = [*seen["messages"], shown]
    second = official.served.input(threadId=given["threadId"], tools=[CHART], messages=messages, state=seen["state"])
    done = await official.run(second)
    assert done["messages"][-1]["content"] == "图画好了。"
    assert "TOOL_CALL_RESULT" not in done["events"]


@pytest.mark.usefixtures("asks_first")
async def test_a_client_that_names_no_version(served: Served, node: Node) -> None:
    """SURF-1: today's client takes the shape of before 1.0 too: a tool, a question, its answer, a thought."""
    official = HttpAgent(served, node, "@ag-ui/client", unversioned=True)
    both = Answer(tool_calls=(calls("user_context", "a"), calls("write_file", path="a.md", content="甲")))
    served.house.says(both)
    given = served.input("写下来")
    waiting = await official.run(given)
    assert [each["toolCallId"] for each in waiting["interrupts"]] == ["call_1"]
    served.house.says(Answer("写好了。", reasoning="可以了"))
    seen = await official.run(answered(given, waiting, "resolved", {"approved": True}))
    assert [role for role in roles(seen) if role != "reasoning"] == ["user", "assistant", "tool", "tool", "assistant"]
    assert seen["messages"][-1]["content"] == "写好了。"
