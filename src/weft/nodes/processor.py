"""Moves a turn on: it reads the last action's `next`, and neither handles nor keeps any data (STATE-4)."""

from collections.abc import Awaitable, Callable, Mapping

from weft.nodes.calling import tools
from weft.nodes.ending import end
from weft.nodes.intent import intent
from weft.nodes.planning import planner
from weft.nodes.reflecting import reflection
from weft.nodes.reporting import output, report
from weft.nodes.turn import Turn

Node = Callable[[Turn], Awaitable[None]]
_TOOL = "tool:"
NODES: Mapping[str, Node] = {
    "intent": intent,
    "planner": planner,
    "tools": tools,
    "reflection": reflection,
    "report": report,
    "output": output,
    "end": end,
}
STAGE_OF: Mapping[str, str] = {
    "intent": "intent",
    "planner": "execution",
    "tools": "execution",
    "reflection": "execution",
    "report": "organization",
    "output": "organization",
    "end": "archive",
}


def next_node(turn: Turn) -> str | None:
    """The node that the last action leads to; None where it leads nowhere: the turn is over."""
    last = turn.state.last
    if last is None or not last.next:
        return None
    node = last.next[0].node
    return "tools" if node.startswith(_TOOL) else node


async def drive(turn: Turn, stage: str) -> None:
    """Go from node to node for as long as they belong to this stage."""
    while (node := next_node(turn)) is not None and STAGE_OF[node] == stage and not turn.resting:
        await NODES[node](turn)
