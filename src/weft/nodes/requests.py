"""From what a model asked for to calls of the turn: arguments read, ids made distinct, the client's own set apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from weft.kit.text import UnstorableError, check_storable_json
from weft.llm.tolerant_json import loads
from weft.llm.types import ToolRequest
from weft.nodes.errors import LimitReachedError
from weft.nodes.turn import Turn
from weft.state.action import Next
from weft.state.calls import ToolCall
from weft.state.changes import ToolsAsked
from weft.state.events import ToolCalled

MOST_AT_ONCE = 16
LONGEST_NAME = 128
UNREADABLE = "unreadable_arguments"  # stands where a model wrote no JSON object


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call that a model asked for."""

    request: ToolRequest
    call: ToolCall
    frontend: bool

    @property
    def next(self) -> Next:
        """Where it leads."""
        return Next(f"tool:{self.call.name}", call_id=self.call.id)

    def event(self, message_id: str) -> ToolCalled:
        """What those who watch are told."""
        return ToolCalled(self.call.id, self.call.name, self.request.arguments, message_id, self.frontend)

    @staticmethod
    def change(asked: "Sequence[AskedCall]") -> ToolsAsked:
        """What it changes in the state."""
        return ToolsAsked(tuple(each.call for each in asked))


def asked_calls(turn: Turn, requests: Sequence[ToolRequest], stage: str) -> list[AskedCall]:
    """The calls, each with an id that this turn has not seen and arguments that can be stored."""
    taken = set(turn.state.turn.calls)
    if len(taken) + len(requests) > turn.limits.tool_calls:
        raise LimitReachedError(
            f"this turn wants more than {turn.limits.tool_calls} tool calls, which is all it may make"
        )
    made: list[AskedCall] = []
    for request in requests[:MOST_AT_ONCE]:
        call_id = _free_id(request.id, taken)
        taken.add(call_id)
        name = request.name[:LONGEST_NAME] or "unnamed"
        arguments = read_arguments(request.arguments)
        clean = replace(request, id=call_id, name=name)
        if UNREADABLE in arguments:
            clean = replace(clean, arguments="{}")
        made.append(AskedCall(clean, ToolCall(call_id, name, arguments, stage), name in turn.tools.frontend))
    return made


def read_arguments(written: str) -> Mapping[str, Any]:
    """The object that a model wrote; what is none is kept under a name of ours, for the tool to refuse."""
    if not written.strip():
        return {}
    try:
        value = loads(written)
        check_storable_json(value)
    except (ValueError, UnstorableError):
        return {UNREADABLE: written[:2_000].encode("utf-8", "replace").decode().replace("\x00", "")}
    return value if isinstance(value, dict) else {UNREADABLE: written[:2_000]}


def _free_id(wanted: str, taken: set[str]) -> str:
    base = wanted[:180] or "call"
    number, name = 1, base
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    return name
