"""One run carried out: what it was is loaded, its stages are driven, and however it ends, the end is written down."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from weft.context.revisions import Standing
from weft.kit import clock
from weft.kit.actor import Right
from weft.kit.db import DatabaseLostError
from weft.kit.errors import WeftError, WorldError
from weft.kit.ids import new_id
from weft.kit.log import get_logger
from weft.kit.text import replace_unstorable
from weft.llm.ports import Caller
from weft.llm.types import ToolSpec
from weft.nodes.ports import Ending
from weft.nodes.preparing import begin
from weft.nodes.stage_models import Models
from weft.nodes.turn import Asked as TurnAsked
from weft.nodes.turn import Done, Turn
from weft.runs.budgets import RunBudget
from weft.runs.closing import ends_of_calls, what_is_open
from weft.runs.ending_anyway import end_anyway
from weft.runs.engine import Engine
from weft.runs.errors import DeadlinePassedError, LeaseLostError, RightsLostError
from weft.runs.journal import Held, RunJournal
from weft.runs.prompting import RunPrompts
from weft.runs.situations import Asked
from weft.runs.taking_up import TakenUp, note_decisions, take_up
from weft.runs.telling import Telling
from weft.runs.tool_ports import RunPorts
from weft.runs.units import Units
from weft.state.events import Event, RunFailed, RunFinished, RunStarted
from weft.state.files import OriginFile
from weft.state.public import public_state
from weft.tools.toolbox import Toolbox

log = get_logger(__name__)
RunTurn = Callable[[Turn], Awaitable[None]]
Rights = Callable[[str], Awaitable[frozenset[Right] | None]]  # of whoever asked; None where they are known in person


class Execution:
    """Carries one run out."""

    def __init__(self, engine: Engine, held: Held, run_turn: RunTurn, rights: Rights) -> None:
        self._engine = engine
        self._held = held
        self._run_turn = run_turn
        self._rights = rights
        self.cancelled_by_somebody = False
        self.lost = False  # somebody else carries it on: nothing more of it is done here
        self.next_waits = True  # whether another run of the session may wait for the end of this one
        self._journal: RunJournal | None = None
        self._begun = False
        # Nothing was told of a run that is taken on for the first time: whoever watches need not look for it.
        self._live = engine.hub.open(held.owner.run_id, 0, held.owner.user_id) if held.fence == 1 else None

    async def run(self) -> None:
        """From where it stands to its end, or to where it has to wait; what goes wrong is its end."""
        run_id = self._held.owner.run_id
        turn: Turn | None = None
        live = self._live
        self._begun = True
        try:
            if self.lost or self.cancelled_by_somebody:
                raise asyncio.CancelledError  # before it could begin
            await self._may_still()
            found = await take_up(self._engine, self._held)
            live = live or self._engine.hub.open(run_id, found.last_seq, self._held.owner.user_id)
            turn, journal = await self._turn(found, live)
            await self._go(turn, journal, found)
        except LeaseLostError as error:
            log.warning("run_taken_over", run=str(run_id), detail=error.detail)
        except DatabaseLostError as error:  # once it is back, the run goes on where it stands
            log.warning("run_left_standing", run=str(run_id), detail=error.detail)
        except asyncio.CancelledError:
            if self.lost:
                log.warning("run_taken_over", run=str(run_id))
                return
            if not self.cancelled_by_somebody:
                raise  # the process stops: another one takes the run up where it stands
            await self._end_cancelled(turn)
        except Exception as error:  # noqa: BLE001 - logged there: a run ends, whatever it dies of
            await self._end_failed(turn, error)
        finally:
            try:
                if self._journal is not None:
                    await self._journal.close()
                    self.next_waits = self._journal.next_waits
            finally:
                if live is not None:
                    self._engine.hub.drop(run_id, live)

    def stop(self, task: "asyncio.Task[None]") -> None:
        """Stop it where it is; a task that has not taken its first step would leave everything lying about."""
        if self._begun:
            task.cancel()

    @property
    def over(self) -> bool:
        """Whether the run is over, or waits: what is left to do here is to tidy up."""
        return self._journal is not None and self._journal.over

    async def _go(self, turn: Turn, journal: RunJournal, found: TakenUp) -> None:
        journal.show(RunStarted(found.named, found.started))
        if not found.started:
            begin(turn, found.request.message, _files(found), found.memories)
        else:
            note_decisions(turn, found.decided)
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

    async def _may_still(self) -> None:
        """Whoever asked for a run that was queued or paused may have lost the right to it since (SEC-5)."""
        rights = await self._rights(self._held.actor.via)
        if rights is not None and Right.CHAT not in rights:
            raise RightsLostError(f"{self._held.actor.via} may not have this done any more")

    async def _turn(self, found: TakenUp, live: Any) -> tuple[Turn, RunJournal]:
        engine, held, request = self._engine, self._held, found.request
        units = Units(engine.database, held.actor)
        frontend = [ToolSpec(each.name, each.description, each.parameters) for each in request.frontend_tools]
        ports = RunPorts(engine, held, units, found.workspace)
        asked = Asked(
            session_id=held.owner.session_id,
            words=request.message,
            at=clock.now(),
            voice_mode=request.voice_mode,
            channel=request.channel,
            chat_id=request.chat_id,
            execution_context=request.execution_context,
            recall=tuple(each.text for each in found.memories),
            tools=engine.tool_names,
        )
        standing = Standing.load(found.standing) if found.standing else None
        prompts = RunPrompts(found.situations, asked, engine.texts, engine.gateway.counter, standing)
        prompts.begin(await found.situations.made(asked, *found.moment))
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
            asked=TurnAsked(request.message, found.session.skill, found.session.scenario, request.voice_mode),
            limits=engine.limits,
            budget=RunBudget(engine.database, held.actor, held.owner, engine.limits),
            asked_models=found.left.calls_made,
        )
        return turn, journal

    async def _end_cancelled(self, turn: Turn | None) -> None:
        """Everything is closed properly: what was shown stays, what was under way is told of."""
        await self._end(turn, Ending("cancelled"), "", RunFinished("cancelled"))

    async def _end_failed(self, turn: Turn | None, error: Exception) -> None:
        error_id = new_id()
        told_as = error if isinstance(error, WeftError) else None
        code = told_as.code if told_as else "internal"
        detail = told_as.detail if told_as else "Weft failed; its log has the error under this id"
        log.exception("run_failed", run=str(self._held.owner.run_id), error_id=str(error_id), code=code)
        detail = replace_unstorable(detail)[:2_000]
        ending = Ending("failed", (error_id, code, detail))
        await self._end(turn, ending, f"{code}: {detail}"[:500], RunFailed(code, detail, str(error_id)))

    async def _end(self, turn: Turn | None, ending: Ending, summary: str, event: Event) -> None:
        """Write the end down with the turn; where there is none, or it cannot be written, without."""
        run_id = str(self._held.owner.run_id)
        if self.over:
            return  # it was stopped while its end was being written
        try:
            if turn is not None:
                await self._last(turn, ending, summary, event)
                return
        except (LeaseLostError, WorldError) as error:  # whoever has the run, or will, sees to its end
            log.warning("end_not_written", run=run_id, detail=error.detail)
            return
        except Exception:  # what the turn came to cannot be written: the run must end all the same
            log.exception("end_not_written", run=run_id)
        told = self._journal.telling.last if self._journal is not None else 0
        await end_anyway(self._engine, self._held, ending, told)

    async def _last(self, turn: Turn, ending: Ending, summary: str, told: Event) -> None:
        rows, events = what_is_open(turn, ending.status)
        for done in ends_of_calls(turn.state, turn.tools.frontend):
            turn.note(done)
        turn.note(Done(ending.status, rows=rows, events=events, said={"summary": summary}))
        await turn.checkpoint(Done("end", events=[told], ending=ending))


def _files(found: TakenUp) -> list[OriginFile]:
    return [OriginFile(each.name[:200], each.media_type[:200], each.path) for each in found.request.attachments]
