"""From what a model asked for to calls of the turn: arguments read, ids made distinct, the client's own set apart."""

from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson

from weft.kit.text import UnstorableError, check_storable_json, replace_unstorable
from weft.llm.tolerant_json import loads
from weft.llm.types import ToolRequest
from weft.nodes.errors import LimitReachedError
from weft.nodes.turn import Turn
from weft.state.action import Next
from weft.state.calls import ToolCall
from weft.state.changes import ToolsAsked
from weft.state.events import ToolCalled

LONGEST_NAME = 100  # of a tool that there is not: real ones are shorter
LONGEST_ID = 180
LONGEST_ARGUMENTS = 1_000_000  # characters
UNREADABLE = "unreadable_arguments"  # stands where a model wrote no JSON object
# An id shorter than this counts the calls of one answer or of one turn, and comes again in the next.
DISTINCT_ID = 9


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call that a model asked for."""

    call: ToolCall
    written: str  # its arguments, as the model wrote them
    frontend: bool

    @property
    def next(self) -> Next:
        """Where it leads."""
        return Next(f"tool:{self.call.name}", call_id=self.call.id)

    def event(self, message_id: str) -> ToolCalled:
        """What those who watch are told."""
        return ToolCalled(self.call.id, self.call.name, self._readable(), message_id, self.frontend)

    def _readable(self) -> str:
        """The arguments as the model wrote them, where any client can read that; else the same as JSON."""
        arguments = {} if UNREADABLE in self.call.arguments else dict(self.call.arguments)
        with suppress(orjson.JSONDecodeError):
            if orjson.loads(self.written) == arguments:
                return self.written
        return orjson.dumps(arguments).decode()

    @staticmethod
    def change(asked: "Sequence[AskedCall]") -> ToolsAsked:
        """What it changes in the state."""
        return ToolsAsked(tuple(each.call for each in asked))


def asked_calls(turn: Turn, requests: Sequence[ToolRequest], stage: str) -> list[AskedCall]:
    """The calls, each with an id that this conversation has not seen and arguments that can be stored."""
    if len(turn.state.turn.calls) + len(requests) > turn.limits.tool_calls:
        raise LimitReachedError(
            f"this turn wants more than {turn.limits.tool_calls} tool calls, which is all it may make"
        )
    taken = {*turn.prompts.call_ids, *turn.state.turn.calls}
    made: list[AskedCall] = []
    for request in requests:
        call_id = _free_id(request.id, taken, turn.state.turn.number)
        taken.add(call_id)
        name = replace_unstorable(request.name)[:LONGEST_NAME] or "unnamed"
        call = ToolCall(call_id, name, read_arguments(request.arguments), stage)
        made.append(AskedCall(call, request.arguments, name in turn.tools.frontend))
    return made


def read_arguments(written: str) -> Mapping[str, Any]:
    """The object that a model wrote; what is none is kept under a name of ours, for the tool to refuse."""
    if not written.strip():
        return {}
    if len(written) > LONGEST_ARGUMENTS:
        return {UNREADABLE: f"{len(written)} characters, and {LONGEST_ARGUMENTS} are read"}
    try:
        value = loads(written)
        check_storable_json(value)
    except (ValueError, UnstorableError):
        value = None
    return value if isinstance(value, dict) else {UNREADABLE: replace_unstorable(written[:2_000])}


def _free_id(wanted: str, taken: Container[str], turn: int) -> str:
    """The vendor's own id where it can be no other call's; a client, too, knows a call by it for ever."""
    base = replace_unstorable(wanted)[:LONGEST_ID] or "call"
    if turn > 1 and len(base) < DISTINCT_ID:
        base = f"{base}_{turn}"
    number, name = 1, base
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    return name
