"""`edit_file`: a passage of a text file replaced by another."""

from typing import Annotated, ClassVar

from pydantic import Field

from weft.state.runtime import RuntimeState
from weft.tools.ports import FilesPort
from weft.tools.tool import Effect, Tool, ToolInput, ToolResult


class EditFileInput(ToolInput):
    """Which file, the passage as it stands there, and what takes its place."""

    path: Annotated[str, Field(min_length=1)]
    old_text: Annotated[str, Field(min_length=1)]
    new_text: str
    all: bool = False


class EditFile(Tool[EditFileInput]):
    """The passage must be told apart from others like it, unless all of them are meant."""

    name: ClassVar[str] = "edit_file"
    description: ClassVar[str] = (
        "Replace old_text, copied exactly from the file, by new_text. It must occur once, or set all."
    )
    effect: ClassVar[Effect] = Effect.WRITE
    input = EditFileInput

    def __init__(self, files: FilesPort) -> None:
        self._files = files

    async def run(self, state: RuntimeState) -> ToolResult:
        """Change it."""
        asked = self.arguments(state)
        count = await self._files.edit_text(asked.path, asked.old_text, asked.new_text, everywhere=asked.all)
        said = {"status": "changed", "path": asked.path, "replaced": count}
        return ToolResult.of(said, summary=f"changed {asked.path}")
