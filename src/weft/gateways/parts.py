"""The content of a user's message: plain text, or parts in the spelling of AG-UI or of OpenAI."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from weft.gateways.files import GivenFile, file_of_base64, file_of_url
from weft.kit.errors import InvalidError
from weft.kit.log import get_logger

log = get_logger(__name__)
MEDIA = ("image", "audio", "video", "document")


class Said(NamedTuple):
    """What a message says: its words, and the files in it."""

    words: str = ""
    files: Sequence[GivenFile] = ()
    message_id: str | None = None


def said_in(content: Any, field: str = "messages.content") -> Said:
    """The words and the files of a content; a part that nobody here can use is left out, and the run goes on."""
    if content is None or isinstance(content, str):
        return Said(content or "")
    if not isinstance(content, list):
        raise InvalidError("the content of a message is text or a list of parts", field=field)
    words: list[str] = []
    files: list[GivenFile] = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in ("text", "input_text") and isinstance(part.get("text"), str):
            words.append(part["text"])
        elif (file := _file(kind, part)) is not None:
            files.append(file)
        else:
            log.warning("part_left_out", kind=str(kind)[:40])
    return Said("\n".join(words), files)


def _file(kind: Any, part: Any) -> GivenFile | None:
    read = _READERS.get(kind)
    return read(part) if read is not None else None


def _media(part: Mapping[str, Any]) -> GivenFile | None:
    source = part.get("source")
    if not isinstance(source, Mapping):
        return None
    metadata = part.get("metadata")
    name = metadata.get("filename") if isinstance(metadata, Mapping) else None
    inline, linked = source.get("type") == "data", source.get("type") == "url"
    value = source.get("value")
    return _of(value if linked else None, value if inline else None, source.get("mimeType"), name)


def _binary(part: Mapping[str, Any]) -> GivenFile | None:
    """As AG-UI clients before 1.0 spell it."""
    return _of(part.get("url"), part.get("data"), part.get("mimeType"), part.get("filename"))


def _image_url(part: Mapping[str, Any]) -> GivenFile | None:
    image = part.get("image_url")
    return _of(image.get("url") if isinstance(image, Mapping) else image, None, None, None)


def _openai_file(part: Mapping[str, Any]) -> GivenFile | None:
    file = part.get("file")
    return _of(None, file.get("file_data"), None, file.get("filename")) if isinstance(file, Mapping) else None


def _of(url: Any, data: Any, media_type: Any, name: Any) -> GivenFile | None:
    """None for a handle of some provider, which only that provider can read."""
    name = name if isinstance(name, str) else None
    media_type = media_type if isinstance(media_type, str) else None
    if isinstance(data, str):
        return file_of_url(data, name, media_type) if data[:5] == "data:" else file_of_base64(data, name, media_type)
    return file_of_url(url, name, media_type) if isinstance(url, str) else None


_READERS: dict[Any, Callable[[Mapping[str, Any]], GivenFile | None]] = {
    **dict.fromkeys(MEDIA, _media),
    "binary": _binary,
    "image_url": _image_url,
    "file": _openai_file,
}
