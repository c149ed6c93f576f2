"""The one way in for a turn, and for all that people do with it: accept, follow, decide, resume, cancel."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

from weft.kit import clock
from weft.kit.actor import Actor, Right
from weft.kit.db import Transaction
from weft.kit.errors import TooManyError
from weft.kit.ids import new_id
from weft.runs.approval_repository import ApprovalRepository
from weft.runs.deciding import decide, resolve
from weft.runs.engine import Engine
from weft.runs.errors import ApprovalExpiredError, RunUnknownError, SessionBusyError, TurnInvalidError
from weft.runs.following import Follower
from weft.runs.journal import Held
from weft.runs.live import Told
from weft.runs.opening import open_turn
from weft.runs.repository import Owner, RunRepository
from weft.runs.schemas import DEADLINE_SECONDS, ApprovalStatus, ApprovalView, Decision, RunStatus, RunView, TurnRequest
from weft.runs.telling import numbered
from weft.sessions.errors import SessionTakenError, SessionUnknownError
from weft.sessions.schemas import SessionView
from weft.sessions.service import SessionService
from weft.skills.voices import voice_of
from weft.state.events import Event, RunFinished, RunStarted

MOST_QUEUED = 20  # turns of one conversation that wait for the one before
_OVER = (RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A run that was taken on, or the one that the client had named before."""

    run: RunView
    session_id: UUID
    from_seq: int = 0  # what it tells from after this number on is what the client asked for
    fresh: bool = True


@dataclass(frozen=True, slots=True)
class Hands:
    """Whoever carries runs out in this process; without one, others do."""

    name: str
    lease: float
    take: Callable[[Held], None]
    hurry: Callable[[UUID], None]  # a run's end was asked for
    look: Callable[[], None]  # something waits to be carried out


class Desk:
    """Takes turns on; one a process."""

    def __init__(self, engine: Engine, hands: Hands | None = None) -> None:
        self.engine = engine
        self._hands = hands
        self._follower = Follower(engine.database, engine.hub, engine.bell)

    async def accept(self, actor: Actor, request: TurnRequest) -> Accepted:
        """Take a turn on: session, message and run are committed together, and only then is it carried out."""
        actor.require(Right.CHAT)
        if not (request.message.strip() or request.attachments or request.results):
            raise TurnInvalidError("say something: the message is empty", field="message")
        skills = await self.engine.skills.look(_business(actor), actor.owner_id)
        voice_of(skills.get("core").skill, request.voice_mode)  # refuses a voice that there is not
        try:
            return await self._accept(actor, request, skills, _session_id(actor, request))
        except SessionTakenError:  # somebody else's, which this caller must not learn
            if request.thread is None:
                raise
            return await self._accept(actor, request, skills, uuid5(actor.owner_id, request.thread))

    async def _accept(self, actor: Actor, request: TurnRequest, skills: Any, session_id: UUID | None) -> Accepted:
        async with self.engine.database.transaction(actor) as tx:
            runs = RunRepository(tx.connection)
            sessions = SessionService(tx)
            session = await _session(sessions, session_id, request)
            begins = sessions.began(session.id)  # then there was no run before
            name = request.client_run_id
            if name and not begins and (known := await runs.named(session.id, name)):
                return Accepted(RunView.of(await runs.get(known.run_id)), session.id, known.from_seq, fresh=False)
            busy = None if begins else await runs.busy(session.id)
            if busy is not None and request.when_busy == "refuse":
                raise SessionBusyError(session.id, busy)
            if busy is not None and await runs.queued(session.id) >= MOST_QUEUED:
                raise TooManyError(f"{MOST_QUEUED} turns of session {session.id} wait already", retry_after=5)
            row = await runs.add(self._values(actor, request, session.id, busy))
            owner = Owner(row["id"], session.id, _business(actor), actor.owner_id)
            if name:
                await runs.name(owner, name, 0)
            if busy is None:
                await open_turn(tx, sessions, session.id, owner.run_id, request, skills)
            if row["owner"] is None:
                await runs.announce(f"queued:{owner.run_id}")
        if self._hands is not None and row["owner"] is not None:
            self._hands.take(Held(owner, actor, row["turn"], row["fence"], self._hands.lease))
        return Accepted(RunView.of(row), session.id)

    def _values(self, actor: Actor, request: TurnRequest, session_id: UUID, busy: UUID | None) -> dict[str, Any]:
        hands = self._hands if busy is None else None
        return {
            "id": new_id(),
            "session": session_id,
            "business": _business(actor),
            "user": actor.owner_id,
            "request": request.model_dump(mode="json", exclude_defaults=True),
            "via": actor.via,
            "owner": None if hands is None else hands.name,
            "lease": 0.0 if hands is None else hands.lease,
            "deadline": request.deadline_seconds or DEADLINE_SECONDS,
            "said": busy is None,
        }

    def follow(self, actor: Actor, run_id: UUID, after: int = 0) -> AsyncIterator[Sequence[Told]]:
        """What the run tells after this number, until it pauses or is over."""
        return self._follower.follow(actor, run_id, after)

    async def run(self, actor: Actor, run_id: UUID) -> RunView:
        """A run within reach."""
        async with self.engine.database.transaction(actor) as tx:
            return _view(await RunRepository(tx.connection).get(run_id), run_id)

    async def went_on(self, actor: Actor, run_id: UUID, paused_at: int) -> bool:
        """Whether a run that paused there goes on, and nobody follows what came then under a name of its own."""
        async with self.engine.database.transaction(actor) as tx:
            runs = RunRepository(tx.connection)
            row = await runs.get(run_id)
            waits = row is None or row["status"] == RunStatus.WAITING.value
            return not waits and await runs.newest_part(run_id) < paused_at

    async def newest(self, actor: Actor, thread: str) -> Accepted | None:
        """What a conversation is at: the run on its way, else the last one, from where it was last gone on with."""
        actor.require(Right.CHAT)
        async with self.engine.database.transaction(actor) as tx:
            runs = RunRepository(tx.connection)
            for session_id in (_session_id(actor, TurnRequest(thread=thread)), uuid5(actor.owner_id, thread)):
                if found := session_id and await runs.recent(session_id, None, 1):
                    busy = await runs.busy(found[0]["session_id"])
                    row = found[0] if busy is None else await runs.get(busy)
                    from_seq = await runs.newest_part(row["id"])
                    return Accepted(RunView.of(row), row["session_id"], from_seq, fresh=False)
        return None

    async def newest_run(self, actor: Actor, session_id: UUID) -> RunView | None:
        """The session's last run."""
        async with self.engine.database.transaction(actor) as tx:
            rows = await RunRepository(tx.connection).recent(session_id, None, 1)
        return RunView.of(rows[0]) if rows else None

    async def approvals(self, actor: Actor, run_id: UUID) -> list[ApprovalView]:
        """The calls of a run that wait for somebody's word."""
        async with self.engine.database.transaction(actor) as tx:
            rows = await ApprovalRepository(tx.connection).of_run(run_id)
        return [ApprovalView.of(row) for row in rows if row["status"] == "pending"]

    async def decide(self, actor: Actor, approval_id: UUID, decision: Decision) -> ApprovalView:
        """Say yes or no to a call; with the last word that it waits for, the run goes on."""
        actor.require(Right.CHAT)
        async with self.engine.database.transaction(actor) as tx:
            view = await decide(tx, approval_id, decision)
        self._look()
        if view.status is ApprovalStatus.EXPIRED:  # which is written down, and the run goes on without it
            raise ApprovalExpiredError(f"approval {approval_id} was open until {view.expires_at:%Y-%m-%d %H:%M} UTC")
        return view

    async def resume(
        self, actor: Actor, thread: str, client_run_id: str, decisions: Sequence[tuple[UUID, Decision]]
    ) -> Accepted:
        """Decide what a run waits for, and know what follows by this name; the same again decides nothing anew."""
        actor.require(Right.CHAT)
        request = TurnRequest(thread=thread)
        async with self.engine.database.transaction(actor) as tx:
            session = await self._known(tx, _session_id(actor, request) or actor.owner_id, thread)
            runs = RunRepository(tx.connection)
            if known := await runs.named(session.id, client_run_id):
                return Accepted(RunView.of(await runs.get(known.run_id)), session.id, known.from_seq, fresh=False)
            run_id, from_seq = await resolve(tx, session.id, client_run_id, decisions)
            row = await runs.get(run_id)
        self._look()
        return Accepted(RunView.of(row), session.id, from_seq)

    async def _known(self, tx: Transaction, session_id: UUID, thread: str) -> SessionView:
        """The conversation that a client calls so; not held, for whoever writes a run locks that first."""
        sessions = SessionService(tx)
        try:
            return await sessions.get(session_id)
        except SessionUnknownError:
            return await sessions.get(uuid5(tx.actor.owner_id, thread))

    async def cancel(self, actor: Actor, run_id: UUID) -> RunView:
        """Ask for a run's end; one that is over stays as it is."""
        actor.require(Right.CHAT)
        live = self.engine.hub.get(run_id)
        if self._hands is not None and live is not None and live.is_of(actor):
            self._hands.hurry(run_id)  # its model is left at once; that this was asked for is written down after
        async with self.engine.database.transaction(actor) as tx:
            runs = RunRepository(tx.connection)
            row = await runs.locked(run_id)
            view = _view(row, run_id)
            if view.status in _OVER:
                return view
            if view.status is RunStatus.QUEUED and not row["said"]:  # nothing of it has happened yet
                await self._drop(runs, row)
                return _view(await runs.get(run_id), run_id)
            await runs.ask_to_cancel(run_id)
            if view.status is RunStatus.WAITING:  # nobody carries it out: somebody takes it on to end it
                await ApprovalRepository(tx.connection).withdraw(run_id)
                await runs.change(run_id, status=RunStatus.QUEUED.value)
            view = _view(await runs.get(run_id), run_id)
        if self._hands is not None:
            self._hands.hurry(run_id)
            self._hands.look()
        return view

    async def _drop(self, runs: RunRepository, row: Any) -> None:
        """End a turn that waits behind another: not even what the user said stands in the conversation."""
        owner = Owner(row["id"], row["session_id"], row["business_id"], row["user_id"])
        await runs.change(owner.run_id, status=RunStatus.CANCELLED.value, ended_at=clock.now())
        named = (await runs.taken_up(owner.run_id))["named"]
        told: list[Event] = [RunStarted(named), RunFinished("cancelled")]
        await runs.tell(owner, numbered(told, await runs.last_seq(owner.run_id)))

    def _look(self) -> None:
        if self._hands is not None:
            self._hands.look()


async def _session(sessions: SessionService, session_id: UUID | None, request: TurnRequest) -> SessionView:
    """The conversation, held until the end of the transaction; one that a client names first begins now."""
    if session_id is None:
        return await sessions.begin(request.message)
    found = await sessions.hold(session_id)
    if found is not None:
        return found
    if request.session_id is not None:
        return await sessions.get(session_id)  # says that there is none
    try:
        return await sessions.begin(request.message, session_id)
    except SessionTakenError:
        mine = await sessions.hold(session_id)  # another request of this user's made it meanwhile
        if mine is None:
            raise
        return mine


def _view(row: Any, run_id: UUID) -> RunView:
    if row is None:
        raise RunUnknownError(f"there is no run {run_id}")
    return RunView.of(row)


def _business(actor: Actor) -> UUID:
    if actor.business_id is None:
        raise TurnInvalidError("a turn belongs to a user of a business, and no business is named")
    return actor.business_id


def _session_id(actor: Actor, request: TurnRequest) -> UUID | None:
    """A client's own name for a conversation is its id where it is one, and else the same id for this user always."""
    if request.session_id is not None or request.thread is None:
        return request.session_id
    try:
        return UUID(request.thread)
    except ValueError:
        return uuid5(actor.owner_id, request.thread)
