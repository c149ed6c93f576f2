"""`write_file`: a text file of the workspace, written whole."""

from typing import Annotated, ClassVar

from pydantic import Field

from weft.state.runtime import RuntimeState
from weft.tools.ports import FilesPort
from weft.tools.tool import Effect, Tool, ToolInput, ToolResult


class WriteFileInput(ToolInput):
    """Which file, and all of its text."""

    path: Annotated[str, Field(min_length=1)]
    content: str


class WriteFile(Tool[WriteFileInput]):
    """A new file, or one replaced: whole, or not at all."""

    name: ClassVar[str] = "write_file"
    description: ClassVar[str] = (
        "Save a whole text file, e.g. notes/plan.md. It replaces what is there; for a part, use edit_file."
    )
    effect: ClassVar[Effect] = Effect.WRITE
    input = WriteFileInput

    def __init__(self, files: FilesPort) -> None:
        self._files = files

    async def run(self, state: RuntimeState) -> ToolResult:
        """Write it."""
        asked = self.arguments(state)
        replaced = await self._files.write_text(asked.path, asked.content)
        status = "replaced" if replaced else "created"
        said = {"status": status, "path": asked.path, "characters": len(asked.content)}
        return ToolResult.of(said, summary=f"{status} {asked.path}")
