"""`remember`: a fact for later conversations, in MEMORY.md."""

from typing import Annotated, ClassVar

from pydantic import Field

from weft.state.runtime import RuntimeState
from weft.tools.ports import MemoryPort
from weft.tools.tool import Effect, Tool, ToolInput, ToolResult


class RememberInput(ToolInput):
    """The fact, and the heading that it belongs under."""

    fact: Annotated[str, Field(min_length=1)]
    section: str | None = None


class Remember(Tool[RememberInput]):
    """Each fact is kept once."""

    name: ClassVar[str] = "remember"
    description: ClassVar[str] = (
        "Keep a lasting fact or preference, one sentence, e.g. 养了一只叫团子的猫, section=家人. "
        "Not what is only of today."
    )
    effect: ClassVar[Effect] = Effect.WRITE
    input = RememberInput

    def __init__(self, memory: MemoryPort) -> None:
        self._memory = memory

    async def run(self, state: RuntimeState) -> ToolResult:
        """Keep it."""
        asked = self.arguments(state)
        status = await self._memory.remember(asked.fact, asked.section)
        return ToolResult.of({"status": status}, summary=f"{status}: {asked.fact[:200]}")
