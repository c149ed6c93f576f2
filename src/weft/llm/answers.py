"""Reads the chunks and answers of the chat-completions protocol, as vendors really send them."""

from collections.abc import Mapping
from typing import Any

import orjson

from weft.llm.errors import OffProtocolError
from weft.llm.fold import settled
from weft.llm.refusals import error_in_stream
from weft.llm.tool_pieces import ToolPieces, whole_calls
from weft.llm.types import Completion, Delta, Finish, Target
from weft.llm.usage import canonical_usage

_FINISHES = {
    "stop": Finish.STOP,
    "end_turn": Finish.STOP,
    "eos": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "tool_calls": Finish.TOOL_CALLS,
    "tool_use": Finish.TOOL_CALLS,
    "function_call": Finish.TOOL_CALLS,
    "content_filter": Finish.CONTENT_FILTER,
    "sensitive": Finish.CONTENT_FILTER,
    "insufficient_system_resource": Finish.BROKEN,
}
_SILENT = ("", "null", None)  # what stands in a chunk that is not the last


class ChunkReader:
    """Reads one streamed answer chunk by chunk."""

    __slots__ = ("_target", "_tools")

    def __init__(self, target: Target) -> None:
        self._target = target
        self._tools = ToolPieces()

    def read(self, data: bytes) -> Delta | None:
        """What one chunk adds, or None if nothing; an error object is raised as the error it stands for."""
        try:
            chunk = orjson.loads(data)
        except orjson.JSONDecodeError:
            chunk = None
        if type(chunk) is not dict:
            raise self._off("$", "a JSON object", shown(data.decode(errors="replace")))
        return self.read_object(chunk)

    def read_object(self, chunk: dict[str, Any]) -> Delta | None:
        """The same for a chunk that is already parsed."""
        if chunk.get("error"):
            raise error_in_stream(self._target, chunk["error"])
        usage = chunk.get("usage")
        choices = chunk.get("choices")
        if not choices:
            if choices is None and usage is None:
                raise self._off("$.choices", "a list", "nothing")
            counted = canonical_usage(usage)
            return Delta(usage=counted) if counted else None
        choice = choices[0] if type(choices) is list else None
        if type(choice) is not dict:
            raise self._off("$.choices[0]", "an object", shown(choices))
        added = choice.get("delta")
        reason = choice.get("finish_reason")
        usage = usage or choice.get("usage")  # Moonshot puts it here
        if added is None:
            added = {}
        elif type(added) is not dict:
            raise self._off("$.choices[0].delta", "an object", shown(added))
        text = added.get("content")
        if type(text) is str and reason is None and usage is None and len(added) == 1:
            return Delta(text) if text else None
        return self._rest(chunk, added, reason, usage)

    def _rest(self, chunk: dict[str, Any], added: dict[str, Any], reason: Any, usage: Any) -> Delta | None:
        text = self._text(added.get("content"), "content")
        thought = added.get("reasoning_content") or added.get("reasoning")
        reasoning = self._text(thought, "reasoning_content") if thought else ""
        raw_tools = added.get("tool_calls")
        tools = self._tools.read(raw_tools, chunk.get("id")) if type(raw_tools) is list else ()
        counted = canonical_usage(usage) if usage is not None else None
        finish = finish_of(reason)
        if text or reasoning or tools or counted or finish:
            return Delta(text, reasoning, tools, counted, finish)
        return None

    def _text(self, value: Any, name: str) -> str:
        text = text_of(value)
        if text is None:
            raise self._off(f"$.choices[0].delta.{name}", "text", shown(value))
        return text

    def _off(self, path: str, expected: str, found: str) -> OffProtocolError:
        return OffProtocolError(path, expected, found, target=self._target)


def read_answer(target: Target, data: bytes) -> Completion:
    """An answer that was not streamed."""
    return read_answer_object(target, parsed(target, data))


def parsed(target: Target, data: bytes) -> Mapping[str, Any]:
    """The JSON object that an answer is."""
    try:
        answer = orjson.loads(data)
    except orjson.JSONDecodeError:
        answer = None
    if not isinstance(answer, Mapping):
        raise OffProtocolError("$", "a JSON object", shown(data.decode(errors="replace")), target=target)
    return answer


def read_answer_object(target: Target, answer: Mapping[str, Any]) -> Completion:
    """The same for an answer that is already parsed."""
    if answer.get("error"):
        raise error_in_stream(target, answer["error"])
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        raise OffProtocolError("$.choices[0]", "an object", shown(choices), target=target)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise OffProtocolError("$.choices[0].message", "an object", shown(message), target=target)
    text = text_of(message.get("content"))
    if text is None:
        found = shown(message.get("content"))
        raise OffProtocolError("$.choices[0].message.content", "text", found, target=target)
    calls = whole_calls(message.get("tool_calls"), answer.get("id"))
    return Completion(
        text=text,
        tool_calls=calls,
        reasoning=text_of(message.get("reasoning_content") or message.get("reasoning")) or "",
        usage=canonical_usage(answer.get("usage") or choice.get("usage")),
        # A whole answer without a reason is whole all the same.
        finish=settled(finish_of(choice.get("finish_reason")) or Finish.STOP, calls),
    )


def finish_of(reason: Any) -> Finish | None:
    """Why the model stopped; a reason that nobody knows is a stop."""
    return None if reason in _SILENT else _FINISHES.get(str(reason), Finish.STOP)


def text_of(value: Any) -> str | None:
    """Text as text or as a list of text parts; None if it is neither."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and all(isinstance(part, Mapping) for part in value):
        return "".join(part["text"] for part in value if isinstance(part.get("text"), str))
    return None


def shown(value: Any) -> str:
    """What was found, for people."""
    if value is None:
        return "nothing"
    return value if isinstance(value, str) else f"{type(value).__name__} {value!r}"
