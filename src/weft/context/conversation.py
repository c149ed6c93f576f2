"""From stored messages to chat-completions messages: pairs whole, pictures first, nothing that a vendor refuses."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import orjson

from weft.context.data_block import data_block
from weft.kit.plain_json import compact_json
from weft.llm.ports import ModelCard

Kind = Literal["user_input", "assistant_output", "tool_call", "tool_result"]
Message = dict[str, Any]

TEXTS: tuple[Kind, Kind] = ("user_input", "assistant_output")
LONGEST_RESULT = 6_000  # characters of a tool result that stand in a prompt; about 1,500 to 3,500 tokens
SHORT_RESULT = 1_000  # where the usual length does not fit a small model
READ_RESULT = 400  # of one that was answered before the prefix was written
_HEAD = 0.75  # of what is kept: results say most at their beginning, and errors at their end
WORDS = "# USER_MESSAGE"
# What a reader may take for a heading: any line that begins with a hash, whatever the line is ended by, and whatever
# cannot be seen or quotes stands before it. Line ends are no blanks, and nothing is tried twice: a message may be long.
_ENDS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_UNSEEN = (
    r"\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0"
)
_HEADING = re.compile(rf"(?:^|[{_ENDS}])(?:[^\S{_ENDS}]|[>{_UNSEEN}\U000e0000-\U000e01ef])*+[#\uff03\ufe5f]")
_NO_DATA: Mapping[str, Sequence[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Stored:
    """A message as the database has it, with no more than a prompt needs; `images` are data URLs."""

    id: str
    kind: Kind
    content: str | None
    tool_call_id: str = ""
    name: str = ""
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    reasoning_content: str | None = None
    images: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # attachments that are no pictures, or are not there: named to the model


def chat_messages(
    stored: Sequence[Stored],
    card: ModelCard,
    data: Mapping[str, Sequence[str]] = _NO_DATA,
    *,
    longest_result: int = LONGEST_RESULT,
) -> list[tuple[str, Message]]:
    """Each message with the id of the row that it is made from; half pairs and doubles of pairs are left out.

    `data` are the blocks that go with the user's messages, by their ids.
    """
    results = {message.tool_call_id: message for message in stored if message.kind == "tool_result"}
    written: list[tuple[str, Message]] = []
    calls: list[Stored] = []
    for message in _paired(stored):
        if message.kind == "tool_call":
            calls.append(message)
            continue
        written += _answered(calls, results, card, longest_result)
        calls = []
        if message.kind == "user_input":
            written.append((message.id, user_message(message, card, data.get(message.id, ()))))
        elif message.kind == "assistant_output":
            written.append((message.id, _assistant(message, card)))
    return written + _answered(calls, results, card, longest_result)


def user_message(message: Stored, card: ModelCard, data: Sequence[str] = ()) -> Message:
    """What the user said, its pictures first; `data` are blocks that go with it.

    The blocks stand before the words. They are of one line each, so that the first heading of the words is ours, and
    whatever the words themselves pretend to be stands after it; words that have a heading get ours in any case.
    """
    blocks = [*data, *_attachments(message, card)]
    text = message.content or ""
    if blocks or _HEADING.search(text):
        text = "\n\n".join([*blocks, f"{WORDS}\n{text}"]) if text else "\n\n".join(blocks)
    if not message.images or not card.abilities.vision:
        return {"role": "user", "content": text}
    parts: list[Message] = [{"type": "image_url", "image_url": {"url": url}} for url in message.images]
    return {"role": "user", "content": [*parts, {"type": "text", "text": text}] if text else parts}


def tool_result_text(message: Stored, longest: int = LONGEST_RESULT) -> str:
    """A result as data from outside, with its label; a long one shortened, saying where the whole is."""
    text = message.content or ""
    if len(text) <= longest:
        return compact_json({"trust": "external", "result": _value(text)})
    head = int(longest * _HEAD)
    shown = {"beginning": text[:head], "end": text[len(text) - (longest - head) :]}
    whole = {"message": message.id, "characters": len(text)}
    return compact_json({"trust": "external", "shortened": shown, "whole": whole})


def _paired(stored: Sequence[Stored]) -> list[Stored]:
    """The messages without tool calls and results that do not match one to one, the call before the result."""
    calls = Counter(message.tool_call_id for message in stored if message.kind == "tool_call")
    results = Counter(message.tool_call_id for message in stored if message.kind == "tool_result")
    seen: set[str] = set()
    whole: set[str] = set()
    for message in stored:
        if message.kind == "tool_call":
            seen.add(message.tool_call_id)
        elif message.kind == "tool_result" and message.tool_call_id in seen:
            once = calls[message.tool_call_id] == results[message.tool_call_id] == 1
            whole.update({message.tool_call_id} if once else ())
    return [message for message in stored if message.kind in TEXTS or message.tool_call_id in whole]


def _answered(
    calls: Sequence[Stored], results: Mapping[str, Stored], card: ModelCard, longest: int
) -> list[tuple[str, Message]]:
    """Calls made in a row as one message, and right after it their results in the order of the calls."""
    if not calls:
        return []
    said = next((call.content for call in calls if call.content), None)
    asked = [_call(call) for call in calls]
    message: Message = {"role": "assistant", "content": said, "tool_calls": asked}
    thought = next((call.reasoning_content for call in calls if call.reasoning_content), None)
    written = [(calls[0].id, _with_thought(message, thought, card))]
    for call in calls:
        result = results[call.tool_call_id]
        text = tool_result_text(result, longest)
        written.append((result.id, {"role": "tool", "tool_call_id": call.tool_call_id, "content": text}))
    return written


def _call(call: Stored) -> Message:
    arguments = call.arguments if isinstance(call.arguments, str) else _json(call.arguments)
    return {"id": call.tool_call_id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _json(value: Any) -> str:
    # Sorted: JSONB gives keys back in an order of its own, and the first call was made before it was stored.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=dict)


def _assistant(message: Stored, card: ModelCard) -> Message:
    return _with_thought({"role": "assistant", "content": message.content}, message.reasoning_content, card)


def _with_thought(message: Message, thought: str | None, card: ModelCard) -> Message:
    if thought and card.abilities.reasoning_back:
        message["reasoning_content"] = thought
    return message


def _attachments(message: Stored, card: ModelCard) -> list[str]:
    unseen = len(message.images) if not card.abilities.vision else 0
    said: dict[str, Any] = {}
    if message.files:
        said["files"] = message.files
    if unseen:
        said["images_this_model_cannot_see"] = unseen
    return [data_block("ATTACHMENTS", said, "user")] if said else []


def _value(text: str) -> Any:
    """Compact JSON as JSON, for a text within a text costs a backslash for every quote; anything else as it is."""
    if text[:1] not in ("{", "["):
        return text
    try:
        value = orjson.loads(text)
        # Doubled keys, digits that a number cannot hold, too many levels: then only the text says all that it said.
        survives = orjson.dumps({"result": value}) == b'{"result":' + text.encode() + b"}"
    except (ValueError, TypeError):
        return text
    return value if survives else text
