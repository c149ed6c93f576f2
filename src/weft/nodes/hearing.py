"""Reads what a model says while it says it: words for the user are shown at once, everything else is held back.

A model answers in plain words, calls tools, or writes JSON: the result of its stage, or, where it knows no better, a
tool call spelled as text. Which of these it is shows in the first characters.
"""

import re
from collections.abc import Callable, Mapping, Set
from enum import Enum, auto
from typing import Any

import orjson

from weft.llm.field_stream import FieldStream
from weft.llm.tolerant_json import objects_in
from weft.llm.types import Completion, ToolRequest

_FENCE = re.compile(r"```[A-Za-z]*\s*")
_TAG = "<tool_call>"
_HELD = ("```", _TAG)
_CALL_KEYS = (("name", "arguments"), ("name", "parameters"), ("tool", "arguments"), ("function", "arguments"))


class _Kind(Enum):
    UNDECIDED = auto()
    WORDS = auto()
    JSON = auto()


class Hearing:
    """One answer as it comes. With `only_if`, a field and its value, JSON is for the user where it says so (FLOW-6).

    An answer that is nothing but the name of one of the `tools`, those that need no arguments, is a call as well.
    """

    def __init__(
        self,
        show: Callable[[str], None],
        field: str = "assistant_text",
        only_if: tuple[str, str] | None = None,
        tools: Set[str] = frozenset(),
    ) -> None:
        self._show = show
        self._tools = tools
        self._kind = _Kind.UNDECIDED
        self._held = ""
        self._field = FieldStream(field)
        self._gate = _Gate(only_if)
        self._waiting: list[str] = []  # text of the field, until it is known whom it is for

    @property
    def is_json(self) -> bool:
        """Whether it is no text for the user as it stands."""
        return self._kind is _Kind.JSON

    @property
    def cut_off(self) -> bool:
        """Whether the text in the JSON broke off before its end."""
        return self.is_json and bool(self._field.shown) and not self._field.done

    def hear(self, piece: str) -> None:
        """Read on."""
        if self._kind is _Kind.WORDS:
            self._show(piece)
        elif self._kind is _Kind.JSON:
            self._follow(piece)
        else:
            self._held += piece
            self._decide()

    def end(self) -> None:
        """Nothing more comes: what could not be told apart is words."""
        if self._kind is _Kind.UNDECIDED and _bare(self._held) in self._tools:
            self._kind = _Kind.JSON
        elif self._kind is _Kind.UNDECIDED and self._held.strip():
            self._kind = _Kind.WORDS
            self._show(self._held.lstrip())

    def _decide(self) -> None:
        text = self._held.lstrip()
        if not text or any(held.startswith(text) and text != held for held in _HELD):
            return
        fence = _FENCE.match(text)
        if fence is not None and fence.end() == len(text):
            return  # what stands within the fence decides
        if (name := _bare(text)) and any(tool.startswith(name) for tool in self._tools):
            return
        inner = text[fence.end() :] if fence is not None else text
        if inner.startswith("{") or text.startswith(_TAG):
            self._kind = _Kind.JSON
            self._follow(self._held)
        else:
            self._kind = _Kind.WORDS
            self._show(text)

    def _follow(self, piece: str) -> None:
        self._gate.feed(piece)
        if text := self._field.feed(piece):
            self._waiting.append(text)
        if self._waiting and self._gate.is_open:
            text, self._waiting = "".join(self._waiting), []
            self._show(text)


class _Gate:
    """Whether a JSON answer is one for the user, as far as it has come."""

    def __init__(self, only_if: tuple[str, str] | None) -> None:
        name, self._wanted = only_if or ("", "")
        self._field = FieldStream(name) if only_if is not None else None

    def feed(self, piece: str) -> None:
        """Read on."""
        if self._field is not None:
            self._field.feed(piece)

    @property
    def is_open(self) -> bool:
        """Whether it has said so; where nothing is asked of it, it is open."""
        return self._field is None or (self._field.done and self._field.shown == self._wanted)


def spelled_calls(answer: Completion, names: Set[str], prefix: str) -> tuple[ToolRequest, ...]:
    """Tool calls that a model wrote as text, where it knows no other way to make them."""
    if (bare := _bare(answer.text)) in names:
        return (ToolRequest(f"{prefix}_0", bare, "{}"),)
    found: list[ToolRequest] = []
    for value in objects_in(answer.text):
        named = _named(value)
        if named is None or named[0] not in names:
            return ()
        found.append(ToolRequest(f"{prefix}_{len(found)}", named[0], _text(named[1])))
    return tuple(found)


def spelled_name(text: str) -> str | None:
    """What a call that is written as text calls, be it a tool or not."""
    return next((named[0] for value in objects_in(text) if (named := _named(value)) is not None), None)


def _bare(text: str) -> str:
    return text.strip().strip("`")


def _named(value: Mapping[str, Any]) -> tuple[str, Any] | None:
    for name_key, arguments_key in _CALL_KEYS:
        name, arguments = value.get(name_key), value.get(arguments_key)
        if isinstance(name, str) and isinstance(arguments, Mapping | str):
            return name, arguments
    name = value.get("name")
    return (name, {}) if isinstance(name, str) and len(value) == 1 else None


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else orjson.dumps(dict(arguments)).decode()
