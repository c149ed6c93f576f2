"""`compute`: what the active skill computes, from real tables and never by a model (SKILL-7)."""

from typing import Annotated, Any, ClassVar

from pydantic import Field

from weft.state.runtime import RuntimeState
from weft.tools.errors import NotComputedError
from weft.tools.ports import ComputePort
from weft.tools.tool import Effect, Tool, ToolInput, ToolResult


class ComputeInput(ToolInput):
    """Which computation, where the skill has several, and how."""

    type: Annotated[str | None, Field(max_length=64)] = None
    options: Annotated[dict[str, Any], Field(default_factory=dict)]


class Compute(Tool[ComputeInput]):
    """What is to be kept of it is kept in the same transaction: a draw that was shown was drawn once."""

    name: ClassVar[str] = "compute"
    description: ClassVar[str] = (
        'Only while a skill is active: make its chart or draw its cards, e.g. type=tarot, options={"spread":"three"}.'
    )
    effect: ClassVar[Effect] = Effect.WRITE
    transactional: ClassVar[bool] = True
    input = ComputeInput

    def __init__(self, computing: ComputePort) -> None:
        self._computing = computing

    async def run(self, state: RuntimeState) -> ToolResult:
        """Carry it out."""
        asked = self.arguments(state)
        skill = state.shared.skill
        if skill is None:
            raise NotComputedError("no skill is active; call use_skill with the one that computes this, then compute")
        said = await self._computing.compute(skill, asked.type, asked.options)
        return ToolResult.of(dict(said), summary=f"computed {asked.type or skill}")
