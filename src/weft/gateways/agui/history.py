"""The conversation as an AG-UI client shows it: earlier turns from the database, this one from what it has told."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

import orjson

from weft.gateways.agui.input import InputMessage
from weft.gateways.agui.opened import Wire
from weft.gateways.texts import reaches, unseen
from weft.sessions.metadata import AssistantOutput, ToolCallMade, ToolResultGiven, UserInput
from weft.sessions.schemas import MessageView
from weft.state import events as told

_INCOMPLETE = {"weft": {"incomplete": True}}


class Transcript:
    """The messages of one run, as its events build them up."""

    def __init__(self, *, modern: bool = True) -> None:
        self.modern = modern
        self.messages: list[Wire] = []
        self._by_id: dict[str, Wire] = {}
        self._caller: dict[str, Wire] = {}  # by call
        self._length: dict[str, int] = {}

    @property
    def calls(self) -> Iterable[str]:
        """The tool calls it knows."""
        return self._caller.keys()

    def take(self, event: told.Event) -> None:
        """Follow an event."""
        match event:
            case told.TextStarted():
                role = "assistant" if event.kind == "answer" else "reasoning"
                self._message(event.message_id, {"role": role, "content": ""})
            case told.TextGrew():
                self._grow(event)
            case told.TextEnded(incomplete=True):
                if self.modern and event.message_id in self._by_id:
                    self._by_id[event.message_id]["metadata"] = _INCOMPLETE
            case told.ToolCalled():
                parent = self._message(event.message_id, {"role": "assistant"})
                parent.setdefault("toolCalls", []).append(_call(event.call_id, event.name, event.arguments))
                self._caller[event.call_id] = parent
            case told.ToolEnded():
                self._answer(event)
            case _:
                return

    def _message(self, message_id: str, fields: Mapping[str, Any]) -> Wire:
        found = self._by_id.get(message_id)
        if found is None:
            found = self._by_id[message_id] = {"id": message_id, **fields}
            self.messages.append(found)
        return found

    def _grow(self, event: told.TextGrew) -> None:
        message = self._by_id.get(event.message_id)
        if message is None:
            return
        length = self._length.get(event.message_id, 0)
        message["content"] = message.get("content", "") + unseen(event, length)
        self._length[event.message_id] = reaches(event, length)

    def _answer(self, event: told.ToolEnded) -> None:
        result = {"id": event.message_id, "role": "tool", "toolCallId": event.call_id, "content": event.content}
        caller = self._caller.get(event.call_id)
        place = len(self.messages) if caller is None else _after(self.messages, caller)
        self.messages.insert(place, result)


def shown_history(
    stored: Sequence[MessageView], run_id: UUID, run: Transcript, known: Sequence[InputMessage]
) -> list[Wire]:
    """All of it, oldest first; the user's messages keep the ids and the parts that the client knows them by."""
    own = {message.id: message.content for message in known if message.role == "user"}
    messages: list[Wire] = []
    for view in stored:
        if view.turn_id == run_id and not _begins(view, run):
            continue  # the run tells of it
        match view.metadata:
            case UserInput() as said:
                name = said.client_message_id or str(view.id)
                parts = own.get(name)
                messages.append(
                    {"id": name, "role": "user", "content": parts if isinstance(parts, list) else view.content or ""}
                )
            case AssistantOutput() as output:
                marked = {"metadata": _INCOMPLETE} if output.incomplete and run.modern else {}
                messages.append({"id": str(view.id), "role": "assistant", "content": view.content or "", **marked})
            case ToolCallMade() as made:
                _called(messages, view, made)
            case ToolResultGiven() as given:
                messages.append(
                    {
                        "id": str(view.id),
                        "role": "tool",
                        "toolCallId": given.tool_call_id,
                        "content": view.content or "",
                    }
                )
    return [*messages, *run.messages]


def _begins(view: MessageView, run: Transcript) -> bool:
    """Whether it is what the run was given, and not what came of it."""
    if isinstance(view.metadata, ToolResultGiven):
        return view.metadata.tool_call_id not in run.calls
    return isinstance(view.metadata, UserInput)


def _called(messages: list[Wire], view: MessageView, made: ToolCallMade) -> None:
    """Calls that follow each other were made in one answer, and stand in one message."""
    call = _call(made.tool_call_id, made.name, _json(made.arguments))
    last = messages[-1] if messages else None
    if last is not None and "toolCalls" in last and view.content is None:
        last["toolCalls"].append(call)
        return
    content = {} if view.content is None else {"content": view.content}
    messages.append({"id": str(view.id), "role": "assistant", **content, "toolCalls": [call]})


def _call(call_id: str, name: str, arguments: str) -> Wire:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _json(arguments: Any) -> str:
    return orjson.dumps(arguments).decode()


def _after(messages: Sequence[Wire], caller: Wire) -> int:
    """Behind the message that made the call, and the results that stand there already."""
    place = next(at for at, message in enumerate(messages) if message is caller) + 1
    while place < len(messages) and messages[place]["role"] == "tool":
        place += 1
    return place
