"""Fills in a structured answer as the offline model: each field by what its name says it is for."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from weft.llm.offline_filling import Filling
from weft.llm.offline_scene import Scene, briefly

_SHOWN_TO_USER = ("assistant_text", "answer", "reply", "response", "message", "text", "content")
_STATUSES = ("SUCCESS", "COMPLETED", "completed", "ok")


class StructuredAnswer:
    """An instance of a schema; of calls to make, it goes on to the execution, else it answers at once."""

    def __init__(
        self, scene: Scene, shape: Mapping[str, Any], said: str, calls: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> None:
        self._facts = scene.facts()
        self._noted = scene.say(f"用户说：{briefly(scene.words, 120)}", f"The user said: {briefly(scene.words, 120)}")
        self._said = said
        self._calls = calls
        self._filling = Filling(scene.words, shape, self._known)

    def value(self) -> Mapping[str, Any]:
        """The instance."""
        filled = self._filling.value()
        return filled if isinstance(filled, Mapping) else {}

    def _known(self, name: str, shape: Mapping[str, Any]) -> Any:
        match name:
            case "route":
                return _offered(shape, ("NEEDS_EXECUTION" if self._calls else "DIRECT_EXECUTION",))
            case "status":
                return _offered(shape, _STATUSES)
            case "first_calls" if shape.get("type") == "array":
                return [self._call(shape, *each) for each in self._calls]
            case "execution_brief" if _is_text(shape):
                return self._noted if self._calls else None
            case "execution_data" if shape.get("type") == "object":
                return self._facts
            case "assistant_text" if self._calls:
                return None
        if name in _SHOWN_TO_USER and _is_text(shape):
            return self._said
        if name.endswith(("summary", "brief")) and _is_text(shape):
            return f"{self._noted} → {briefly(self._facts)}" if self._facts else self._noted
        return None

    def _call(self, shape: Mapping[str, Any], tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        fields = self._filling.resolved(shape.get("items", {})).get("properties", {})
        called = next((name for name in ("name", "tool", "tool_name") if name in fields), "name")
        given = next((name for name in ("arguments", "args", "input") if name in fields), "arguments")
        as_text = self._filling.resolved(fields.get(given, {})).get("type") == "string"
        return {called: tool, given: json.dumps(arguments, ensure_ascii=False) if as_text else dict(arguments)}


def _offered(shape: Mapping[str, Any], values: Sequence[str]) -> str | None:
    return next((value for value in values if value in shape.get("enum", ())), None)


def _is_text(shape: Mapping[str, Any]) -> bool:
    options = shape.get("anyOf", [shape])
    return any(isinstance(option, Mapping) and _is_free_text(option) for option in options)


def _is_free_text(shape: Mapping[str, Any]) -> bool:
    kind = shape.get("type", "object" if "properties" in shape else "string")
    return not shape.keys() & {"enum", "const", "format", "pattern"} and (kind == "string" or "string" in kind)
