"""What AG-UI asks of a stream, said by us: the order of events, and that nothing is open at the end."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator

Wire = dict[str, Any]
_TEXT = {"type": "string"}
_WHOLE = {"type": "integer", "minimum": 0}
_FIELDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # required, optional
    "RUN_STARTED": ({"threadId": _TEXT, "runId": _TEXT}, {"protocolVersion": {"pattern": r"^\d+\.\d+$"}}),
    "RUN_FINISHED": (
        {"threadId": _TEXT, "runId": _TEXT},
        {
            "result": {"not": {"type": "null"}},
            "outcome": {"type": "object", "required": ["type"]},
            "usage": {"type": "array", "items": {"additionalProperties": {"type": ["string", "integer"]}}},
        },
    ),
    "RUN_ERROR": ({"message": _TEXT}, {"code": _TEXT, "usage": {"type": "array"}}),
    "STEP_STARTED": ({"stepName": _TEXT}, {}),
    "STEP_FINISHED": ({"stepName": _TEXT}, {}),
    "TEXT_MESSAGE_START": ({"messageId": _TEXT}, {"role": {"enum": ["assistant", "user", "system", "developer"]}}),
    "TEXT_MESSAGE_CONTENT": ({"messageId": _TEXT, "delta": {"type": "string", "minLength": 1}}, {}),
    "TEXT_MESSAGE_END": ({"messageId": _TEXT}, {}),
    "REASONING_START": ({"messageId": _TEXT}, {}),
    "REASONING_END": ({"messageId": _TEXT}, {}),
    "REASONING_MESSAGE_START": ({"messageId": _TEXT, "role": {"const": "reasoning"}}, {}),
    "REASONING_MESSAGE_CONTENT": ({"messageId": _TEXT, "delta": {"type": "string", "minLength": 1}}, {}),
    "REASONING_MESSAGE_END": ({"messageId": _TEXT}, {}),
    "TOOL_CALL_START": ({"toolCallId": _TEXT, "toolCallName": _TEXT}, {"parentMessageId": _TEXT}),
    "TOOL_CALL_ARGS": ({"toolCallId": _TEXT, "delta": {"type": "string", "minLength": 1}}, {}),
    "TOOL_CALL_END": ({"toolCallId": _TEXT}, {}),
    "TOOL_CALL_RESULT": ({"messageId": _TEXT, "toolCallId": _TEXT, "content": _TEXT}, {"role": {"const": "tool"}}),
    "STATE_SNAPSHOT": ({"snapshot": {}}, {}),
    "STATE_DELTA": ({"delta": {"type": "array", "minItems": 1}}, {}),
    "MESSAGES_SNAPSHOT": ({"messages": {"type": "array"}}, {}),
    "CUSTOM": ({"name": {"pattern": r"^weft\.\w+$"}, "value": {}}, {}),
}
_COUNTS = ("inputTokens", "outputTokens", "totalTokens")


class ViolationError(AssertionError):
    """The stream is not as AG-UI asks."""


@dataclass
class Verifier:
    """Follows one run of a stream."""

    thread_id: str
    run_id: str
    modern: bool = True
    frontend: frozenset[str] = frozenset()
    known_calls: dict[str, str] = field(default_factory=dict)  # by an earlier run, or a snapshot
    _open: dict[str, set[str]] = field(default_factory=dict)
    _started: dict[str, str] = field(default_factory=dict)
    _answered: set[str] = field(default_factory=set)
    _begun: bool = False
    over: bool = False

    def verify(self, events: Iterable[Wire]) -> None:
        """Everything up to the end."""
        for event in events:
            self.see(event)
        _need(self.over, "the stream ends without a terminal event")

    def see(self, event: Wire) -> None:
        """One more event."""
        kind = event["type"]
        _well_formed(event)
        _need(not self.over, f"{kind} after the end")
        _need(self._begun or kind in ("RUN_STARTED", "RUN_ERROR"), f"{kind} comes first")
        handle = getattr(self, f"_{kind.lower()}", None)
        if handle is not None:
            handle(event)

    def _run_started(self, event: Wire) -> None:
        _need(not self._begun, "a second RUN_STARTED")
        _need((event["threadId"], event["runId"]) == (self.thread_id, self.run_id), "other ids than were asked for")
        _need(("protocolVersion" in event) == self.modern, "the version is told to those who told theirs")
        self._begun = True

    def _step_started(self, event: Wire) -> None:
        self._begin("step", event["stepName"])

    def _step_finished(self, event: Wire) -> None:
        self._end("step", event["stepName"])

    def _text_message_start(self, event: Wire) -> None:
        self._begin("text", event["messageId"])

    def _text_message_content(self, event: Wire) -> None:
        self._within("text", event["messageId"])

    def _text_message_end(self, event: Wire) -> None:
        self._end("text", event["messageId"])

    def _reasoning_start(self, event: Wire) -> None:
        self._begin("span", event["messageId"])

    def _reasoning_end(self, event: Wire) -> None:
        self._end("span", event["messageId"])

    def _reasoning_message_start(self, event: Wire) -> None:
        self._begin("thought", event["messageId"])

    def _reasoning_message_content(self, event: Wire) -> None:
        self._within("thought", event["messageId"])

    def _reasoning_message_end(self, event: Wire) -> None:
        self._end("thought", event["messageId"])

    def _tool_call_start(self, event: Wire) -> None:
        self._begin("call", event["toolCallId"])
        _need(event["toolCallId"] not in self._started, "a call is told of twice")
        self._started[event["toolCallId"]] = event["toolCallName"]

    def _tool_call_args(self, event: Wire) -> None:
        self._within("call", event["toolCallId"])

    def _tool_call_end(self, event: Wire) -> None:
        self._end("call", event["toolCallId"])

    def _tool_call_result(self, event: Wire) -> None:
        call = event["toolCallId"]
        name = self._started.get(call) or self.known_calls.get(call)
        _need(name is not None, f"a result of a call nobody made: {call}")
        _need(call not in self._open.get("call", ()), "a result before the call has ended")
        _need(call not in self._answered, "a second result")
        _need(name not in self.frontend, "a frontend tool is not ours to answer")
        self._answered.add(call)

    def _messages_snapshot(self, event: Wire) -> None:
        ids = [message["id"] for message in event["messages"]]
        _need(len(ids) == len(set(ids)), "two messages of one id")
        for message in event["messages"]:
            _need(None not in message.values(), "a null in a message")
            for call in message.get("toolCalls", ()):
                self.known_calls[call["id"]] = call["function"]["name"]

    def _run_error(self, _: Wire) -> None:
        self.over = True

    def _run_finished(self, event: Wire) -> None:
        _need((event["threadId"], event["runId"]) == (self.thread_id, self.run_id), "ids change")
        still = {kind: names for kind, names in self._open.items() if names}
        _need(not still, f"open at the end: {still}")
        for entry in event.get("usage", ()):
            given, written, total = (entry[count] for count in _COUNTS)
            _need(total == given + written and entry["cachedInputTokens"] <= given, "the tokens do not add up")
        self._check_outcome(event)
        self.over = True

    def _check_outcome(self, event: Wire) -> None:
        outcome = event.get("outcome", {"type": "success"})
        pending = [call for call in self._started if call not in self._answered]
        if not self.modern:
            _need(outcome["type"] != "cancelled" and "usage" not in event, "a shape that older clients refuse")
            _need("outcome" not in event or outcome["type"] == "interrupt", "an outcome that older clients refuse")
        if outcome["type"] == "interrupt":
            ids = [each["id"] for each in outcome["interrupts"]]
            _need(bool(ids) and len(ids) == len(set(ids)), "an interrupt without anything to answer, or twice")
            _need(all(None not in each.values() for each in outcome["interrupts"]), "a null in an interrupt")
        elif outcome["type"] == "cancelled":
            _need("result" not in event, "a cancelled run has no result")
        else:
            names = self._started | self.known_calls
            _need(all(names[call] in self.frontend for call in pending), f"left unanswered: {pending}")
            told = outcome.get("pendingToolCallIds", [] if self.modern else pending)
            _need(told == pending, f"pending are {pending}, not {told}")

    def _begin(self, kind: str, name: str) -> None:
        _need(name not in self._open.setdefault(kind, set()), f"{kind} {name} is open already")
        self._open[kind].add(name)

    def _within(self, kind: str, name: str) -> None:
        _need(name in self._open.get(kind, ()), f"{kind} {name} is not open")

    def _end(self, kind: str, name: str) -> None:
        self._within(kind, name)
        self._open[kind].remove(name)


def events_in(body: bytes) -> list[Wire]:
    """The events of a stream; its framing is checked on the way."""
    _need(b"\r" not in body, "a carriage return")
    _need(body.endswith(b"\n\n"), "the stream does not end with a blank line")
    frames = [each for each in body.split(b"\n\n") if each and not each.startswith(b":")]
    _need(all(each.startswith(b"data: ") and b"\n" not in each for each in frames), "one line of data per event")
    return [json.loads(each.removeprefix(b"data: ")) for each in frames]


def kinds(events: Sequence[Wire]) -> list[str]:
    """Their types."""
    return [event["type"] for event in events]


def _well_formed(event: Wire) -> None:
    _need(event["type"] in _FIELDS, f"unknown type {event['type']}")
    required, optional = _FIELDS[event["type"]]
    schema = {
        "type": "object",
        "properties": {"type": {}, "metadata": {"type": "object"}, **required, **optional},
        "required": ["type", *required],
        "additionalProperties": False,
    }
    problems = [error.message for error in Draft202012Validator(schema).iter_errors(event)]
    _need(not problems, f"{event['type']}: {problems}")
    _need(all(value is not None for key, value in event.items() if key != "value"), f"{event['type']}: a null")


def _need(holds: bool, why: str) -> None:
    if not holds:
        raise ViolationError(why)
