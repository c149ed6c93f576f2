"""`read_file`: a text file of the workspace, a page at a time."""

from typing import Annotated, Any, ClassVar

from pydantic import Field

from weft.state.runtime import RuntimeState
from weft.tools.builtin.pages import page_of
from weft.tools.ports import FilesPort
from weft.tools.tool import Effect, Tool, ToolInput, ToolResult


class ReadFileInput(ToolInput):
    """Which file, and from which line on."""

    path: Annotated[str, Field(min_length=1)]
    line: Annotated[int, Field(ge=1)] = 1


class ReadFile(Tool[ReadFileInput]):
    """As much as a prompt shows whole; where there is more, the result says from which line."""

    name: ClassVar[str] = "read_file"
    description: ClassVar[str] = (
        "Read a text file, e.g. notes/plan.md; where next_line comes back, more begins there. "
        "A skill's files: skills/<name>/…"
    )
    effect: ClassVar[Effect] = Effect.READ
    input = ReadFileInput

    def __init__(self, files: FilesPort) -> None:
        self._files = files

    async def run(self, state: RuntimeState) -> ToolResult:
        """Read it."""
        asked = self.arguments(state)
        page = page_of(await self._files.read_text(asked.path), asked.line)
        said: dict[str, Any] = {"path": asked.path, "lines": page.lines, "text": page.text}
        said |= {"next_line": page.next_line} if page.next_line else {}
        return ToolResult.of(said | page.notes, summary=f"{asked.path}, lines {page.lines}")
