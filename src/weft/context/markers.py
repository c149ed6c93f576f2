"""Prompt-cache markers, for vendors that cache only up to a mark (Anthropic)."""

from collections.abc import Mapping, Sequence
from typing import Any

Message = dict[str, Any]
Shapes = Mapping[str, Sequence[tuple[int, bool]]]
_MARK = {"type": "ephemeral"}


def marked(messages: Sequence[Message], prefix: str, history_end: int) -> list[Message]:
    """The messages with three of the four marks that are allowed.

    The first is on the last block of the stable prefix, `prefix` being the beginning of the system text that stays;
    the second on the last message of the history before this turn; the third on the end of the call, which the next
    call of the same turn begins with.
    """
    written = [dict(message) for message in messages]
    if written and written[0]["role"] == "system":
        written[0] = _system(written[0], prefix)
    for end in (history_end, len(written)):
        _mark_last(written, end)
    return written


def _system(message: Message, prefix: str) -> Message:
    text = message["content"]
    if not prefix or not text.startswith(prefix):
        return message
    rest = text[len(prefix) :]
    parts = [{"type": "text", "text": prefix, "cache_control": _MARK}]
    return {**message, "content": [*parts, {"type": "text", "text": rest}] if rest else parts}


def _mark_last(messages: list[Message], end: int) -> None:
    for index in range(end - 1, 0, -1):
        content = messages[index].get("content")
        if not content or messages[index]["role"] == "system":
            continue  # an empty text cannot be marked
        parts: list[Message] = [{"type": "text", "text": content}]
        if not isinstance(content, str):
            parts = [dict(part) for part in content]
        parts[-1]["cache_control"] = _MARK
        messages[index]["content"] = parts
        return


def flat(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message as it would be without marks: they are no part of what a vendor compares."""
    content = message.get("content")
    if not isinstance(content, list):
        return message
    if all(part.get("type") == "text" for part in content):
        return {**message, "content": "".join(part["text"] for part in content)}
    plain = [{key: value for key, value in part.items() if key != "cache_control"} for part in content]
    return {**message, "content": plain}


def shapes_of(messages: Sequence[Mapping[str, Any]]) -> Shapes:
    """Where marks make parts of texts: by the message's number, the length of each part and whether it is marked."""
    return {
        str(number): [(len(part.get("text", "")), "cache_control" in part) for part in message["content"]]
        for number, message in enumerate(messages)
        if isinstance(message.get("content"), list) and flat(message) != message
    }


def shaped(messages: Sequence[Message], shapes: Shapes) -> list[Message]:
    """Flat messages with their marks again."""
    return [
        {**message, "content": _parts(message["content"], shapes[str(number)])} if str(number) in shapes else message
        for number, message in enumerate(messages)
    ]


def _parts(content: Any, shape: Sequence[tuple[int, bool]]) -> list[Message]:
    if isinstance(content, list):
        return [{**part, **_mark(is_marked)} for part, (_, is_marked) in zip(content, shape, strict=True)]
    parts, begin = [], 0
    for length, is_marked in shape:
        parts.append({"type": "text", "text": content[begin : begin + length], **_mark(is_marked)})
        begin += length
    return parts


def _mark(is_marked: bool) -> Message:
    return {"cache_control": _MARK} if is_marked else {}
