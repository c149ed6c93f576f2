"""Files of a workspace, as they go over the wire."""

from datetime import UTC, datetime

from pydantic import BaseModel, Field

from weft.http.answers import UtcTime
from weft.workspaces.folder import Entry


class FileView(BaseModel):
    """A file or a folder of the workspace."""

    path: str = Field(examples=["notes/plan.md"])
    is_folder: bool = False
    size: int = Field(examples=[120], description="bytes")
    modified_at: UtcTime

    @classmethod
    def of(cls, folder: str, entry: Entry) -> "FileView":
        """An entry of a folder; the workspace itself is the empty one."""
        path = f"{folder}/{entry.name}" if folder else entry.name
        at = datetime.fromtimestamp(entry.modified, UTC)
        return cls(path=path, is_folder=entry.is_folder, size=entry.size, modified_at=at)


class Kept(BaseModel):
    """A file that was sent along: an attachment, as a turn takes it."""

    name: str = Field(examples=["cat.png"])
    media_type: str = Field(examples=["image/png"])
    path: str = Field(examples=["uploads/20261119-0f6f1b2d3c4e-cat.png"])


class Written(BaseModel):
    """What became of a file."""

    path: str = Field(examples=["notes/plan.md"])
    size: int = Field(examples=[120], description="bytes")
    replaced: bool
