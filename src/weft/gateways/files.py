"""Files that come along with a request: their bytes are kept in the user's workspace, once, however often they come."""

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from weft.kit.text import replace_unstorable
from weft.sessions.metadata import Attachment
from weft.workspaces.service import WorkspaceService

LONGEST_LINK = 1_024
UNREADABLE = "data:,unreadable"  # a model is told that there was something, and that it cannot be looked at
_ENDINGS = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "text/csv": ".csv",
    "text/markdown": ".md",
    "text/plain": ".txt",
}
_DATA = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w.+-]+=[\w.+-]+)*;base64,", re.ASCII | re.IGNORECASE)
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file as a request brings it: its bytes, or where it is said to be; neither, where it cannot be read."""

    name: str
    media_type: str
    content: bytes | None = None
    link: str | None = None

    @property
    def readable(self) -> bool:
        """Whether there is anything of it."""
        return self.content is not None or self.link is not None


def file_of_url(url: str, name: str | None = None, media_type: str | None = None) -> GivenFile:
    """What a URL stands for: bytes, where it holds them itself, else a link that nobody fetches."""
    head = _DATA.match(url)
    if head is not None:
        return file_of_base64(url[head.end() :], name, media_type or head[1])
    shown = _named(name, media_type)
    if url[:8].lower().startswith(("http://", "https://")) and len(url) <= LONGEST_LINK:
        return GivenFile(*shown, link=replace_unstorable(url))
    return GivenFile(*shown)


def file_of_base64(written: str, name: str | None = None, media_type: str | None = None) -> GivenFile:
    """A file from its bytes in base64."""
    try:
        return GivenFile(*_named(name, media_type), content=base64.b64decode(written, validate=True))
    except (binascii.Error, ValueError):
        return GivenFile(*_named(name, media_type))


async def kept(workspace: WorkspaceService, files: Sequence[GivenFile]) -> tuple[Attachment, ...]:
    """The files as a turn knows them."""
    return tuple([await _kept(workspace, file) for file in files])


async def _kept(workspace: WorkspaceService, file: GivenFile) -> Attachment:
    if file.content is None:
        return Attachment(name=file.name, media_type=file.media_type, path=file.link or UNREADABLE)
    # named by its bytes, so that a request that is sent again brings nothing new
    path = f"uploads/{hashlib.sha256(file.content).hexdigest()[:32]}{_ending(file)}"
    await workspace.write(path, file.content)
    return Attachment(name=file.name, media_type=file.media_type, path=path)


def _named(name: str | None, media_type: str | None) -> tuple[str, str]:
    kind = replace_unstorable(media_type or "application/octet-stream")[:127]
    return replace_unstorable(name or "")[:255] or f"file{_ENDINGS.get(kind.lower(), '')}", kind


def _ending(file: GivenFile) -> str:
    known = _ENDINGS.get(file.media_type.lower())
    if known is not None:
        return known
    found = _ENDING.search(file.name)
    return found[0].lower() if found else ".bin"
