"""Puts in order the tool-call pieces of a stream: vendors leave out ids, repeat them, and reuse an index."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from weft.kit.ids import new_id
from weft.llm.types import ToolDelta, ToolRequest


class _Open:
    """A tool call that pieces may still be added to."""

    __slots__ = ("given_id", "index", "name")

    def __init__(self, index: int, given_id: str | None) -> None:
        self.index = index
        self.given_id = given_id
        self.name = ""


class ToolPieces:
    """Turns a vendor's pieces into clean ones: indexes count from 0, the first piece of each has an id."""

    __slots__ = ("_by_index", "_count", "_last")

    def __init__(self) -> None:
        self._by_index: dict[Any, _Open] = {}
        self._last: _Open | None = None
        self._count = 0

    def read(self, pieces: Iterable[Any], answer_id: str | None) -> tuple[ToolDelta, ...]:
        """Clean pieces for those of one chunk; what is no object adds nothing."""
        return tuple(self._read(piece, answer_id) for piece in pieces if isinstance(piece, Mapping))

    def _read(self, piece: Mapping[str, Any], answer_id: str | None) -> ToolDelta:
        function = piece.get("function")
        if not isinstance(function, Mapping):
            function = {}
        given_id = _text(piece.get("id")) or None
        name = _text(function.get("name"))
        raw_index = piece.get("index")
        arguments = arguments_text(function.get("arguments"))
        call = self._by_index.get(raw_index) if isinstance(raw_index, int) else self._last
        if call is None or _begins_another(call, given_id, name):
            call = self._begin(raw_index, given_id)
            call.name = name
            shown_id = given_id or made_id(answer_id, call.index)
            return ToolDelta(call.index, shown_id, name or None, arguments)
        if name and not call.name:
            call.name = name
            return ToolDelta(call.index, None, name, arguments)
        return ToolDelta(call.index, None, None, arguments)

    def _begin(self, raw_index: Any, given_id: str | None) -> _Open:
        call = _Open(self._count, given_id)
        self._count += 1
        self._last = call
        if isinstance(raw_index, int):
            self._by_index[raw_index] = call
        return call


def whole_calls(raw: Any, answer_id: str | None) -> tuple[ToolRequest, ...]:
    """The tool calls of an answer that was not streamed."""
    calls = ToolPieces().read(_numbered(raw), answer_id) if isinstance(raw, list) else ()
    return tuple(ToolRequest(call.id or "", call.name or "", call.arguments) for call in calls)


def made_id(answer_id: str | None, index: int) -> str:
    """An id for a call that the vendor left without one: the same whenever the same answer is read again."""
    source = f"{answer_id}:{index}" if answer_id else str(new_id())
    return f"call_{sha256(source.encode()).hexdigest()[:24]}"


def arguments_text(value: Any) -> str:
    """Arguments as text; some vendors send the object itself."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _numbered(raw: list[Any]) -> Iterable[Mapping[str, Any]]:
    return ({**call, "index": index} for index, call in enumerate(raw) if isinstance(call, Mapping))


def _begins_another(call: _Open, given_id: str | None, name: str) -> bool:
    # Gemini's OpenAI endpoint gives every parallel call the index 0; others repeat the id with each piece.
    if given_id and call.given_id:
        return given_id != call.given_id
    return not given_id and bool(name and call.name and name != call.name)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
