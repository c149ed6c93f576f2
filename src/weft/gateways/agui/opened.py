"""What stands open in an AG-UI stream: steps and texts, each closed before the run is over."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from weft.gateways.texts import reaches, unseen
from weft.state.events import TextGrew, TextKind, ToolCalled

Wire = dict[str, Any]


@dataclass(slots=True)
class _Text:
    kind: TextKind
    length: int = 0


@dataclass(slots=True)
class Opened:
    """Steps and texts that have begun and not ended."""

    _steps: dict[str, None] = field(default_factory=dict)
    _texts: dict[str, _Text] = field(default_factory=dict)

    def step(self, name: str) -> Iterator[Wire]:
        """A step begins."""
        if name not in self._steps:
            self._steps[name] = None
            yield {"type": "STEP_STARTED", "stepName": name}

    def close_step(self, name: str) -> Iterator[Wire]:
        """A step ends."""
        if name in self._steps:
            del self._steps[name]
            yield {"type": "STEP_FINISHED", "stepName": name}

    def text(self, message_id: str, kind: TextKind) -> Iterator[Wire]:
        """A text begins."""
        if message_id not in self._texts:
            self._texts[message_id] = _Text(kind)
            yield from _begun(message_id, kind)

    def grow(self, event: TextGrew) -> tuple[TextKind, str]:
        """What is new in a piece of a text; a piece that was told before is not told again."""
        text = self._texts.get(event.message_id)
        if text is None:
            return "answer", ""
        new, text.length = unseen(event, text.length), reaches(event, text.length)
        return text.kind, new

    def close_text(self, message_id: str, metadata: Wire | None = None) -> Iterator[Wire]:
        """A text ends."""
        text = self._texts.pop(message_id, None)
        if text is not None:
            yield from _closed(message_id, text.kind, metadata)

    def close_all(self) -> Iterator[Wire]:
        """Everything ends, the innermost first."""
        for message_id in reversed(list(self._texts)):
            yield from self.close_text(message_id)
        for name in reversed(list(self._steps)):
            yield from self.close_step(name)

    def begin_again(self) -> Iterator[Wire]:
        """Everything that is open, for somebody who was not there when it began."""
        for name in self._steps:
            yield {"type": "STEP_STARTED", "stepName": name}
        for message_id, text in self._texts.items():
            yield from _begun(message_id, text.kind)


def content_of(message_id: str, kind: TextKind, text: str) -> Wire:
    """More of a text."""
    if kind == "answer":
        return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": text}
    return {"type": "REASONING_MESSAGE_CONTENT", "messageId": message_id, "delta": text}


def started(call: ToolCalled) -> Wire:
    """A tool call begins."""
    about: Wire = {"type": "TOOL_CALL_START", "toolCallId": call.call_id, "toolCallName": call.name}
    return {**about, "parentMessageId": call.message_id} if call.message_id else about


def _begun(message_id: str, kind: TextKind) -> Iterator[Wire]:
    if kind == "answer":
        yield {"type": "TEXT_MESSAGE_START", "messageId": message_id, "role": "assistant"}
        return
    yield {"type": "REASONING_START", "messageId": message_id}
    yield {"type": "REASONING_MESSAGE_START", "messageId": message_id, "role": "reasoning"}


def _closed(message_id: str, kind: TextKind, metadata: Wire | None) -> Iterator[Wire]:
    marked = {} if metadata is None else {"metadata": metadata}
    if kind == "answer":
        yield {"type": "TEXT_MESSAGE_END", "messageId": message_id, **marked}
        return
    yield {"type": "REASONING_MESSAGE_END", "messageId": message_id, **marked}
    yield {"type": "REASONING_END", "messageId": message_id}
