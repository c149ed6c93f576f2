"""Asks a model for an answer in a given structure, in the way that this model understands."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from weft.llm.ports import Strategy
from weft.llm.types import ModelCall, ToolSpec

_FREE_FORM = ("anyOf", "oneOf", "allOf", "not", "patternProperties")


def tool_name(schema: type[BaseModel]) -> str:
    """What the tool that carries the answer is called."""
    return f"answer_{schema.__name__}"


def asking(call: ModelCall, schema: type[BaseModel], strategy: Strategy, *, late_system: bool = True) -> ModelCall:
    """The same call, asking for the structure; its own tools stay as they are, in front."""
    shape = schema.model_json_schema()
    if strategy is Strategy.NATIVE_SCHEMA:
        native = {"name": schema.__name__, "schema": shape, "strict": _strict(shape)}
        return replace(call, response_format={"type": "json_schema", "json_schema": native})
    if strategy is Strategy.TOOL:
        description = schema.__doc__ or "Give the answer."
        answer = ToolSpec(tool_name(schema), description, shape)
        # Where the model may also call something else, it only has to call something.
        choice = "required" if call.tools and call.tool_choice != "none" else answer.name
        return replace(call, tools=(*call.tools, answer), tool_choice=choice)
    told = replace(call, messages=_told(call.messages, _instruction(shape), late_system=late_system))
    if strategy is Strategy.JSON_MODE:
        return replace(told, response_format={"type": "json_object"})
    return told


def _instruction(shape: Mapping[str, Any]) -> str:
    written = json.dumps(shape, ensure_ascii=False, separators=(",", ":"))
    return (
        "Answer with one JSON object and nothing else: no prose around it, no code fence. "
        f"It must be valid against this JSON schema:\n{written}"
    )


def _told(messages: Sequence[Mapping[str, Any]], instruction: str, *, late_system: bool) -> list[Mapping[str, Any]]:
    # At the end, where the model takes it there: what stands before keeps its place in the prompt cache.
    if late_system or not messages or messages[0].get("role") != "system":
        note = {"role": "system", "content": instruction}
        return [*messages, note] if late_system else [note, *messages]
    first = dict(messages[0])
    content = first.get("content")
    if isinstance(content, list):
        first["content"] = [*content, {"type": "text", "text": instruction}]
    else:
        first["content"] = f"{content or ''}\n\n{instruction}".lstrip()
    return [first, *messages[1:]]


def _strict(shape: Any) -> bool:
    """Whether a schema is one of those that vendors can enforce: closed objects whose fields are all required."""
    if isinstance(shape, list):
        return all(_strict(inner) for inner in shape)
    if not isinstance(shape, Mapping):
        return True
    if shape.get("type") == "object":
        names = set(shape.get("properties", {}))
        closed = shape.get("additionalProperties") is False and set(shape.get("required", ())) == names
        if not closed:
            return False
    return not any(name in shape for name in _FREE_FORM[1:]) and all(map(_strict, shape.values()))
