"""`report`: the default output tool. It is the organization stage (STATE-4), and no model is told of it."""

from typing import ClassVar

from weft.state.runtime import RuntimeState
from weft.tools.tool import Effect, Kind, Tool, ToolInput, ToolResult


class ReportInput(ToolInput):
    """Nothing is asked: the answer is worded from what was understood and found."""


class Report(Tool[ReportInput]):
    """The step of this name words the answer; a model that calls it all the same is led there."""

    name: ClassVar[str] = "report"
    description: ClassVar[str] = "Word the answer for the user from what was found."
    effect: ClassVar[Effect] = Effect.READ
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.OUTPUT})
    input = ReportInput

    async def run(self, state: RuntimeState) -> ToolResult:
        """What was found stands in the conversation already."""
        self.arguments(state)
        return ToolResult.of({"status": "the answer is worded next"}, summary="the answer follows")
