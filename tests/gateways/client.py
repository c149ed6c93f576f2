"""An AG-UI client's copy of a conversation and of the state: what the events make of it."""

import copy
from dataclasses import dataclass, field
from typing import Any

from tests.gateways.verifier import Wire


@dataclass
class Client:
    """Follows events the way clients do."""

    messages: list[Wire] = field(default_factory=list)
    state: Any = field(default_factory=dict)
    interrupts: list[Wire] = field(default_factory=list)

    def follow(self, events: list[Wire]) -> None:
        """Take all of these in."""
        for event in copy.deepcopy(events):
            handle = getattr(self, f"_{event['type'].lower()}", None)
            if handle is not None:
                handle(event)

    def find(self, name: str) -> Wire | None:
        """The message of that id."""
        return next((message for message in self.messages if message["id"] == name), None)

    def _text_message_start(self, event: Wire) -> None:
        self._open(event, "assistant")

    def _reasoning_message_start(self, event: Wire) -> None:
        self._open(event, "reasoning")

    def _text_message_content(self, event: Wire) -> None:
        message = self.find(event["messageId"])
        assert message is not None
        message["content"] = message.get("content", "") + event["delta"]

    _reasoning_message_content = _text_message_content

    def _text_message_end(self, event: Wire) -> None:
        message = self.find(event["messageId"])
        if message is not None and "metadata" in event:
            message["metadata"] = message.get("metadata", {}) | event["metadata"]

    _reasoning_message_end = _text_message_end

    def _tool_call_start(self, event: Wire) -> None:
        if self._call(event["toolCallId"]) is not None:
            return
        name = event.get("parentMessageId", event["toolCallId"])
        parent = self.find(name)
        if parent is None:
            parent = {"id": name, "role": "assistant"}
            self.messages.append(parent)
        call = {"name": event["toolCallName"], "arguments": ""}
        parent.setdefault("toolCalls", []).append({"id": event["toolCallId"], "type": "function", "function": call})

    def _tool_call_args(self, event: Wire) -> None:
        call = self._call(event["toolCallId"])
        assert call is not None
        call["function"]["arguments"] += event["delta"]

    def _tool_call_result(self, event: Wire) -> None:
        result = {
            "id": event["messageId"],
            "role": "tool",
            "toolCallId": event["toolCallId"],
            "content": event["content"],
        }
        owner = next(
            (
                at
                for at, message in enumerate(self.messages)
                if any(call["id"] == event["toolCallId"] for call in message.get("toolCalls", ()))
            ),
            None,
        )
        place = len(self.messages) if owner is None else owner + 1
        while owner is not None and place < len(self.messages) and self.messages[place]["role"] == "tool":
            place += 1
        self.messages.insert(place, result)

    def _state_snapshot(self, event: Wire) -> None:
        self.state = event["snapshot"]

    def _state_delta(self, event: Wire) -> None:
        for operation in event["delta"]:
            self.state = applied(self.state, operation)

    def _messages_snapshot(self, event: Wire) -> None:
        new = {message["id"]: message for message in event["messages"]}
        thoughts = any(message["role"] == "reasoning" for message in event["messages"])
        stay = [
            message
            for message in self.messages
            if message["id"] in new or (message["role"] == "reasoning" and not thoughts)
        ]
        self.messages = [new.get(message["id"], message) for message in stay]
        held = {message["id"] for message in self.messages}
        self.messages += [message for name, message in new.items() if name not in held]

    def _run_finished(self, event: Wire) -> None:
        outcome = event.get("outcome", {})
        self.interrupts = outcome.get("interrupts", [])

    def _open(self, event: Wire, role: str) -> None:
        if self.find(event["messageId"]) is None:
            self.messages.append({"id": event["messageId"], "role": role, "content": ""})

    def _call(self, name: str) -> Wire | None:
        calls = (call for message in self.messages for call in message.get("toolCalls", ()))
        return next((call for call in calls if call["id"] == name), None)


def applied(document: Any, operation: Wire) -> Any:
    """The document after one operation of a JSON patch; where it does not apply, that is an error."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")[1:]]
    if not steps:
        return operation["value"]
    place = document
    for step in steps[:-1]:
        place = place[int(step)] if isinstance(place, list) else place[step]
    last: Any = int(steps[-1]) if isinstance(place, list) else steps[-1]
    if operation["op"] == "add" and isinstance(place, list):
        assert last <= len(place)
        place.insert(last, operation["value"])
    elif operation["op"] == "add":
        place[last] = operation["value"]
    elif operation["op"] == "replace":
        assert last in place if isinstance(place, dict) else last < len(place)
        place[last] = operation["value"]
    else:
        del place[last]
    return document
