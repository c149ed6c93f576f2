"""Prompt-cache markers, for vendors that cache only up to a mark (Anthropic)."""

from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]
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
