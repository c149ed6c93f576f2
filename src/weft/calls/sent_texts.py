"""The stretches of a call read back: the text of each block, the tools and the messages as they were."""

from collections.abc import Mapping
from typing import Any

import orjson

from weft.context.blocks import text_hash
from weft.context.markers import Shapes, shaped
from weft.context.prefix import Segment, Sent

_WHOLE_MESSAGES = ("message/", "added/")  # the others are parts that a message was joined of
_OPENING = '"content":"'
_BETWEEN = "\\n\\n"  # two blocks of one message, as JSON writes it


def tools_of(sent: Sent) -> list[dict[str, Any]]:
    """The tools that were shown."""
    return [orjson.loads(segment.text) for segment in sent.segments if segment.name.startswith("tool/")]


def messages_of(sent: Sent, shapes: Shapes) -> list[dict[str, Any]]:
    """The messages, with the marks that they were sent with."""
    lines = "".join(segment.text for segment in sent.segments if not segment.name.startswith("tool/")).split("\n")
    return shaped([orjson.loads(line) for line in lines if line], shapes)


def text_of(segment: Segment) -> str:
    """What a stretch says: a block's own text, a message's words, a tool's schema."""
    text = segment.text
    if segment.name.startswith("tool/"):
        return text
    begins_message = text.startswith("\n")
    if begins_message and segment.name.startswith(_WHOLE_MESSAGES):
        return _said(orjson.loads(text))
    if begins_message:
        text = text.partition(_OPENING)[2]
    said: str = orjson.loads(f'"{text.removeprefix(_BETWEEN)}"')
    return said


def data_of(sent: Sent) -> Mapping[str, tuple[int, str]]:
    """Data that stands in users' messages: by its hash, the number of the stretch and the text."""
    found: dict[str, tuple[int, str]] = {}
    for number, segment in enumerate(sent.segments):
        if segment.name.startswith("message/") and '{"role":"user"' in segment.text[:20]:
            chunks = text_of(segment).split("\n\n")
            found.update({text_hash(chunk): (number, chunk) for chunk in chunks})
    return found


def _said(message: Mapping[str, Any]) -> str:
    """A message's words; where it is more than words, all of it."""
    content = message.get("content")
    if isinstance(content, list):
        texts = [part["text"] for part in content if part.get("type") == "text"]
        return "\n\n".join(texts) or orjson.dumps(message).decode()
    if isinstance(content, str) and "tool_calls" not in message:
        return content
    return orjson.dumps(message).decode()
