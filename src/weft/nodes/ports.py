"""What the steps of a turn need from outside the engine."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, Protocol
from uuid import UUID

from weft.context.compiling import Compiled
from weft.context.stages import AgentType
from weft.kit.actor import Actor
from weft.llm.ports import ModelCard
from weft.llm.types import ToolSpec
from weft.nodes.rows import Row
from weft.state.events import Event
from weft.state.runtime import RuntimeState
from weft.state.shared import Memory

_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class ApprovalWish:
    """A call that somebody must be asked about."""

    call_id: str
    name: str
    arguments: Mapping[str, Any]
    schema: Mapping[str, Any]
    message: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class CallSeen:
    """A model call, by the id that it is booked under."""

    id: UUID
    purpose: str
    model: str
    messages: Sequence[Mapping[str, Any]] = ()  # as they were sent


@dataclass(frozen=True, slots=True)
class Sent:
    """A prompt that was sent, and the calls that sent it: several, where a vendor had to be asked again."""

    compiled: Compiled
    calls: Sequence[CallSeen]


@dataclass(frozen=True, slots=True)
class Ending:
    """With this step the run is over, or waits."""

    status: Literal["completed", "cancelled", "failed", "waiting"]
    error: tuple[UUID, str, str] | None = None  # id, code, detail
    pending: tuple[str, ...] = ()  # calls that the client, or a person, has to see to


@dataclass(frozen=True, slots=True)
class Step:
    """What is written down together: all of it or nothing."""

    actions: tuple[bytes, ...]  # as JSON
    nodes: tuple[tuple[int, str], ...]  # of each action, its number and its node
    state: RuntimeState  # after them
    rows: tuple[Row, ...] = ()
    events: tuple[Event, ...] = ()  # told once all is written
    approvals: tuple[ApprovalWish, ...] = ()
    ending: Ending | None = None
    sent: tuple[Sent, ...] = ()


class Journal(Protocol):
    """Where a turn is written down."""

    async def write(self, step: Step) -> None:
        """Write a step. Raises where another process has taken the run over; then nothing is written."""

    async def within(self, work: Callable[[], Awaitable[Step]]) -> None:
        """Do the work in the very transaction that writes the step it comes to."""

    def show(self, event: Event) -> None:
        """Tell those who watch at once; it is written down soon."""


class Budget(Protocol):
    """What a turn and its session may still use, by the ledger."""

    async def check(self) -> None:
        """Before each call of a model. Raises `LimitReachedError` where nothing is left."""


class Recall(Protocol):
    """What is remembered of the user that bears on what they say now (WORK-6)."""

    async def recall(self, actor: Actor, words: str) -> Sequence[Memory]:
        """The most telling first."""


class Prompts(Protocol):
    """Compiles what a model is sent, from what the user, the session and the workspace are at this moment."""

    async def load(self) -> None:
        """Look at all of it: at the beginning of a turn, and when a skill was taken on or left."""

    def compiled(
        self, task: str, card: ModelCard, tools: Sequence[ToolSpec], found: Mapping[str, Any] = _NOTHING
    ) -> Compiled:
        """The prompt of a task; `found` is what earlier stages came to."""

    def wrote(self, rows: Sequence[Row]) -> None:
        """These messages stand in the conversation now."""

    @property
    def call_ids(self) -> Iterable[str]:
        """The ids of the tool calls that the conversation shows."""

    @property
    def skills(self) -> Sequence[str]:
        """The skills that can be taken on."""

    @property
    def user_values(self) -> Mapping[str, str]:
        """Who the user is, as the prompt says it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a turn may use."""

    calls: int = 16  # of models
    tool_calls: int = 64
    tokens: int = 400_000
    cost: Decimal | None = None  # in the session's currency
    session_calls: int | None = None
    session_tokens: int | None = None
    session_cost: Decimal | None = None
    approval_seconds: float = 7 * 24 * 3600.0


StageModels = Mapping[AgentType, str]
