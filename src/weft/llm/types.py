"""The closed vocabulary of a model call: one shape whatever the vendor sends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts: `cached_input` and `cache_write` are parts of `input`, `reasoning` of `output`."""

    input: int = 0
    cached_input: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0


class Finish(StrEnum):
    """Why a model stopped."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"
    BROKEN = "broken"  # the stream ended without a word of its own


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A tool call as the model made it; `arguments` is the text it wrote, valid JSON or not."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolDelta:
    """A piece of a tool call: the first piece of an index carries id and name."""

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Delta:
    """What one chunk of a stream added; empty fields added nothing."""

    text: str = ""
    reasoning: str = ""
    tools: tuple[ToolDelta, ...] = ()
    usage: Usage | None = None
    finish: Finish | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer; `usage` is None when the vendor reported none."""

    text: str
    tool_calls: tuple[ToolRequest, ...] = ()
    reasoning: str = ""
    usage: Usage | None = None
    finish: Finish = Finish.STOP


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds to wait for the connection, the first chunk, and between two chunks."""

    connect: float = 10.0
    first: float = 120.0
    gap: float = 60.0


@dataclass(frozen=True, slots=True)
class AnswerLimits:
    """Bytes past which an answer is cut off: one line of its stream, and all of it."""

    line: int = 4 << 20
    answer: int = 64 << 20


@dataclass(frozen=True, slots=True)
class Target:
    """Where a call goes, by the registry; the only thing that ever holds a vendor key in clear."""

    vendor: str
    model: str
    base_url: str
    lane: Literal["openai_compatible", "litellm", "offline"]
    api_key: str = field(default="", repr=False)
    timeouts: Timeouts = Timeouts()
    limits: AnswerLimits = AnswerLimits()
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class ModelCall:
    """What is asked of a model; `messages` are in the chat-completions shape, ready to send byte for byte."""

    messages: Sequence[Mapping[str, Any]]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: Literal["auto", "none", "required"] | str = "auto"
    temperature: float | None = None
    max_output_tokens: int | None = None
    response_format: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)  # vendor options passed on as they are
    cache_key: str = ""  # calls that share a prefix share it, for vendors that route by it
