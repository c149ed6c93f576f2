"""An answer as OpenAI's clients read it, whole or in chunks."""

from collections.abc import Iterator, Mapping
from typing import Any

from weft.gateways.answering import Answering, Spent
from weft.gateways.chat.schemas import ChatApproval
from weft.state.events import Event, RunFinished, TextGrew, ToolCalled

Wire = dict[str, Any]


class Completion:
    """One answer under way."""

    def __init__(self, run_id: str, model: str, created: int, conversation_id: str) -> None:
        self.answering = Answering()
        self._about = {"id": f"chatcmpl-{run_id}", "created": created, "model": model}
        self._own = {"conversation_id": conversation_id, "run_id": run_id}
        self._calls = 0

    def first(self) -> Wire:
        """The chunk that begins the answer."""
        return self._chunk({"role": "assistant", "content": ""})

    def take(self, event: Event) -> Iterator[Wire]:
        """The chunks that say what is new in an event."""
        thoughts = len(self.answering.thoughts)
        new = self.answering.take(event)
        if new:
            yield self._chunk({"content": new})
        elif isinstance(event, TextGrew) and len(self.answering.thoughts) > thoughts:
            yield self._chunk({"reasoning_content": self.answering.thoughts[-1]})
        elif isinstance(event, ToolCalled) and event.frontend:
            call = {"index": self._calls, **_call(event.call_id, event.name, event.arguments)}
            self._calls += 1
            yield self._chunk({"tool_calls": [call]})

    def last(self, *, with_usage: bool) -> Iterator[Wire]:
        """The chunks that end the answer."""
        yield {**self._chunk({}, self._reason), "weft": self._weft()}
        if with_usage:
            yield {**self._chunk({}), "choices": [], "usage": _usage(self.answering.spent)}

    def whole(self) -> Wire:
        """The answer in one piece."""
        answering = self.answering
        calls = [_call(seen.id, seen.name, seen.arguments) for seen in answering.tools.values() if seen.frontend]
        message: Wire = {"role": "assistant", "content": answering.text or (None if calls else "")}
        if calls:
            message["tool_calls"] = calls
        if answering.thoughts:
            message["reasoning_content"] = "".join(answering.thoughts)
        choice = {"index": 0, "message": message, "finish_reason": self._reason, "logprobs": None}
        shape = {"object": "chat.completion", "choices": [choice], "usage": _usage(answering.spent)}
        return {**self._about, **shape, "weft": self._weft()}

    @property
    def _reason(self) -> str:
        ending = self.answering.ending
        if isinstance(ending, RunFinished) and ending.pending_tool_calls:
            return "tool_calls"
        return "length" if self.answering.incomplete else "stop"

    def _chunk(self, delta: Mapping[str, Any], reason: str | None = None) -> Wire:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {**self._about, "object": "chat.completion.chunk", "choices": [choice]}

    def _weft(self) -> Wire:
        """What OpenAI has no word for."""
        answering, ending = self.answering, self.answering.ending
        spent = answering.spent
        return {
            **self._own,
            "status": ending.outcome if isinstance(ending, RunFinished) else "waiting",
            "approvals": [ChatApproval.of(asked).model_dump(mode="json") for asked in answering.waiting_for],
            "cost": None if spent.unpriced else format(spent.cost, "f"),
            "currency": spent.currency,
        }


def _call(call_id: str, name: str, arguments: str) -> Wire:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments or "{}"}}


def _usage(spent: Spent) -> Wire:
    return {
        "prompt_tokens": spent.input_tokens,
        "completion_tokens": spent.output_tokens,
        "total_tokens": spent.input_tokens + spent.output_tokens,
        "prompt_tokens_details": {"cached_tokens": spent.cached_input_tokens},
    }
