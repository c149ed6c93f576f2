"""What a run is taken up from: everything of it that stands in the database, read in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, get_args

from weft.kit.db import Transaction
from weft.kit.errors import WeftError
from weft.kit.log import get_logger
from weft.nodes.turn import Done, Turn
from weft.runs.approval_repository import ApprovalRepository
from weft.runs.engine import Engine
from weft.runs.errors import LeaseLostError, RunGaveUpError
from weft.runs.interrupted import LeftOpen, left_open
from weft.runs.journal import Held
from weft.runs.opening import open_turn
from weft.runs.repository import RunRepository
from weft.runs.schemas import TurnRequest, deadline_of
from weft.runs.situations import Beside, Found, Situations
from weft.sessions.schemas import SessionView
from weft.sessions.service import SessionService
from weft.state.action import Action, Next
from weft.state.calls import Decision
from weft.state.changes import AddMemory, ApprovalDecided
from weft.state.events import ApprovalDecided as Decided
from weft.state.json_form import load_action
from weft.state.runtime import RuntimeState, fold
from weft.state.shared import Memory
from weft.state.snapshot import load_snapshot
from weft.workspaces.service import WorkspaceService

log = get_logger(__name__)
MOST_ATTEMPTS = 8  # times that a run is taken up, pauses included


@dataclass(frozen=True, slots=True)
class TakenUp:
    """A run as it stands."""

    session: SessionView
    state: RuntimeState
    request: TurnRequest
    situations: Situations
    workspace: WorkspaceService
    moment: tuple[Beside, Found]
    standing: Any  # what the conversation's prefix shows
    deadline: datetime
    cancelled: bool  # its end was asked for while nobody carried it out
    named: str | None  # what the client calls it
    started: bool = False  # an earlier process has done something of it
    memories: Sequence[Memory] = ()  # that bear on what the user says
    decided: Sequence[Any] = ()  # approvals that somebody has decided
    last_seq: int = 0
    left: LeftOpen = field(default_factory=LeftOpen)


@dataclass(frozen=True, slots=True)
class _Earlier:
    """What an earlier process has left of it."""

    actions: Sequence[Any] = ()
    decided: Sequence[Any] = ()
    last_seq: int = 0
    left: LeftOpen = field(default_factory=LeftOpen)


async def take_up(engine: Engine, held: Held) -> TakenUp:
    """Look at all of it; what the user said is written now, where the run had to wait for its turn."""
    owner = held.owner
    workspace = WorkspaceService(held.actor, engine.workspaces)
    situations = Situations(engine.database, held.actor, engine.skills, workspace)
    beside = await situations.beside()
    async with engine.database.transaction(held.actor) as tx:
        runs = RunRepository(tx.connection)
        row = await runs.taken_up(owner.run_id)
        if row is None:
            raise LeaseLostError(f"run {owner.run_id} is there no more: its conversation was deleted")
        if row["attempts"] > MOST_ATTEMPTS:
            raise RunGaveUpError(f"the run was taken up {MOST_ATTEMPTS} times and never came to an end")
        request, deadline = TurnRequest.model_validate(row["request"]), row["deadline_at"]
        if not row["said"]:
            deadline = deadline_of(request)  # it waited for its turn, and its time begins now
            await open_turn(tx, SessionService(tx), owner.session_id, owner.run_id, request, beside.catalogue)
            await runs.change(owner.run_id, said=True, deadline_at=deadline)
        session = await SessionService(tx).get(owner.session_id)
        first = row["attempts"] <= 1
        earlier = _Earlier() if first else await _earlier(tx, held)
        found = await situations.found(tx, session, beside, was_asked=not first or row["turn"] > 1)
    actions = [load_action(each["body"]) for each in earlier.actions]
    memories = _recalled(actions) if actions else await _recall(engine, held, request.message)
    return TakenUp(
        session,
        fold(load_snapshot(row["snapshot"]) if row["snapshot"] else None, actions),
        request,
        situations,
        workspace,
        (beside, found),
        row["standing"],
        deadline,
        row["cancel_requested_at"] is not None,
        row["named"],
        bool(actions),
        memories,
        earlier.decided,
        earlier.last_seq,
        earlier.left,
    )


async def _earlier(tx: Transaction, held: Held) -> _Earlier:
    owner, runs = held.owner, RunRepository(tx.connection)
    approvals = await ApprovalRepository(tx.connection).of_run(owner.run_id)
    return _Earlier(
        await runs.actions(owner.run_id),
        [each for each in approvals if each["status"] != "pending"],
        await runs.last_seq(owner.run_id),
        await left_open(tx, owner),
    )


async def _recall(engine: Engine, held: Held, words: str) -> Sequence[Memory]:
    """What is remembered; a turn goes on without, where that cannot be told now."""
    try:
        return await engine.recall.recall(held.actor, words)
    except WeftError as error:
        log.warning("nothing_recalled", run=str(held.owner.run_id), code=error.code, detail=error.detail)
        return ()


def _recalled(actions: Sequence[Action]) -> list[Memory]:
    """What the turn was begun with: it goes on with the same."""
    changes = (change for action in actions for change in action.changes)
    return [memory for change in changes if isinstance(change, AddMemory) for memory in change.memory]


def note_decisions(turn: Turn, decided: Sequence[Any]) -> None:
    """What people have decided meanwhile stands in the state; the turn goes on where its last action points."""
    waiting = {each.call.id for each in turn.state.pending_approvals}
    last = turn.state.last
    to: Sequence[Next] = last.next if last is not None else ()
    for row in decided:
        if row["call_id"] not in waiting:
            continue
        decision: Decision = row["status"] if row["status"] in get_args(Decision) else "denied"
        change = ApprovalDecided(row["call_id"], decision, row["edited"], row["reason"])
        event = Decided(str(row["id"]), row["call_id"], decision)
        said = {"summary": f"{row['name']}: {decision}", "changes": (change,)}
        turn.note(Done("approval", to, events=[event], said=said))
