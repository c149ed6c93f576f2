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
        message = messages[index]
        content = message.get("content")
        if not content or message["role"] == "system":
            continue  # an empty text cannot be marked
        if message["role"] == "tool":
            message["cache_control"] = _MARK  # a result is marked as a whole: Anthropic refuses marks inside of one
            return
        parts: list[Message] = [{"type": "text", "text": content}]
        if not isinstance(content, str):
            parts = [dict(part) for part in content]
        parts[-1]["cache_control"] = _MARK
        message["content"] = parts
        return


def flat(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message as it would be without marks: they are no part of what a vendor compares."""
    content = message.get("content")
    if "cache_control" in message:
        return {key: value for key, value in message.items() if key != "cache_control"}
    if not isinstance(content, list):
        return message
    if all(part.get("type") == "text" for part in content):
        return {**message, "content": "".join(part["text"] for part in content)}
    plain = [{key: value for key, value in part.items() if key != "cache_control"} for part in content]
    return {**message, "content": plain}


def shapes_of(messages: Sequence[Mapping[str, Any]]) -> Shapes:
    """What marks made of messages, by their numbers: the length of each part of the text and whether it is marked.

    Nothing in the place of the parts: the message was marked as a whole.
    """
    return {
        str(number): [(len(part.get("text", "")), "cache_control" in part) for part in message["content"]]
        if isinstance(message["content"], list)
        else []
        for number, message in enumerate(messages)
        if flat(message) != message
    }


def shaped(messages: Sequence[Message], shapes: Shapes) -> list[Message]:
    """Flat messages with their marks again."""
    return [
        _shaped(message, shapes[str(number)]) if str(number) in shapes else message
        for number, message in enumerate(messages)
    ]


def _shaped(message: Message, shape: Sequence[tuple[int, bool]]) -> Message:
    content = message["content"]
    if not shape:
        return {**message, **_mark(True)}
    if isinstance(content, list):
        marks = zip(content, shape, strict=True)
        return {**message, "content": [{**part, **_mark(is_marked)} for part, (_, is_marked) in marks]}
    parts, begin = [], 0
    for length, is_marked in shape:
        parts.append({"type": "text", "text": content[begin : begin + length], **_mark(is_marked)})
        begin += length
    return {**message, "content": parts}


def _mark(is_marked: bool) -> Message:
    return {"cache_control": _MARK} if is_marked else {}
