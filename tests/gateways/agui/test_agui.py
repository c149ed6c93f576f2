"""AG-UI over a real server: each way in which a run can go, as a client sees it."""

import asyncio
import base64
import json
from typing import Any

from tests.gateways.client import Client
from tests.gateways.conftest import Served
from tests.gateways.verifier import Verifier, Wire, kinds
from tests.turns import calls
from weft.llm.scripted import Answer, Fault, Refusal

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


def verify(given: dict[str, Any], events: list[Wire], known: dict[str, str] | None = None) -> None:
    frontend = frozenset(tool["name"] for tool in given.get("tools", ()))
    Verifier(given["threadId"], given["runId"], "protocolVersion" in given, frontend, known or {}).verify(events)


async def test_a_direct_answer(served: Served) -> None:
    """SURF-1, FLOW-6: text, steps, usage and a success."""
    served.house.says("你好，小雨！")
    given = served.input("你好")
    events = await served.agui(given)
    verify(given, events)
    client = Client(list(given["messages"]))
    client.follow(events)
    assert client.messages[-1]["content"] == "你好，小雨！"
    assert events[-1]["outcome"] == {"type": "success"}
    assert events[-1]["usage"][0]["model"]
    assert {"STEP_STARTED", "STEP_FINISHED", "STATE_DELTA", "CUSTOM"} <= set(kinds(events))
    assert client.state["session_id"] == given["threadId"]
