"""`set_goal`: what this turn is to reach (STATE-4: task goals are written by a tool of their own)."""

from typing import Annotated, ClassVar

from pydantic import Field

from weft.state.changes import SetTaskGoal
from weft.state.runtime import RuntimeState
from weft.tools.tool import Effect, Tool, ToolInput, ToolResult


class SetGoalInput(ToolInput):
    """The goal in a sentence."""

    goal: Annotated[str, Field(min_length=1, max_length=2_000)]


class SetGoal(Tool[SetGoalInput]):
    """It changes nothing outside the turn."""

    name: ClassVar[str] = "set_goal"
    description: ClassVar[str] = "Note the goal of work with several steps, beside its first calls."
    effect: ClassVar[Effect] = Effect.READ
    input = SetGoalInput

    async def run(self, state: RuntimeState) -> ToolResult:
        """Note it."""
        goal = self.arguments(state).goal.strip()
        return ToolResult.of({"status": "noted"}, summary=goal[:200], changes=(SetTaskGoal(goal),))
