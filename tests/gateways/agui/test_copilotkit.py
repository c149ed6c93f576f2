"""The addresses of CopilotKit's front ends: run, connect, stop, as its own client and ours see them."""

from typing import Any

import pytest

from tests.gateways.agui.official import HttpAgent
from tests.gateways.agui.programs import Node
from tests.gateways.client import Client
from tests.gateways.conftest import Served
from tests.gateways.verifier import Verifier, Wire, events_in, kinds
from tests.turns import calls
from weft.kit.ids import new_id
from weft.llm.scripted import Answer, Fault

AGENT = "/agui/agent/weft"
LONG = "春江潮水连海平，海上明月共潮生。" * 10


async def at(served: Served, path: str, given: dict[str, Any]) -> list[Wire]:
    """The events of an address of the agent's."""
    answer = await served.client.post(f"{AGENT}/{path}", json=given)
    assert answer.status_code == 200, answer.text
    if not answer.content:
        return []
    events = events_in(answer.content)
    Verifier(given["threadId"], given["runId"], "protocolVersion" in given).verify(events)
    return events


def empty(given: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A page that knows nothing of the conversation."""
    return {**given, "runId": f"connect-{new_id()}", "messages": [], **changes}


def seen(events: list[Wire]) -> Client:
    client = Client()
    client.follow(events)
    return client


async def test_a_run_and_the_page_that_opens_after_it(served: Served) -> None:
    """SURF-1: connecting shows the whole conversation, with the ids that it had."""
    served.house.says(calls("user_context"), "空的。", "再见。")
    first = served.input("有什么？")
    client = Client(list(first["messages"]))
    client.follow(await at(served, "run", first))
    second = served.input("再见", threadId=first["threadId"])
    second["messages"] = [*client.messages, *second["messages"]]
    client.messages = list(second["messages"])
    client.follow(await at(served, "run", second))

    events = await at(served, "connect", empty(first))
    assert kinds(events)[:3] == ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT"]
    assert events[-1]["outcome"] == {"type": "success"}
    assert seen(events).messages == client.messages
    assert seen(events).state == client.state


async def test_a_conversation_that_nobody_began(served: Served) -> None:
    """SURF-1, SEC-1: nothing, and no error; nothing is begun by looking."""
    given = served.input()
    assert await at(served, "connect", given) == []
    answer = await served.client.post(f"{AGENT}/stop/{given['threadId']}")
    assert (answer.status_code, answer.json()["stopped"]) == (200, False)
    assert (await served.client.get("/api/runs")).json()["items"] == []


async def test_connecting_in_mid_answer_and_stopping(served: Served) -> None:
    """SURF-1, LED-2: the words so far at once; a stop ends every stream of the run, and leaves the model."""
    served.house.says(Answer(LONG, by=2, fault=Fault("hang", after=20)))
    given = served.input("背一首诗")
    async with served.watching(given) as watching:
        await watching.until("TEXT_MESSAGE_CONTENT")
        asked = empty(given)
        async with served.client.stream("POST", f"{AGENT}/connect", json=asked) as answer:
            late = type(watching)(answer)
            await late.until("TEXT_MESSAGE_START")
            stopped = await served.client.post(f"{AGENT}/stop/{given['threadId']}")
            assert stopped.json()["interrupt"]["code"] == "STOPPED"
            await late.until("RUN_FINISHED")
        await watching.until("RUN_FINISHED")
    await served.house.vendor.settled(20)
    assert served.house.vendor.log[-1].disconnected
    assert seen(late.events).messages[-1]["content"] == seen(watching.events).messages[-1]["content"]
    Verifier(asked["threadId"], asked["runId"]).verify(late.events)
    again = await served.client.post(f"{AGENT}/stop/{given['threadId']}")
    assert again.json()["stopped"] is False


@pytest.mark.usefixtures("asks_first")
async def test_connecting_to_a_run_that_waits_and_after_it_went_on(served: Served) -> None:
    """TOOL-3: it is asked again; once somebody else has decided, what came of it is told."""
    served.house.says(calls("write_file", path="a.md", content="甲"))
    given = served.input("写下来")
    await at(served, "run", given)
    waiting = seen(await at(served, "connect", empty(given)))
    (asked,) = waiting.interrupts
    served.house.says("写好了。")
    await served.client.post(f"/api/approvals/{asked['id']}", json={"approved": True})
    after = seen(await at(served, "connect", empty(given)))
    assert (after.interrupts, after.messages[-1]["content"]) == ([], "写好了。")
    assert [message["role"] for message in after.messages] == ["user", "assistant", "tool", "assistant"]


async def test_there_is_no_other_agent(served: Served) -> None:
    """SURF-1: 404, and nothing runs."""
    answer = await served.client.post("/agui/agent/somebody/run", json=served.input())
    assert answer.status_code == 404
    assert not served.house.asked


@pytest.mark.parametrize("package", ["@ag-ui/client", "@ag-ui/client-0x"])
async def test_the_official_client_connects(served: Served, node: Node, package: str) -> None:
    """SURF-1: to a conversation with a past, and to none."""
    path = f"{AGENT}/connect"
    given = served.input("有什么？")
    assert (await HttpAgent(served, node, package, path=path).connect(empty(given)))["messages"] == []
    served.house.says(calls("list_dir", path="."), "空的。")
    ran = await HttpAgent(served, node, package, path=f"{AGENT}/run").run(given)
    found = await HttpAgent(served, node, package, path=path).connect(empty(given))
    assert found["messages"] == ran["messages"]
    assert found["state"] == ran["state"]
