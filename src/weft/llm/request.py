"""What a model call looks like in a chat-completions request."""

from collections.abc import Mapping
from typing import Any

import orjson

from weft.kit.errors import InvalidError
from weft.llm.types import ModelCall, Target, ToolSpec

_RESERVED = frozenset({"model", "messages", "stream"})
_TAKE_CACHE_KEYS = frozenset({"openai"})  # the others refuse or ignore it
_OUTPUT_LIMIT_NAMES = {"openai": "max_completion_tokens"}  # the others know only the older name


def request_fields(target: Target, call: ModelCall, *, output_limit_name: str = "") -> dict[str, Any]:
    """Everything of a request but the model's name and the streaming options."""
    fields: dict[str, Any] = {"messages": list(call.messages)}
    if call.tools:
        fields["tools"] = [_tool(tool) for tool in call.tools]
        if call.tool_choice != "auto":
            fields["tool_choice"] = _tool_choice(call.tool_choice)
    if call.temperature is not None:
        fields["temperature"] = call.temperature
    if call.max_output_tokens is not None:
        name = output_limit_name or _OUTPUT_LIMIT_NAMES.get(target.vendor, "max_tokens")
        fields[name] = call.max_output_tokens
    if call.response_format is not None:
        fields["response_format"] = call.response_format
    if call.cache_key and target.vendor in _TAKE_CACHE_KEYS:
        fields["prompt_cache_key"] = call.cache_key
    fields.update((name, value) for name, value in call.extra.items() if name not in _RESERVED)
    return fields


def request_body(target: Target, call: ModelCall, *, stream: bool) -> bytes:
    """The body of a request, byte for byte."""
    body = {"model": target.model, **request_fields(target, call)}
    if stream:
        body["stream"] = True
        body.setdefault("stream_options", {"include_usage": True})
    try:
        return orjson.dumps(body, default=_plain)
    except orjson.JSONEncodeError as error:
        problem = InvalidError(f"the model call cannot be written as JSON: {error}", field="messages")
    raise problem


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _tool_choice(choice: str) -> Any:
    if choice in ("none", "required"):
        return choice
    return {"type": "function", "function": {"name": choice}}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
