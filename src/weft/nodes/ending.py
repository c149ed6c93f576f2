"""The end of a turn: everything of it is written down, and the next one has something to start from."""

from weft.nodes.ports import Ending
from weft.nodes.turn import Done, Turn
from weft.state.events import RunFinished

END = "end"


async def end(turn: Turn) -> None:
    """Archive."""
    pending = tuple(each.call.id for each in turn.state.open_calls)
    ending = Ending("completed", pending=pending)
    await turn.checkpoint(Done(END, events=[RunFinished(pending_tool_calls=pending)], ending=ending))
