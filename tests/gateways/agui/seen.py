"""What a client makes of a stream of AG-UI's, and what a test wants of it."""

from typing import Any

from tests.gateways.client import Client
from tests.gateways.conftest import Served
from tests.gateways.verifier import Verifier, Wire
from tests.turns import calls
from weft.kit.ids import new_id


def verify(given: dict[str, Any], events: list[Wire]) -> None:
    frontend = frozenset(tool["name"] for tool in given.get("tools", ()))
    Verifier(given["threadId"], given["runId"], "protocolVersion" in given, frontend).verify(events)


def of(events: list[Wire], kind: str) -> list[Wire]:
    return [event for event in events if event["type"] == kind]


def custom(events: list[Wire], name: str) -> list[Any]:
    return [event["value"] for event in of(events, "CUSTOM") if event["name"] == name]


def follow(given: dict[str, Any], events: list[Wire]) -> Client:
    client = Client(list(given["messages"]))
    client.follow(events)
    return client


def resumed(given: dict[str, Any], client: Client, **payload: Any) -> dict[str, Any]:
    """The same thread goes on, with an answer to everything that it waits for."""
    entries = [{"interruptId": each["id"], "status": "resolved", "payload": payload} for each in client.interrupts]
    return {**given, "runId": f"run-{new_id()}", "messages": client.messages, "resume": entries}


async def paused(served: Served, **changes: Any) -> tuple[dict[str, Any], Client]:
    """A run that waits for somebody's word about a file."""
    served.house.says(calls("write_file", path="a.md", content="甲"))
    given = served.input("写下来", **changes)
    events = await served.agui(given)
    verify(given, events)
    return given, follow(given, events)
