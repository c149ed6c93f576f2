"""Bytes of a file as text, or what they are instead."""

from weft.workspaces.attachments import picture_type
from weft.workspaces.errors import NotTextError

_KINDS = (
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x1f\x8b", "a compressed file"),
    (b"\x7fELF", "a program"),
)


def text_of(path: str, content: bytes) -> str:
    """The text; a file that is none is named for what it is."""
    if picture_type(content[:16]) is not None:
        raise NotTextError(path, "a picture")
    kind = next((name for magic, name in _KINDS if content.startswith(magic)), None)
    if kind is not None:
        raise NotTextError(path, kind)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotTextError(path, f"binary, or in another encoding (byte {error.start})") from None
    if "\x00" in text:
        raise NotTextError(path, "binary")
    return text.removeprefix("\ufeff")
