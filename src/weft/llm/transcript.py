"""Reads the bytes of one streamed answer into deltas, and judges in the end whether it was whole."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from weft.llm.answers import ChunkReader, read_answer
from weft.llm.errors import AnswerTooLargeError, BrokenStreamError, ModelError
from weft.llm.fold import Fold
from weft.llm.sse import EventReader, LineTooLongError
from weft.llm.types import Completion, Delta, Finish, Target, ToolDelta

MOST_TOGETHER = 4_096  # characters: what is on its way to a slow reader is counted in pieces
_DONE = b"[DONE]"


class Transcript:
    """Knows nothing of the network: bytes in, deltas out, an error kept until the rest is passed on."""

    __slots__ = (
        "_chunks",
        "_events",
        "_fold",
        "_room",
        "_target",
        "_type",
        "_unstreamed",
        "began",
        "done",
        "opened",
        "problem",
    )

    def __init__(self, target: Target) -> None:
        self._target = target
        self._events = EventReader(target.limits.line)
        self._chunks = ChunkReader(target)
        self._fold = Fold()
        self._room = target.limits.answer
        self._type = ""
        self._unstreamed: bytearray | None = None
        self.opened = False  # the head of the response is there
        self.began = False  # so is the first event
        self.done = False
        self.problem: ModelError | None = None

    def open(self, content_type: str) -> None:
        """The head has come; some vendors answer a request for a stream with one JSON object."""
        self.opened = True
        self._type = content_type.partition(";")[0].strip().lower()
        if self._type == "application/json":
            self._unstreamed = bytearray()

    def feed(self, piece: bytes) -> list[Delta] | None:
        """What a piece adds; None if it completes no event, as a comment that keeps the line alive."""
        self._room -= len(piece)
        if self._room < 0:
            self.problem = AnswerTooLargeError(
                f"the answer passes {self._target.limits.answer} bytes; it was cut off", target=self._target
            )
            return []
        if self._unstreamed is not None:
            self._unstreamed += piece
            return None
        try:
            events = self._events.feed(piece)
        except LineTooLongError:
            self.problem = self._line_too_long()
            return []
        return self._read(events) if events else None

    def end(self) -> list[Delta]:
        """What was left in the buffer when the vendor closed, and a finish where it only said it is done."""
        deltas = [] if self.over else self._rest()
        if self.done and self._fold.finish is None and not self._fold.empty:
            deltas.append(self._added(Delta(finish=Finish.STOP)))
        return deltas

    @property
    def over(self) -> bool:
        """Whether nothing that still comes can matter."""
        return self.done or self.problem is not None

    @property
    def whole(self) -> bool:
        """Whether the vendor has said why the model stopped: what it has still to say is only usage."""
        return self._fold.finish not in (None, Finish.BROKEN)

    def partial(self) -> Completion | None:
        """What has arrived, if anything has."""
        return None if self._fold.empty and self._fold.usage is None else self._fold.completion()

    def verdict(self, reason: str = "") -> ModelError | None:
        """What was wrong with the answer, with what arrived of it; None if it is whole."""
        if self.problem is None and not self.whole:
            self.problem = BrokenStreamError(reason or self._what_is_missing(), target=self._target)
        if self.problem is not None:
            self.problem.partial = self.partial()
        return self.problem

    def _what_is_missing(self) -> str:
        if self._fold.finish is not None:
            return "the vendor ran out of resources"
        if self.began:
            return "it ended without a reason to end"
        return f"the answer, of type {self._type or 'unknown'}, held no event; is base_url right?"

    def _rest(self) -> list[Delta]:
        try:
            if self._unstreamed:
                return [self._added(_as_delta(read_answer(self._target, bytes(self._unstreamed))))]
            events = self._events.end()
            return self._read(events) if events else []
        except LineTooLongError:
            self.problem = self._line_too_long()
        except ModelError as error:
            self.problem = error
        return []

    def _read(self, events: list[bytes]) -> list[Delta]:
        self.began = True
        deltas: list[Delta] = []
        read = self._chunks.read
        for data in events:
            if data == _DONE:
                self.done = True
                break
            try:
                delta = read(data)
            except ModelError as error:
                self.problem = error
                break
            if delta is not None:
                deltas.append(delta)
        deltas = together(deltas)
        for delta in deltas:
            self._fold.add(delta)
        return deltas

    def _added(self, delta: Delta) -> Delta:
        self._fold.add(delta)
        return delta

    def _line_too_long(self) -> ModelError:
        limit = self._target.limits.line
        return AnswerTooLargeError(f"one line of the answer passes {limit} bytes; it was cut off", target=self._target)


def together(deltas: list[Delta]) -> list[Delta]:
    """The same, with the words that came in one piece as one: whoever follows the stream is told of them once."""
    if len(deltas) < 2:
        return deltas
    joined: list[Delta] = []
    for kind, group in groupby(deltas, _kind):
        match kind:
            case "text":
                joined.extend(Delta(words) for words in _pieces(delta.text for delta in group))
            case "reasoning":
                joined.extend(Delta(reasoning=words) for words in _pieces(delta.reasoning for delta in group))
            case _:
                joined.extend(group)
    return joined


def _pieces(texts: Iterable[str]) -> Iterator[str]:
    held: list[str] = []
    length = 0
    for text in texts:
        held.append(text)
        length += len(text)
        if length >= MOST_TOGETHER:
            yield "".join(held)
            held, length = [], 0
    if held:
        yield "".join(held)


def _kind(delta: Delta) -> str:
    if delta.tools or delta.usage is not None or delta.finish is not None or (delta.text and delta.reasoning):
        return "more"
    return "text" if delta.text else "reasoning"


def _as_delta(answer: Completion) -> Delta:
    tools = tuple(ToolDelta(index, call.id, call.name, call.arguments) for index, call in enumerate(answer.tool_calls))
    return Delta(answer.text, answer.reasoning, tools, answer.usage, answer.finish)
