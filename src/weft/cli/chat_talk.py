"""Carries a conversation on: takes turns to the desk, shows what they tell, and asks for the words they wait for."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from queue import Empty, SimpleQueue
from typing import Protocol
from uuid import UUID

from pydantic import ValidationError

from weft.calls.service import CallService
from weft.cli.chat_backstage import Backstage, Room
from weft.cli.chat_costs import Spent
from weft.cli.chat_interrupts import Interrupts
from weft.kit.errors import CallerError, InvalidError, WeftError
from weft.runs.errors import ApprovalDecidedError
from weft.runs.schemas import ApprovalView, Decision, RunStatus, RunView, TurnRequest
from weft.sessions.service import SessionService
from weft.state.events import ENDS, Event, RunFinished, RunPaused

IDLE_SECONDS = 0.1
CHANNEL = "terminal"


class Sight(Protocol):
    """Where a turn is shown."""

    def begin(self, session_id: UUID, run_id: UUID) -> None:
        """Something is under way from now on."""

    def show(self, seq: int, event: Event) -> None:
        """What happened."""

    def idle(self) -> None:
        """Nothing new came for a moment."""

    def stopping(self) -> None:
        """The user wants the turn to end."""

    def rest(self) -> None:
        """Nothing is under way any more."""

    def spent(self, turn: Spent, all_: Spent, seconds: float) -> None:
        """What the turn came to."""

    def left_waiting(self, session_id: UUID) -> None:
        """Nobody decided what it waits for."""

    def told(self, error: WeftError) -> None:
        """What could not be done."""


Ask = Callable[[ApprovalView], Decision | None]


class _Sign(Enum):
    WOKEN = "woken"  # there may be something else to do
    OVER = "over"


Telling = SimpleQueue[tuple[int, Event] | _Sign]


@dataclass(slots=True)
class Talk:
    """One conversation, or, until something is said, none yet."""

    stage: Backstage
    sight: Sight
    ask: Ask | None = None  # None: nobody is there to be asked
    session_id: UUID | None = None
    voice: str | None = None
    skill: str | None = None  # taken up with the next message
    _seconds: float = field(default=0.0, init=False)
    _interrupts: Interrupts = field(default_factory=Interrupts, init=False)

    def say(self, message: str) -> bool:
        """A turn, to its end; whether it came to a good one."""
        request = self._request(message)
        with self._interrupts.caught():
            accepted = self.stage.call(lambda room: room.desk.accept(room.actor, request))
            self.session_id, self.skill = accepted.session_id, None
            return self._follow(accepted.run, accepted.from_seq)

    def see_through(self, run: RunView) -> bool:
        """Follow a run that is under way already."""
        with self._interrupts.caught():
            return self._follow(run, 0)

    def _follow(self, run: RunView, after: int) -> bool:
        """Until it is over or nobody decides, asking what it waits for."""
        self._seconds = 0.0
        self.sight.begin(run.session_id, run.id)
        while True:
            ended, after = self._hear(run, after)
            self.sight.rest()
            if not isinstance(ended, RunPaused):
                break
            if not self._decided(run):
                self.sight.left_waiting(run.session_id)
                return False
        turn, all_ = self.stage.call(lambda room: _spent(room, run))
        self.sight.spent(turn, all_, self._seconds)
        if ended is None:  # it had told its end before
            return self._run(run).status is RunStatus.COMPLETED
        return isinstance(ended, RunFinished) and ended.outcome == "completed"

    def _request(self, message: str) -> TurnRequest:
        wishes = {"skill": self.skill, "voice_mode": self.voice, "session_id": self.session_id}
        given = {name: value for name, value in wishes.items() if value is not None}
        try:
            return TurnRequest.model_validate({"message": message, "channel": CHANNEL, **given})
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]
            raise InvalidError(f"{problem['loc'][0]}: {problem['msg']}", field=str(problem["loc"][0])) from None

    def _hear(self, run: RunView, after: int) -> tuple[Event | None, int]:
        """All that it tells until it pauses or ends; an interrupt asks for its end."""
        told: Telling = SimpleQueue()
        began, last = time.monotonic(), None
        hearing = self.stage.start(lambda room: _hear(room, run.id, after, told))
        with self._interrupts.waking(lambda: told.put(_Sign.WOKEN)):
            while True:
                if self._interrupts.take():
                    self.sight.stopping()
                    self.stage.start(lambda room: room.desk.cancel(room.actor, run.id))
                try:
                    item = told.get(timeout=IDLE_SECONDS)
                except Empty:
                    self.sight.idle()
                    continue
                if item is _Sign.OVER:
                    break
                if item is not _Sign.WOKEN:
                    seq, last = item
                    after = max(after, seq)
                    self.sight.show(seq, last)
        self._seconds += time.monotonic() - began
        hearing.result()
        return (last if isinstance(last, ENDS) else None), after

    def _decided(self, run: RunView) -> bool:
        """Whether everything it waits for is decided now; an interrupt at the question asks for its end."""
        for approval in self.stage.call(lambda room: room.desk.approvals(room.actor, run.id)):
            try:
                if self._interrupts.take():
                    raise KeyboardInterrupt
                if self.ask is None or not self._decide(approval, self.ask):
                    return False
            except KeyboardInterrupt:
                self.sight.stopping()
                self.stage.call(lambda room: room.desk.cancel(room.actor, run.id))
                return True
        return True

    def _decide(self, approval: ApprovalView, ask: Ask) -> bool:
        while (decision := ask(approval)) is not None:
            try:
                self._tell(approval.id, decision)
            except ApprovalDecidedError as error:  # by somebody else, meanwhile
                self.sight.told(error)
                return True
            except CallerError as error:
                self.sight.told(error)
                continue
            return True
        return False

    def _tell(self, approval_id: UUID, decision: Decision) -> None:
        self.stage.call(lambda room: room.desk.decide(room.actor, approval_id, decision))

    def _run(self, run: RunView) -> RunView:
        return self.stage.call(lambda room: room.desk.run(room.actor, run.id))


async def _hear(room: Room, run_id: UUID, after: int, told: Telling) -> None:
    try:
        async for batch in room.desk.follow(room.actor, run_id, after):
            for item in batch:
                told.put(item)
    finally:
        told.put(_Sign.OVER)


async def _spent(room: Room, run: RunView) -> tuple[Spent, Spent]:
    async with room.weft.database.transaction(room.actor) as tx:
        calls = await CallService(tx).of_turn(run.id)
        return Spent.on(calls), Spent.in_all(await SessionService(tx).usage(run.session_id))
