"""The end of a run that has no turn to end it: it could not be taken up, or what it came to could not be written.

Whatever is wrong with it, its session must be free for the next turn, and that one must find where to count on.
"""

from contextlib import suppress
from typing import Any

from weft.kit.db import Transaction
from weft.kit.errors import WeftError, WorldError
from weft.kit.log import get_logger
from weft.nodes.ports import Ending
from weft.nodes.turn import Done, Notes
from weft.runs.approval_repository import ApprovalRepository
from weft.runs.closing import ends_of_calls
from weft.runs.engine import Engine
from weft.runs.interrupted import left_open
from weft.runs.journal import Held
from weft.runs.opening import open_in_vain
from weft.runs.repository import Left, RunRepository
from weft.runs.schemas import TurnRequest
from weft.runs.telling import numbered
from weft.runs.written_rows import message_of
from weft.sessions.errors import IllegalTransitionError
from weft.sessions.service import SessionService
from weft.state.events import Event, RunFailed, RunFinished
from weft.state.json_form import load_action
from weft.state.runtime import fold
from weft.state.snapshot import TurnSnapshot, counted_on, load_snapshot, record_snapshot

log = get_logger(__name__)


async def end_anyway(engine: Engine, held: Held, ending: Ending, told: int = 0) -> None:
    """End it with all that it has left properly closed; where that is what fails, without.

    `told` is the number of the last event that somebody who watches here may have seen, stored or not.
    """
    try:
        await _end(engine, held, ending, told, careful=True)
    except WorldError:
        raise  # the database is away: another process will see to it
    except Exception:  # whatever is wrong with what the run has left: it must not keep its session for ever
        log.exception("run_not_closed", run=str(held.owner.run_id))
        await _end(engine, held, ending, told, careful=False)


async def _end(engine: Engine, held: Held, ending: Ending, told: int, *, careful: bool) -> None:
    owner = held.owner
    async with engine.database.transaction(held.actor) as tx:
        runs, sessions = RunRepository(tx.connection), SessionService(tx)
        if await runs.let_go(owner.run_id, held.fence, ending.status, over=True, error=ending.error) is None:
            return  # another process has it
        row = await runs.taken_up(owner.run_id)
        await ApprovalRepository(tx.connection).withdraw(owner.run_id)
        if not row["said"]:  # it waited for its turn, and so did what the user said
            await open_in_vain(tx, owner.session_id, owner.run_id, TurnRequest.model_validate(row["request"]))
            await runs.change(owner.run_id, said=True)
        notes = await (_closed if careful else _counted)(tx, held, row)
        await sessions.append(owner.session_id, [message_of(each) for each in notes.rows], owner.run_id)
        with suppress(*() if careful else (IllegalTransitionError,)):
            await _mark(sessions, held, ending)
        last_seq = max(told, await runs.last_seq(owner.run_id))
        await runs.tell(owner, numbered([*notes.events, _told(ending)], last_seq))


async def _closed(tx: Transaction, held: Held, row: Any) -> Notes:
    """What the run has left open, closed; and what the next turn starts from."""
    owner, runs, notes = held.owner, RunRepository(tx.connection), Notes()
    left = await left_open(tx, owner)
    notes.events += left.events()
    notes.rows += left.rows()
    if actions := await runs.actions(owner.run_id):
        frontend = {each.name for each in TurnRequest.model_validate(row["request"]).frontend_tools}
        state = fold(_before(row), [load_action(each["body"]) for each in actions])
        for done in (*ends_of_calls(state, frontend), Done("end")):
            state = notes.take(state, done)
        await runs.write(owner, Left(notes.nodes, notes.actions, held.turn, record_snapshot(state.snapshot()).json))
    return notes


async def _counted(tx: Transaction, held: Held, row: Any) -> Notes:
    """No more than where the next turn counts on: its actions must not have the numbers of this one's."""
    runs = RunRepository(tx.connection)
    with suppress(WeftError):
        if last := await runs.last_action(held.owner.run_id):
            counted = record_snapshot(counted_on(_before(row), last)).json
            await runs.write(held.owner, Left(turn=held.turn, snapshot=counted))
    return Notes()


def _before(row: Any) -> TurnSnapshot | None:
    return load_snapshot(row["snapshot"]) if row["snapshot"] else None


async def _mark(sessions: SessionService, held: Held, ending: Ending) -> None:
    if ending.error is not None:
        await sessions.mark_failed(held.owner.session_id, ending.error[0])
    else:
        await sessions.mark_completed(held.owner.session_id, ending.status)


def _told(ending: Ending) -> Event:
    if ending.error is None:
        return RunFinished("cancelled")
    error_id, code, detail = ending.error
    return RunFailed(code, detail, str(error_id))
