"""What others' programs for AG-UI make of it, where they are at hand.

AGUI_JS names a package.json beside which `@ag-ui/client` is installed, AGUI_JS_OLD one with a client from before 1.0;
AGUI_VALIDATE names the program `ag-ui-validate`, and AGUI_CHECK a script for node that takes `URL --input FILE --json`.
"""

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.gateways.client import Client
from tests.gateways.conftest import Served
from tests.gateways.verifier import events_in, kinds
from tests.turns import calls
from weft.kit.ids import new_id
from weft.llm.scripted import Answer, Refusal

DRIVER = Path(__file__).with_name("official_client.mjs")
PROGRAMS = [name for name in ("AGUI_JS", "AGUI_JS_OLD", "AGUI_CHECK", "AGUI_VALIDATE") if os.environ.get(name)]
CHART = {"name": "show_chart", "description": "Shows a chart.", "parameters": {"type": "object", "properties": {}}}
pytestmark = pytest.mark.skipif(not (shutil.which("node") and PROGRAMS), reason="no client: set AGUI_JS")


async def run(program: list[str], given: bytes = b"", **environment: str) -> tuple[int, bytes]:
    process = await asyncio.create_subprocess_exec(
        *program,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **environment},
    )
    out, _ = await process.communicate(given)
    return process.returncode or 0, out


class Official:
    """One of the programs, and a server for it."""

    def __init__(self, served: Served, name: str, folder: Path) -> None:
        self.served = served
        self.name = name
        self.url = f"{served.url}/agui"
        self.file = folder / "input.json"

    async def run(self, given: dict[str, Any]) -> Any:
        """A run as the program sees it: it refuses nothing, and has nothing to warn of."""
        match self.name:
            case "AGUI_CHECK":
                self.file.write_bytes(json.dumps(given).encode())
                _, out = await run(["node", os.environ[self.name], self.url, "--input", str(self.file), "--json"])
                seen = json.loads(out)
                assert seen["ok"], seen["violations"]
                return seen | {"interrupts": seen["pendingInterrupts"]}
            case "AGUI_VALIDATE":
                return await self._validated(given)
            case _:
                return await self._driven(given)

    async def leave(self, given: dict[str, Any], pieces: int) -> list[Any]:
        """Begin a run, and go away after so many pieces of its answer; the messages that are left."""
        if self.name in ("AGUI_JS", "AGUI_JS_OLD"):
            messages: list[Any] = (await self._driven(given, fails=True, dropAfter=pieces))["messages"]
            return messages
        async with self.served.watching(given) as watching:
            await watching.until("TEXT_MESSAGE_CONTENT", pieces)
        client = Client(list(given["messages"]))
        client.follow(watching.events)
        return client.messages

    async def _driven(self, given: dict[str, Any], *, fails: bool = False, **options: Any) -> Any:
        about = json.dumps({"url": self.url, "input": given, **options}).encode()
        _, out = await run(["node", str(DRIVER)], about, AGUI_JS=os.environ[self.name])
        seen = json.loads(out)
        assert seen["failure"] is None or fails, seen
        assert seen["warnings"] == [], seen
        return seen

    async def _validated(self, given: dict[str, Any]) -> Any:
        answer = await self.served.client.post("/agui", json=given)
        program = [os.environ[self.name], "-", "--json", "--max-warnings", "0"]
        status, out = await run(program, answer.content)
        assert status == 0, out.decode()
        events = events_in(answer.content)
        client = Client(list(given["messages"]))
        client.follow(events)
        seen = {"messages": client.messages, "state": client.state, "interrupts": client.interrupts}
        return seen | {"events": kinds(events)}


@pytest.fixture(params=PROGRAMS or ["none"])
def official(request: pytest.FixtureRequest, served: Served, tmp_path: Path) -> Official:
    return Official(served, request.param, tmp_path)


async def test_a_direct_answer(official: Official) -> None:
    """SURF-1."""
    official.served.house.says("你好，小雨！")
    given = official.served.input("你好")
    seen = await official.run(given)
    assert seen["messages"][-1]["content"] == "你好，小雨！"
    assert seen["state"]["session_id"] == given["threadId"]


async def test_thoughts_and_tools(official: Official) -> None:
    """SURF-1: reasoning, a skill, and several tools at once."""
    reads = (calls("list_dir", "a", path="."), calls("user_context", "b"))
    official.served.house.says(
        Answer(tool_calls=(calls("use_skill", "s", skill="tarot"),), reasoning="先看看要用哪个技能"),
        reads,
        Answer("抽到了愚者。", reasoning="想一想"),
    )
    given = official.served.input("抽牌")
    seen = await official.run(given)
    assert seen["messages"][-1]["content"] == "抽到了愚者。"
    assert "REASONING_MESSAGE_CONTENT" in seen["events"]
    assert seen["state"]["skill"] == "tarot"


@pytest.mark.usefixtures("asks_first")
@pytest.mark.parametrize(
    ("payload", "status"),
    [
        ({"approved": True}, "resolved"),
        ({"approved": True, "editedArgs": {"path": "b.md", "content": "乙"}}, "resolved"),
        ({"approved": False}, "resolved"),
        (None, "cancelled"),
    ],
)
async def test_an_approval(official: Official, payload: Any, status: str) -> None:
    """TOOL-3: approved, edited, denied, cancelled."""
    official.served.house.says(calls("write_file", path="a.md", content="甲"))
    given = official.served.input("写下来")
    waiting = await official.run(given)
    assert waiting["events"][-1] == "RUN_FINISHED"
    interrupts = waiting["interrupts"]
    official.served.house.says("好了。")
    answer = {"interruptId": interrupts[0]["id"], "status": status}
    resume = [answer if payload is None else answer | {"payload": payload}]
    again = {**given, "runId": f"run-{new_id()}", "messages": waiting["messages"], "resume": resume}
    seen = await official.run(again)
    assert seen["messages"][-1]["content"] == "好了。"
    assert [message["role"] for message in seen["messages"]] == ["user", "assistant", "tool", "assistant"]


async def test_a_cancelled_run(official: Official) -> None:
    """SURF-1."""
    official.served.house.says(Answer("一二三四五六七八九十" * 30, by=2, gap=0.02))
    given = official.served.input("数数")
    watching = asyncio.ensure_future(official.run(given))
    await asyncio.sleep(0.7)
    run_id = None
    while run_id is None:
        runs = (await official.served.client.get("/api/runs")).json()["items"]
        run_id = runs[0]["id"] if runs else None
    await official.served.client.post(f"/api/runs/{run_id}/cancel")
    seen = await watching
    assert seen["events"][-1] == "RUN_FINISHED"


async def test_a_vendor_that_fails(official: Official) -> None:
    """SURF-1."""
    official.served.house.vendor.enqueue(*[Refusal(400)] * 6)
    given = official.served.input("你好")
    seen = await official.run(given)
    assert seen["events"][-1] == "RUN_ERROR"


async def test_joining_in_mid_answer_and_after_the_end(official: Official) -> None:
    """SURF-1: one gapless answer, whenever the client comes back."""
    whole = "春江潮水连海平，海上明月共潮生。" * 10
    official.served.house.says(Answer(whole, by=2, gap=0.02))
    given = official.served.input("背一首诗")
    left = await official.leave(given, 4)
    assert left[-1]["content"] in whole
    again = {**given, "messages": left}
    seen = await official.run(again)
    assert [message["content"] for message in seen["messages"]] == ["背一首诗", whole]
    assert seen["events"][:3] == ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT"]
    late = await official.run(given)
    assert [message["content"] for message in late["messages"]] == ["背一首诗", whole]


async def test_a_frontend_tool(official: Official) -> None:
    """SURF-1."""
    official.served.house.says(calls("show_chart", "chart_1", kind="pie"))
    given = official.served.input("画图", tools=[CHART])
    seen = await official.run(given)
    (call,) = seen["messages"][-1]["toolCalls"]
    assert call["function"]["arguments"] == '{"kind": "pie"}'
    official.served.house.says("图画好了。")
    answered = {"id": "t1", "role": "tool", "toolCallId": "chart_1", "content": "shown"}
    second = official.served.input(
        threadId=given["threadId"], tools=[CHART], messages=[*seen["messages"], answered], state=seen["state"]
    )
    done = await official.run(second)
    assert done["messages"][-1]["content"] == "图画好了。"
