"""Writes an answer in the chat-completions protocol: as events of a stream, or as one object."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from weft.llm.scripted.answer import Answer, Framing
from weft.llm.scripted.counting import Counts, count_tokens
from weft.llm.scripted.spelling import spell

_WORD = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+$", re.DOTALL)
_ARGUMENTS_PIECE = 8
DONE = b"[DONE]"


@dataclass(frozen=True, slots=True)
class Rendered:
    """An answer on its way: its id, its usage in the vendor's spelling, and the model it is from."""

    answer: Answer
    id: str
    model: str
    usage: dict[str, Any] | None

    def whole(self) -> bytes:
        """The answer as one object."""
        answer = self.answer
        message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
        if answer.reasoning:
            message[answer.reasoning_field] = answer.reasoning
        if answer.tool_calls:
            message["tool_calls"] = [_whole_call(call.id, call.name, call.arguments) for call in answer.tool_calls]
        body = self._frame("chat.completion")
        body["choices"] = [{"index": 0, "message": message, "finish_reason": answer.reason}]
        if self.usage is not None:
            body["usage"] = self.usage
        return orjson.dumps(body)

    def events(self, *, with_usage: bool) -> Iterator[bytes]:
        """The data of each event of the stream."""
        answer = self.answer
        usage = self.usage if with_usage else None
        early = usage if answer.usage_at == "every_chunk" else None
        yield self._chunk({"role": "assistant", "content": ""}, None, early)
        for delta in answer.deltas if answer.deltas is not None else _deltas(answer):
            yield self._chunk(delta, None, early)
        if answer.reason is not None:
            yield self._chunk({}, answer.reason, None if answer.usage_at == "own_chunk" else usage)
        if usage is not None and answer.usage_at == "own_chunk":
            yield orjson.dumps({**self._frame("chat.completion.chunk"), "choices": [], "usage": usage})
        if answer.framing.done:
            yield DONE

    def _chunk(self, delta: Mapping[str, Any], reason: str | None, usage: dict[str, Any] | None) -> bytes:
        chunk = self._frame("chat.completion.chunk")
        chunk["choices"] = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]
        if usage is not None:
            chunk["usage"] = usage
        return orjson.dumps(chunk)

    def _frame(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": 1_700_000_000, "model": self.model}


def output_counts(answer: Answer) -> tuple[int, int]:
    """Tokens of the whole answer, and those of its reasoning."""
    reasoning = count_tokens(answer.reasoning)
    calls = sum(count_tokens(call.name + call.arguments) for call in answer.tool_calls)
    return max(1, count_tokens(answer.text) + calls + reasoning), reasoning


def spelled_usage(answer: Answer, counts: Counts) -> dict[str, Any] | None:
    """The usage object to send, if any."""
    if answer.usage is None:
        return None
    return spell(counts, answer.usage) if isinstance(answer.usage, str) else dict(answer.usage)


def framed(data: bytes, framing: Framing) -> bytes:
    """One event as it is written."""
    field = b"data: " if framing.space else b"data:"
    pieces = _spread(data) if framing.lines and data != DONE else [data]
    event = framing.newline.join(field + piece for piece in pieces) + framing.newline * 2
    return b": keep-alive" + framing.newline * 2 + event if framing.comments else event


def _spread(data: bytes) -> list[bytes]:
    return orjson.dumps(orjson.loads(data), option=orjson.OPT_INDENT_2).split(b"\n")


def cut(text: str, by: int | str) -> list[str]:
    """The pieces of a text: words with the blanks before them, or so many characters each."""
    if isinstance(by, int):
        return [text[start : start + by] for start in range(0, len(text), by)]
    pieces = _WORD.findall(text)
    return pieces if "".join(pieces) == text else [text]


def _deltas(answer: Answer) -> Iterator[Mapping[str, Any]]:
    for piece in cut(answer.reasoning, answer.by):
        yield {answer.reasoning_field: piece}
    for piece in cut(answer.text, answer.by):
        yield {"content": piece}
    for index, call in enumerate(answer.tool_calls):
        yield {"tool_calls": [{**_whole_call(call.id, call.name, ""), "index": index}]}
        for piece in cut(call.arguments, _ARGUMENTS_PIECE):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _whole_call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    call: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return {"id": call_id, **call} if call_id else call
