"""What a script can tell the vendor to say, in which pieces, at what pace, and how to fail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from weft.llm.scripted.counting import Counts
from weft.llm.scripted.spelling import Spelling
from weft.llm.types import ToolRequest


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong in a stream once `after` events of it are sent; 0 is right after the head.

    `disconnect` closes the connection in the middle of the body, `reset` aborts it, `close` ends the body as
    if it were whole, `hang` keeps silent until the client leaves, `garbage` sends `data` as it stands and
    goes on, `error` sends `data` as an error object and ends.
    """

    kind: Literal["disconnect", "reset", "close", "hang", "garbage", "error"]
    after: int = 0
    data: bytes = b'{"error": {"message": "The server had an error", "type": "server_error", "code": null}}'


@dataclass(frozen=True, slots=True)
class Framing:
    """How events are written: what the standard allows, and a little more."""

    newline: bytes = b"\n"
    space: bool = True  # after "data:"
    comments: bool = False  # one before each event
    lines: bool = False  # the JSON of an event spread over several data lines
    done: bool = True  # "[DONE]" at the end
    last_newline: bool = True  # after the last event
    per_write: int = 1  # events in one network write


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer; usage is counted by the vendor unless `counts` says otherwise.

    `by` cuts the text into words or into pieces of so many characters. `deltas` replaces text, reasoning and
    tool calls by chunks of one's own; `writes` replaces the whole body by bytes, one network write each.
    """

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolRequest, ...] = ()
    finish: str | None = ""  # "" is the one that fits; None is none
    by: Literal["words"] | int = "words"
    first_delay: float = 0.0
    gap: float = 0.0
    usage: Spelling | Mapping[str, Any] | None = "openai"
    usage_at: Literal["own_chunk", "finish", "every_chunk"] = "own_chunk"
    counts: Counts | None = None
    reasoning_field: str = "reasoning_content"
    deltas: Sequence[Mapping[str, Any]] | None = None
    writes: Sequence[bytes] | None = None
    framing: Framing = field(default_factory=Framing)
    fault: Fault | None = None

    @property
    def reason(self) -> str | None:
        """The finish reason as it is sent."""
        return self.finish if self.finish != "" else "tool_calls" if self.tool_calls else "stop"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP error instead of an answer, or no response at all when `status` is 0."""

    status: int = 500
    body: bytes = b'{"error": {"message": "The server had an error", "type": "server_error", "code": null}}'
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
