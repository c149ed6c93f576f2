"""One run carried out: what it was is loaded, its stages are driven, and however it ends, the end is written down."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from weft.context.revisions import Standing
from weft.kit import clock
from weft.kit.actor import Right
from weft.kit.errors import WeftError
from weft.kit.ids import new_id
from weft.kit.log import get_logger
from weft.llm.ports import Caller
from weft.llm.types import ToolSpec
from weft.nodes.outcomes import recorded, told, unknown
from weft.nodes.ports import Ending
from weft.nodes.preparing import begin
from weft.nodes.rows import Row
from weft.nodes.stage_models import Models
from weft.nodes.turn import Asked as TurnAsked
from weft.nodes.turn import Done, Turn
from weft.runs.budgets import RunBudget
from weft.runs.engine import Engine
from weft.runs.errors import DeadlinePassedError, LeaseLostError, RightsLostError, RunGaveUpError
from weft.runs.interrupted import LeftOpen, left_open
from weft.runs.journal import Held, RunJournal
from weft.runs.opening import open_turn
from weft.runs.prompting import RunPrompts
from weft.runs.repository import ApprovalRepository, RunRepository
from weft.runs.schemas import TurnRequest
from weft.runs.situations import Asked, Situations
from weft.runs.telling import Telling
from weft.runs.tool_ports import RunPorts
from weft.runs.units import Units
from weft.sessions.schemas import SessionView
from weft.sessions.service import SessionService
from weft.state.action import Next
from weft.state.calls import Decision
from weft.state.changes import ApprovalDecided
from weft.state.events import ApprovalDecided as Decided
from weft.state.events import Event, RunFailed, RunFinished, RunStarted, TextEnded
from weft.state.files import OriginFile
from weft.state.json_form import load_action
from weft.state.public import public_state
from weft.state.runtime import RuntimeState, fold
from weft.state.snapshot import load_snapshot
from weft.tools.tool import ToolResult
from weft.tools.toolbox import Toolbox
from weft.workspaces.service import WorkspaceService

log = get_logger(__name__)
MOST_ATTEMPTS = 8  # times that a run is taken up, pauses included
RunTurn = Callable[[Turn], Awaitable[None]]
Rights = Callable[[str], Awaitable[frozenset[Right] | None]]  # of whoever asked; None where they are known in person


@dataclass(frozen=True, slots=True)
class _Found:
    """What a run is taken up from."""

    session: SessionView
    state: RuntimeState
    started: bool  # an earlier process has done something of it
    decided: Sequence[Any]  # approvals that somebody has decided
    last_seq: int
    standing: Any
    left: LeftOpen
    deadline: datetime
    cancelled: bool  # its end was asked for while nobody carried it out
    request: TurnRequest
    named: str | None


class Execution:
    """Carries one run out."""

    def __init__(self, engine: Engine, held: Held, run_turn: RunTurn, rights: Rights) -> None:
        self._engine = engine
        self._held = held
        self._run_turn = run_turn
        self._rights = rights
        self.cancelled_by_somebody = False
        self.next_waits = True  # whether another run of the session may wait for the end of this one
        self._journal: RunJournal | None = None
        # Nothing was told of a run that is taken on for the first time: whoever watches need not look for it.
        self._live = engine.hub.open(held.owner.run_id, 0, held.owner.user_id) if held.fence == 1 else None

    async def run(self) -> None:
        """From where it stands to its end, or to where it has to wait; what goes wrong is its end."""
        run_id = self._held.owner.run_id
        turn: Turn | None = None
        live = self._live
        try:
            found = await self._load()
            live = live or self._engine.hub.open(run_id, found.last_seq, self._held.owner.user_id)
            turn, journal = await self._turn(found, live)
            await self._go(turn, journal, found)
        except LeaseLostError as error:
            log.warning("run_taken_over", run=str(run_id), detail=error.detail)
        except asyncio.CancelledError:
            if turn is None or not self.cancelled_by_somebody:
                raise  # the process stops: another one takes the run up where it stands
            await self._end_cancelled(turn)
        except Exception as error:  # noqa: BLE001 - logged there: a run ends, whatever it dies of
            await self._end_failed(turn, error)
        finally:
            if self._journal is not None:
                await self._journal.close()
                self.next_waits = self._journal.next_waits
            if live is not None:
                self._engine.hub.drop(run_id, live)

    async def _go(self, turn: Turn, journal: RunJournal, found: _Found) -> None:
        journal.show(RunStarted(found.named, found.started))
        if not found.started:
            begin(turn, found.request.message, _files(found.request))
        else:
            _take_up(turn, found.decided)
        for event in found.left.events():
            journal.show(event)
        turn.book(found.left.rows())
        if found.cancelled:
            await self._end_cancelled(turn)
            return
        remaining = (found.deadline - clock.now()).total_seconds()
        try:
            async with asyncio.timeout(max(0.0, remaining)) as limit:
                await self._run_turn(turn)
        except TimeoutError:
            if not limit.expired():
                raise
            raise DeadlinePassedError("the turn took longer than it may, and was stopped") from None

    async def _load(self) -> _Found:
        held = self._held
        owner = held.owner
        await self._may_still()
        skills = await self._engine.skills.look(owner.business_id, owner.user_id)
        async with self._engine.database.transaction(held.actor) as tx:
            runs = RunRepository(tx.connection)
            row = await runs.get(owner.run_id)
            if row["attempts"] > MOST_ATTEMPTS:
                raise RunGaveUpError(f"the run was taken up {MOST_ATTEMPTS} times and never came to an end")
            if not row["said"]:  # it waited for its turn, and so did what the user said
                await SessionService(tx).hold(owner.session_id)
                await open_turn(tx, owner.session_id, owner.run_id, TurnRequest.model_validate(row["request"]), skills)
                await runs.change(owner.run_id, said=True)
            session = await SessionService(tx).get(owner.session_id)
            snapshot = await runs.snapshot(owner.session_id)
            fresh = row["attempts"] <= 1
            actions = [] if fresh else await runs.actions(owner.run_id)
            approvals = [] if fresh else await ApprovalRepository(tx.connection).of_run(owner.run_id)
            last_seq = 0 if fresh else await runs.last_seq(owner.run_id)
            named = await runs.newest_name(owner.run_id)
            standing = await runs.standing(owner.session_id)
            left = LeftOpen() if fresh else await left_open(tx, owner)
        state = fold(load_snapshot(snapshot) if snapshot else None, [load_action(each["body"]) for each in actions])
        return _Found(
            session,
            state,
            bool(actions),
            [each for each in approvals if each["status"] != "pending"],
            last_seq,
            standing,
            left,
            row["deadline_at"],
            row["cancel_requested_at"] is not None,
            TurnRequest.model_validate(row["request"]),
            named,
        )

    async def _may_still(self) -> None:
        """Whoever asked for a run that was queued or paused may have lost the right to it since (SEC-5)."""
        rights = await self._rights(self._held.actor.via)
        if rights is not None and Right.CHAT not in rights:
            raise RightsLostError(f"{self._held.actor.via} may not have this done any more")

    async def _turn(self, found: _Found, live: Any) -> tuple[Turn, RunJournal]:
        engine, held, request = self._engine, self._held, found.request
        units = Units(engine.database, held.actor)
        workspace = WorkspaceService(held.actor, engine.workspaces)
        frontend = [ToolSpec(each.name, each.description, each.parameters) for each in request.frontend_tools]
        ports = RunPorts(engine, held, units, workspace)
        asked = Asked(
            session_id=held.owner.session_id,
            words=request.message,
            at=clock.now(),
            voice_mode=request.voice_mode,
            channel=request.channel,
            chat_id=request.chat_id,
            execution_context=request.execution_context,
            tools=engine.tool_names,
        )
        situations = Situations(engine.database, held.actor, engine.skills, workspace)
        standing = Standing.load(found.standing) if found.standing else None
        prompts = RunPrompts(situations, asked, engine.texts, engine.gateway.counter, standing)
        await prompts.load()
        ports.prompts = prompts
        journal = RunJournal(engine.database, held, live, Telling(live), units, prompts)
        journal.public = public_state(found.state, str(held.owner.session_id), str(held.owner.run_id))
        self._journal = journal
        caller = Caller(
            currency=found.session.billing_currency,
            business_id=held.owner.business_id,
            user_id=held.owner.user_id,
            session_id=held.owner.session_id,
            turn_id=held.owner.run_id,
        )
        names = await engine.stage_models.of(held.owner.business_id)
        turn = Turn(
            state=found.state,
            journal=journal,
            prompts=prompts,
            models=Models(engine.gateway, names, caller),
            tools=Toolbox(engine.tools(ports, prompts.skills), frontend),
            texts=engine.texts,
            asked=TurnAsked(request.message, found.session.skill, found.session.scenario),
            limits=engine.limits,
            budget=RunBudget(engine.database, held.actor, held.owner, engine.limits),
            asked_models=found.left.calls_made,
        )
        return turn, journal

    async def _end_cancelled(self, turn: Turn) -> None:
        """Everything is closed properly: what was shown stays, what was under way is told of."""
        rows, events = _what_is_open(turn, "cancelled")
        _close_calls(turn)
        ending = Ending("cancelled")
        turn.note(Done("cancelled", rows=rows, events=events))
        await self._last(turn, Done("end", events=[RunFinished("cancelled")], ending=ending))

    async def _end_failed(self, turn: Turn | None, error: Exception) -> None:
        error_id = new_id()
        told_as = error if isinstance(error, WeftError) else None
        code = told_as.code if told_as else "internal"
        detail = told_as.detail if told_as else "Weft failed; its log has the error under this id"
        log.exception("run_failed", run=str(self._held.owner.run_id), error_id=str(error_id), code=code)
        ending = Ending("failed", (error_id, code, detail[:2_000]))
        if turn is None:
            await self._engine.fail(self._held, ending)
            return
        rows, events = _what_is_open(turn, "failed")
        _close_calls(turn)
        turn.note(Done("failed", rows=rows, events=events, said={"summary": f"{code}: {detail}"[:500]}))
        await self._last(turn, Done("end", events=[RunFailed(code, detail, str(error_id))], ending=ending))

    async def _last(self, turn: Turn, done: Done) -> None:
        """The end is written even while the process is being stopped; where it cannot be, another takes the run up."""
        try:
            await asyncio.shield(asyncio.ensure_future(turn.checkpoint(done)))
        except WeftError as error:
            log.warning("end_not_written", run=str(self._held.owner.run_id), detail=error.detail)


def _files(request: TurnRequest) -> list[OriginFile]:
    return [OriginFile(each.name[:200], each.media_type[:200], each.path) for each in request.attachments]


def _take_up(turn: Turn, decided: Sequence[Any]) -> None:
    """What people have decided meanwhile stands in the state; the turn goes on where its last action points."""
    waiting = {each.call.id for each in turn.state.pending_approvals}
    last = turn.state.last
    to: Sequence[Next] = last.next if last is not None else ()
    for row in decided:
        if row["call_id"] not in waiting:
            continue
        decision: Decision = row["status"] if row["status"] in get_args(Decision) else "denied"
        change = ApprovalDecided(row["call_id"], decision, row["edited"])
        event = Decided(str(row["id"]), row["call_id"], decision)
        said = {"summary": f"{row['name']}: {decision}", "changes": (change,)}
        turn.note(Done("approval", to, events=[event], said=said))


def _what_is_open(turn: Turn, outcome: str) -> tuple[list[Row], list[Event]]:
    """The text that was being shown, kept as an incomplete answer; and each call that came to nothing."""
    rows: list[Row] = []
    events: list[Event] = []
    speech, turn.speech = turn.speech, None
    unbooked = turn.unbooked
    if speech is not None:
        call_id = unbooked[-1].id if unbooked else None
        turn.unbooked = unbooked[:-1]
        rows.append(
            Row("assistant_output", speech.text, speech.message_id, stage="intent", incomplete=True, call_id=call_id)
        )
        events.append(TextEnded(str(speech.message_id), incomplete=True))
    rows += turn.unbooked_rows("turn", outcome)
    return rows, events


def _close_calls(turn: Turn) -> None:
    """Each call that was asked for has an end: unknown where it had begun, else it was not carried out."""
    for each in turn.state.open_calls:
        if each.call.name in turn.tools.frontend:
            continue
        begun = each.phase == "started"
        outcome = unknown(each.call) if begun else told(each.call, "denied", "the turn ended before this was done")
        if each.phase == "approved":
            outcome = told(each.call, "failed", "the turn ended before this was done")
        turn.note(recorded(each.call, outcome, ToolResult(""), [Next("end")]))
