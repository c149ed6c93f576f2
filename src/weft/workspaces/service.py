"""What can be done with a user's workspace; every way in and every other domain comes through here."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import anyio.to_thread

from weft.kit import clock
from weft.kit.actor import Actor
from weft.kit.errors import ForbiddenError
from weft.kit.ids import new_id
from weft.sessions.metadata import Attachment
from weft.workspaces import attachments, changing, log, prompt_files
from weft.workspaces.attachments import Pictures, Shown
from weft.workspaces.folder import MIB, Entry, Folder, Limits
from weft.workspaces.locks import Locks
from weft.workspaces.log import Found
from weft.workspaces.memory import Remembered
from weft.workspaces.paths import file_parts, parts_of
from weft.workspaces.prompt_files import Known, PromptFiles
from weft.workspaces.texts import text_of

UPLOADS = "uploads"
KEPT_TEXT, KEPT_PICTURES = 32 * MIB, 64 * MIB  # characters that a process remembers
_ODD = re.compile(r"[^\w.\- ]+")
Result = TypeVar("Result")


class Workspaces:
    """All workspaces below one folder; one object a process."""

    def __init__(self, root: Path, limits: Limits | None = None) -> None:
        self.root = root
        self.limits = limits or Limits()
        self.known = Known(prompt_files.size_of, KEPT_TEXT)
        self.pictures = Pictures(len, KEPT_PICTURES)
        self._locks = Locks(root / ".locks")

    def of(self, business_id: UUID, user_id: UUID) -> Folder:
        """One user's; it is made by the first file that is written in it."""
        # The driver's UUIDs are a class of their own: as text they are all alike, and plain names.
        return Folder(self.root, (str(UUID(str(business_id))), str(UUID(str(user_id)))), self.limits, self._locks)


class WorkspaceService:
    """The workspace of the actor's user. The disk is waited for beside the event loop."""

    def __init__(self, actor: Actor, workspaces: Workspaces) -> None:
        if actor.business_id is None:
            raise ForbiddenError("a workspace belongs to a user of a business, and none is named")
        self._all = workspaces
        self._folder = workspaces.of(actor.business_id, actor.owner_id)

    @property
    def folder(self) -> Path:
        """Where it stands on this machine."""
        return self._folder.path

    async def prompt_files(self) -> PromptFiles:
        """The files that stand in a prompt."""
        return await _beside(prompt_files.look, self._folder, self._all.known)

    async def look_at(self, given: Sequence[Attachment]) -> Shown:
        """What came with a message, as a prompt shows it."""
        return await _beside(attachments.look_at, self._folder, given, self._all.pictures) if given else Shown()

    async def keep(self, name: str, media_type: str, content: bytes) -> Attachment:
        """Keep what was sent along, under a name of its own."""
        path = f"{UPLOADS}/{clock.now():%Y%m%d}-{new_id().hex[-12:]}-{_clean(name)}"
        await _beside(changing.write, self._folder, path, content, by_agent=False)
        return Attachment(name=name[:255], media_type=media_type[:127], path=path)

    async def read(self, path: str) -> bytes:
        """A file."""
        return await _beside(self._folder.read, file_parts(path))

    async def read_text(self, path: str) -> str:
        """A text file."""
        return text_of(path, await _beside(self._folder.read, file_parts(path), self._all.limits.text))

    async def list(self, path: str = ".") -> list[Entry]:
        """What is in a folder."""
        return await _beside(self._folder.list, parts_of(path))

    async def usage(self) -> tuple[int, int]:
        """How many bytes and files there are."""
        return await _beside(self._folder.usage)

    async def write(self, path: str, content: bytes, *, by_agent: bool = False) -> bool:
        """Write a file whole; whether there was one before."""
        return await _beside(changing.write, self._folder, path, content, by_agent=by_agent)

    async def write_text(self, path: str, text: str, *, by_agent: bool = False) -> bool:
        """Write a text file whole; whether there was one before."""
        return await _beside(changing.write_text, self._folder, path, text, by_agent=by_agent)

    async def edit(self, path: str, old: str, new: str, *, everywhere: bool = False, by_agent: bool = False) -> int:
        """Put a passage of a text file in the place of another; how often."""
        return await _beside(changing.edit, self._folder, path, old, new, everywhere=everywhere, by_agent=by_agent)

    async def delete(self, path: str, *, by_agent: bool = False) -> None:
        """Delete a file, or an empty folder."""
        await _beside(changing.delete, self._folder, path, by_agent=by_agent)

    async def remember(self, fact: str, section: str | None = None) -> Remembered:
        """Keep a long-term fact in MEMORY.md."""
        return await _beside(changing.remember, self._folder, fact, section)

    async def forget(self, fact: str) -> str:
        """Take a fact out of it; the fact as it stood there."""
        return await _beside(changing.forget, self._folder, fact)

    async def note(self, text: str) -> None:
        """Add what happened to HISTORY.md."""
        await _beside(changing.note, self._folder, text, clock.now())

    async def search_history(self, query: str, limit: int = 20) -> Sequence[Found]:
        """The lines of HISTORY.md that say it, the best first."""
        return await _beside(log.search, self._folder, query, limit)


async def _beside(work: Callable[..., Result], *about: Any, **options: Any) -> Result:
    return await anyio.to_thread.run_sync(partial(work, *about, **options))


def _clean(name: str) -> str:
    """A name that can be a file's, as near as can be to the one given."""
    plain = _ODD.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip(" ._")
    stem, dot, ending = plain.rpartition(".")
    return f"{stem[:40]}{dot}{ending[:12]}" if stem else plain[:40] or "file"
