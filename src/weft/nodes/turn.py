"""A turn under way: its state, what it may use, and the one way in which anything of it is written down."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel

from weft.context.stages import StageTexts
from weft.nodes.ports import ApprovalWish, Budget, CallSeen, Ending, Journal, Limits, Prompts, Sent, Step
from weft.nodes.rows import Row
from weft.nodes.stage_models import Models
from weft.nodes.uninterrupted import uninterrupted
from weft.state.action import Next
from weft.state.events import ActionTaken, Event, Stage, StageEnded, StageStarted
from weft.state.runtime import RuntimeState, advance
from weft.tools.toolbox import Toolbox

_NO_CONTRACTS: Mapping[str, type[BaseModel]] = {}
Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Asked:
    """How the turn was asked for, as far as its steps need it."""

    message: str = ""
    skill: str | None = None
    scenario: str | None = None
    voice: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """What a step did: its action, and what goes with it."""

    node: str
    to: Sequence[Next] = ()
    rows: Sequence[Row] = ()
    events: Sequence[Event] = ()
    approvals: Sequence[ApprovalWish] = ()
    ending: Ending | None = None
    said: dict[str, Any] = field(default_factory=dict)  # the rest of the action


@dataclass(slots=True)
class Speech:
    """A text that is being shown: it only ever grows."""

    message_id: UUID
    pieces: list[str] = field(default_factory=list)
    length: int = 0

    @property
    def text(self) -> str:
        """All that was shown of it."""
        return "".join(self.pieces)


@dataclass(slots=True)
class Notes:
    """What steps have come to and nobody has written down yet."""

    actions: list[bytes] = field(default_factory=list)
    nodes: list[tuple[int, str]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)

    def take(self, state: RuntimeState, done: Done) -> RuntimeState:
        """Note what a step did; the state after it."""
        after, written = advance(state, state.next_action(done.node, next=tuple(done.to), **done.said))
        action = after.turn.actions[-1]
        self.actions.append(written)
        self.nodes.append((action.id, action.node))
        self.rows += done.rows
        self.events += done.events
        self.events.append(ActionTaken(action.id, action.node, action.summary[:200], action.usage.total_tokens))
        return after


@dataclass(slots=True)
class Turn:
    """Live handles around a state that is only ever followed by another."""

    state: RuntimeState
    journal: Journal
    prompts: Prompts
    models: Models
    tools: Toolbox
    texts: StageTexts
    budget: Budget
    asked: Asked = field(default_factory=Asked)
    limits: Limits = field(default_factory=Limits)
    contracts: Mapping[str, type[BaseModel]] = field(default_factory=lambda: _NO_CONTRACTS)  # of CrewAI's tasks
    speech: Speech | None = None  # the text that is being shown, until a message keeps it
    unbooked: list[CallSeen] = field(default_factory=list)  # model calls that stand on no message yet
    asked_models: int = 0
    resting: bool = False  # it waits for somebody, or is over
    stage: Stage | None = None  # of the flow, while one is under way
    _noted: Notes = field(default_factory=Notes)

    def note(self, done: Done) -> None:
        """Append an action that may be done again without harm: it is written down together with the next one."""
        self._take(done)

    def note_sent(self, sent: Sent) -> None:
        """A prompt was sent; the next action tells of it."""
        self._noted.sent.append(sent)

    async def checkpoint(self, done: Done) -> None:
        """Append an action and write down everything that was noted: the one way in which a turn is recorded.

        Whoever stops the turn meanwhile waits for the end of it: half written is not a state that a turn can be in.
        """

        async def write() -> None:
            await self.journal.write(self._step(done))
            self._written(done)

        await uninterrupted(write())

    async def checkpoint_within(self, work: Callable[[], Awaitable[Done]]) -> None:
        """The same where the work belongs into the very transaction that records it; the work may be stopped."""

        made: list[Done] = []

        async def step() -> Step:
            made.append(await work())
            return self._step(made[0])

        async def write() -> None:
            await self.journal.within(step)
            self._written(made[0])

        await uninterrupted(write(), unless=lambda: not made)

    def enter(self, stage: Stage) -> None:
        """A stage begins."""
        self.stage = stage
        self.show(StageStarted(stage))

    def leave(self) -> list[Event]:
        """What tells that the stage is over; nothing, where that was told already."""
        stage, self.stage = self.stage, None
        return [] if stage is None else [StageEnded(stage)]

    def show(self, event: Event) -> None:
        """Tell those who watch, at once."""
        self.journal.show(event)

    def book(self, rows: Sequence[Row]) -> None:
        """Messages that go with the next action, for what happened on the way to it."""
        self._noted.rows += rows

    def unbooked_rows(self, stage: str, outcome: str) -> list[Row]:
        """An audit row for each model call that came to nothing: each stands on exactly one message."""
        noted = {row.call_id for row in self._noted.rows}
        left = [each for each in self.unbooked if each.id not in noted]
        return [Row("stage_audit", stage=stage, data={"outcome": outcome}, call_id=each.id) for each in left]

    def contract(self, task: str, shape: type[Shape]) -> type[Shape]:
        """What a task answers with: what CrewAI's task of this name carries, where it is of the shape."""
        carried = self.contracts.get(task, shape)
        return carried if issubclass(carried, shape) else shape

    def _step(self, done: Done) -> Step:
        self._take(done)
        noted = self._noted
        booked = {row.call_id for row in noted.rows}
        self.unbooked = [each for each in self.unbooked if each.id not in booked]
        return Step(
            actions=tuple(noted.actions),
            nodes=tuple(noted.nodes),
            state=self.state,
            rows=tuple(noted.rows),
            events=tuple(noted.events),
            approvals=tuple(done.approvals),
            ending=done.ending,
            sent=tuple(noted.sent),
        )

    def _take(self, done: Done) -> None:
        self.state = self._noted.take(self.state, done)
        if self.speech is not None and any(row.id == self.speech.message_id for row in done.rows):
            self.speech = None

    def _written(self, done: Done) -> None:
        self.resting = done.ending is not None
        self.prompts.wrote(self._noted.rows)
        self._noted = Notes()
