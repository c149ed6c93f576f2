"""`list_dir`: what is in a folder of the workspace."""

from typing import Any, ClassVar

from weft.state.runtime import RuntimeState
from weft.tools.ports import FilesPort, Place
from weft.tools.tool import Effect, Tool, ToolInput, ToolResult

MOST = 200  # entries


class ListDirInput(ToolInput):
    """Which folder."""

    path: str = "."


class ListDir(Tool[ListDirInput]):
    """Names, folders with a slash at their end, files with their size."""

    name: ClassVar[str] = "list_dir"
    description: ClassVar[str] = "Show which files are in a folder of the workspace, e.g. notes."
    effect: ClassVar[Effect] = Effect.READ
    input = ListDirInput

    def __init__(self, files: FilesPort) -> None:
        self._files = files

    async def run(self, state: RuntimeState) -> ToolResult:
        """List it."""
        path = self.arguments(state).path
        found = await self._files.list_folder(path)
        said: dict[str, Any] = {"path": path, "entries": [_shown(each) for each in found[:MOST]]}
        if len(found) > MOST:
            said["left_out"] = len(found) - MOST
        return ToolResult.of(said, summary=f"{path}: {len(found)} entries")


def _shown(place: Place) -> str:
    return f"{place.name}/" if place.is_folder else f"{place.name} ({place.size} bytes)"
