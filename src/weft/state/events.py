"""What happens in a run, as those who watch are told: one small union, spelled anew by each way out.

Texts grow: a `TextGrew` says where its piece begins, so that whoever joins late, or reads pieces that were stored
together, neither misses nor repeats a character.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

_NOTHING: Mapping[str, Any] = {}
Stage = Literal["intent", "execution", "organization"]
TextKind = Literal["answer", "reasoning"]


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins; `answers` tells that it goes on after a pause."""

    type: ClassVar[str] = "run_started"
    client_run_id: str | None = None
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class StageStarted:
    """A stage of the flow begins."""

    type: ClassVar[str] = "stage_started"
    stage: Stage


@dataclass(frozen=True, slots=True)
class StageEnded:
    """It ends."""

    type: ClassVar[str] = "stage_ended"
    stage: Stage


@dataclass(frozen=True, slots=True)
class TextStarted:
    """The assistant begins to speak, or to think aloud."""

    type: ClassVar[str] = "text_started"
    message_id: str
    kind: TextKind = "answer"


@dataclass(frozen=True, slots=True)
class TextGrew:
    """More of a text: what stands at this offset."""

    type: ClassVar[str] = "text_grew"
    message_id: str
    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class TextEnded:
    """A text is whole, or will not become so."""

    type: ClassVar[str] = "text_ended"
    message_id: str
    incomplete: bool = False


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model asked for a tool; `arguments` is JSON as text. A frontend tool is the client's to answer."""

    type: ClassVar[str] = "tool_called"
    call_id: str
    name: str
    arguments: str
    message_id: str
    frontend: bool = False


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """What became of a tool call."""

    type: ClassVar[str] = "tool_ended"
    call_id: str
    name: str
    status: Literal["succeeded", "failed", "denied", "unknown"]
    content: str
    message_id: str  # of the result


@dataclass(frozen=True, slots=True)
class SkillChanged:
    """The conversation goes on in a skill, or in none."""

    type: ClassVar[str] = "skill_changed"
    skill: str | None
    scenario: str | None = None


@dataclass(frozen=True, slots=True)
class ActionTaken:
    """An action was written down: what the timeline shows."""

    type: ClassVar[str] = "action_taken"
    id: int
    node: str
    summary: str
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class CallMade:
    """A model was called: what it used and cost; the amount is text, None where no price is known."""

    type: ClassVar[str] = "call_made"
    call_id: str
    purpose: str
    model: str
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    cost: str | None
    currency: str
    outcome: str = "succeeded"
    first_token_ms: int | None = None


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The public view of the state moved: a JSON patch (RFC 6902)."""

    type: ClassVar[str] = "state_changed"
    patch: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """A tool call waits for somebody's word."""

    type: ClassVar[str] = "approval_asked"
    approval_id: str
    call_id: str
    name: str
    arguments: Mapping[str, Any]
    message: str
    schema: Mapping[str, Any]
    expires_at: str


@dataclass(frozen=True, slots=True)
class ApprovalDecided:
    """Somebody gave it, or it expired."""

    type: ClassVar[str] = "approval_decided"
    approval_id: str
    call_id: str
    status: Literal["approved", "edited", "denied", "expired"]


@dataclass(frozen=True, slots=True)
class RunPaused:
    """The run waits for approvals; `pending` are their ids, in the order of the calls."""

    type: ClassVar[str] = "run_paused"
    pending: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over; `pending_tool_calls` are those that the client answers itself."""

    type: ClassVar[str] = "run_finished"
    outcome: Literal["completed", "cancelled"] = "completed"
    pending_tool_calls: tuple[str, ...] = ()
    result: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The run failed; the error's id is what the log knows it by."""

    type: ClassVar[str] = "run_failed"
    code: str
    message: str
    error_id: str


Event = (
    RunStarted
    | StageStarted
    | StageEnded
    | TextStarted
    | TextGrew
    | TextEnded
    | ToolCalled
    | ToolEnded
    | SkillChanged
    | ActionTaken
    | CallMade
    | StateChanged
    | ApprovalAsked
    | ApprovalDecided
    | RunPaused
    | RunFinished
    | RunFailed
)
ENDS = (RunPaused, RunFinished, RunFailed)  # after one of these, a stream has nothing more to say

_KINDS: Mapping[str, type[Event]] = {kind.type: kind for kind in Event.__args__}


def dump(event: Event) -> dict[str, Any]:
    """The event's data as it is stored beside its type."""
    return {each.name: getattr(event, each.name) for each in fields(event)}


def load(kind: str, data: Mapping[str, Any]) -> Event:
    """The event again; what a newer Weft may have added to it is left out."""
    known = _KINDS[kind]
    names = {each.name for each in fields(known)}
    return known(**{name: _frozen(value) for name, value in data.items() if name in names})


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
