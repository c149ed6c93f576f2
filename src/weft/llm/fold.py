"""Adds up the deltas of a stream to the whole answer."""

from weft.llm.tool_pieces import made_id
from weft.llm.types import Completion, Delta, Finish, ToolDelta, ToolRequest, Usage


class _Call:
    __slots__ = ("arguments", "id", "name")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []


class Fold:
    """Takes deltas one by one; `completion()` is what they amount to so far."""

    __slots__ = ("_calls", "_reasoning", "_text", "finish", "usage")

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: dict[int, _Call] = {}
        self.usage: Usage | None = None
        self.finish: Finish | None = None

    def add(self, delta: Delta) -> None:
        """Add one delta; a later usage or finish replaces an earlier one, for both are totals."""
        if delta.text:
            self._text.append(delta.text)
        if delta.reasoning:
            self._reasoning.append(delta.reasoning)
        for piece in delta.tools:
            self._add_tool(piece)
        if delta.usage is not None:
            self.usage = delta.usage
        if delta.finish is not None:
            self.finish = delta.finish

    @property
    def empty(self) -> bool:
        """Whether nothing of an answer has arrived; a bare usage or finish is nothing yet."""
        return not (self._text or self._reasoning or self._calls)

    def completion(self) -> Completion:
        """The answer so far; without a word from the vendor on why it stopped, its finish is `broken`."""
        calls = tuple(_request(index, call) for index, call in sorted(self._calls.items()))
        return Completion(
            text="".join(self._text),
            tool_calls=calls,
            reasoning="".join(self._reasoning),
            usage=self.usage,
            finish=settled(self.finish, calls),
        )

    def _add_tool(self, piece: ToolDelta) -> None:
        call = self._calls.get(piece.index)
        if call is None:
            call = self._calls[piece.index] = _Call()
        call.id = call.id or piece.id or ""
        call.name = call.name or piece.name or ""
        if piece.arguments:
            call.arguments.append(piece.arguments)


def settled(finish: Finish | None, calls: tuple[ToolRequest, ...]) -> Finish:
    """Why the model stopped, once all is known: several vendors say `stop` when they mean tool calls."""
    if finish is None:
        return Finish.BROKEN
    return Finish.TOOL_CALLS if finish is Finish.STOP and calls else finish


def _request(index: int, call: _Call) -> ToolRequest:
    return ToolRequest(call.id or made_id(None, index), call.name, "".join(call.arguments))
