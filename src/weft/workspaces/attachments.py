"""What a user's message brought along: pictures as a model takes them, everything else by its name (WORK-4)."""

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from weft.kit.errors import CallerError
from weft.sessions.metadata import Attachment
from weft.workspaces.errors import FileMissingError, FileTooLargeError
from weft.workspaces.folder import Folder
from weft.workspaces.paths import file_parts
from weft.workspaces.remembered import FromFiles

_DATA = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w.+-]+=[\w.+-]+)*;base64,", re.ASCII)
_LINK = re.compile(r"https?://", re.IGNORECASE)
_MAGIC: Final = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_HEAD = 16  # bytes that tell a picture


@dataclass(frozen=True, slots=True)
class Shown:
    """Pictures as data URLs, and what is to be said of the rest."""

    images: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


Pictures = FromFiles[str]


def look_at(folder: Folder, attachments: Sequence[Attachment], pictures: Pictures) -> Shown:
    """Each attachment as it can be shown; what is missing or no picture stays a line of text that says so."""
    images: list[str] = []
    files: list[str] = []
    for attachment in attachments:
        try:
            picture, said = _look(folder, attachment, pictures)
        except CallerError as error:
            picture, said = None, f"{attachment.name}: {error.detail}"
        if picture is not None and len(images) >= folder.limits.images:
            picture, said = None, f"{attachment.name}: left out, for a message shows {folder.limits.images} pictures"
        if picture is not None:
            images.append(picture)
        else:
            files.append(said)
    return Shown(tuple(images), tuple(files))


def picture_type(head: bytes) -> str | None:
    """The media type of a picture that models can read, by how its bytes begin; None for anything else."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((media for magic, media in _MAGIC if head.startswith(magic)), None)


def decoded(url: str) -> tuple[str, bytes] | None:
    """The declared media type and the bytes of a data URL; None where it is none that can be read."""
    head = _DATA.match(url)
    if head is None:
        return None
    try:
        return head[1] or "application/octet-stream", base64.b64decode(url[head.end() :], validate=True)
    except (binascii.Error, ValueError):
        return None


def _look(folder: Folder, attachment: Attachment, pictures: Pictures) -> tuple[str | None, str]:
    name, path = attachment.name, attachment.path
    if path[:5].lower() == "data:":
        return _given(attachment)
    if _LINK.match(path):
        return None, f"{name}: a link to {path}, which was not fetched"
    parts = file_parts(path)
    signature = folder.signature(parts)
    if signature is None:
        raise FileMissingError(path, "the file that the user attached is not there")
    key = (*folder.steps, *parts)
    if (kept := pictures.get(key, (signature,))) is not None:
        return kept, ""
    media = picture_type(folder.head(parts, _HEAD))
    if media is None:
        return None, _no_picture(attachment, signature[2])
    if signature[2] > folder.limits.image:
        most = folder.limits.image
        raise FileTooLargeError(f"the picture has {signature[2]} bytes; at most {most} are shown to a model")
    picture = _url(media, folder.read(parts, folder.limits.image))
    pictures.put(key, (signature,), picture)
    return picture, ""


def _given(attachment: Attachment) -> tuple[str | None, str]:
    found = decoded(attachment.path)
    media = picture_type(found[1][:_HEAD]) if found is not None else None
    if found is None or media is None:
        return None, f"{attachment.name}: came as a data URL that holds no picture"
    return _url(media, found[1]), ""


def _no_picture(attachment: Attachment, size: int) -> str:
    said = f"{attachment.name}: {attachment.media_type}, {size} bytes, at {attachment.path}"
    if attachment.media_type.lower().startswith("image/"):
        return f"{said}; it is no PNG, JPEG, GIF or WebP picture, so it cannot be looked at"
    return said


def _url(media: str, content: bytes) -> str:
    return f"data:{media};base64,{base64.b64encode(content).decode()}"
