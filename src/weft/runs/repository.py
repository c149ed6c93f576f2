"""Reads and writes runs and what belongs to them; row-level security stands behind every statement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from sqlalchemy import bindparam, func, literal, select, text, tuple_, update
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from weft.kit import clock
from weft.kit.db.model import Model
from weft.runs.models import ActionRow, EventRow, RunRequestRow, RunRow, SnapshotRow

_RUN = Model.metadata.tables[RunRow.__tablename__]
_ACTION = Model.metadata.tables[ActionRow.__tablename__]
_EVENT = Model.metadata.tables[EventRow.__tablename__]
EVENTS_CHANNEL, RUNS_CHANNEL = "weft_events", "weft_runs"

# The statements of the hottest paths are built once: building them costs more than running them.
# The statuses stand in the statement itself, for the index is one over open runs alone.
_BUSY = text("""
    SELECT id FROM agent_runs WHERE session_id = :session AND parent_run_id IS NULL
      AND status IN ('queued', 'running', 'waiting') ORDER BY turn LIMIT 1
""")
_ADD = text("""
    INSERT INTO agent_runs (id, session_id, business_id, user_id, turn, status, request, via, fence, owner, lease_until,
                            attempts, deadline_at, started_at, said)
    SELECT :id, :session, :business, :user,
           coalesce((SELECT max(turn) FROM agent_runs WHERE session_id = :session AND parent_run_id IS NULL), 0) + 1,
           CASE WHEN CAST(:owner AS text) IS NULL THEN 'queued' ELSE 'running' END, :request, :via,
           CASE WHEN CAST(:owner AS text) IS NULL THEN 0 ELSE 1 END, CAST(:owner AS text),
           CASE WHEN CAST(:owner AS text) IS NULL THEN NULL
                ELSE clock_timestamp() + make_interval(secs => CAST(:lease AS float8)) END,
           CASE WHEN CAST(:owner AS text) IS NULL THEN 0 ELSE 1 END,
           clock_timestamp() + make_interval(secs => CAST(:deadline AS float8)),
           CASE WHEN CAST(:owner AS text) IS NULL THEN NULL ELSE clock_timestamp() END, :said
    RETURNING *
""").bindparams(bindparam("request", type_=JSONB))
_HOLD = text("""
    UPDATE agent_runs SET lease_until = clock_timestamp() + make_interval(secs => CAST(:lease AS float8))
    WHERE id = :run AND fence = :fence AND status = 'running' RETURNING cancel_requested_at IS NOT NULL
""")
_LET_GO = text("""
    UPDATE agent_runs SET status = :status, owner = NULL, lease_until = NULL,
           ended_at = CASE WHEN :over THEN clock_timestamp() END,
           error_id = :error_id, error_code = :error_code, error_detail = :error_detail
    WHERE id = :run AND fence = :fence AND status = 'running'
    RETURNING EXISTS (SELECT 1 FROM agent_runs AS next WHERE next.session_id = agent_runs.session_id
                        AND next.parent_run_id IS NULL AND next.turn > agent_runs.turn AND next.status = 'queued')
""")
# The oldest run that nobody carries out, or carries out no more; the runs of one session go one after the other.
_CLAIM = """
    UPDATE agent_runs SET status = 'running', owner = :owner, fence = fence + 1, attempts = attempts + 1,
           lease_until = clock_timestamp() + make_interval(secs => CAST(:lease AS float8)),
           started_at = coalesce(started_at, clock_timestamp())
    WHERE id = (
      SELECT id FROM agent_runs AS run
      WHERE (status = 'queued' OR (status = 'running' AND lease_until < clock_timestamp())) {which}
        AND NOT EXISTS (SELECT 1 FROM agent_runs AS earlier WHERE earlier.session_id = run.session_id
              AND earlier.parent_run_id IS NULL AND run.parent_run_id IS NULL AND earlier.turn < run.turn
              AND earlier.status IN ('queued', 'running', 'waiting'))
      ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, session_id, business_id, user_id, turn, fence, via
"""
_CLAIM_ANY, _CLAIM_ONE = text(_CLAIM.format(which="")), text(_CLAIM.format(which="AND id = :run"))
_BEAT = text("""
    UPDATE agent_runs SET lease_until = clock_timestamp() + make_interval(secs => CAST(:lease AS float8))
    WHERE owner = :owner AND status = 'running' AND id = ANY (CAST(:runs AS uuid[]))
    RETURNING id, cancel_requested_at IS NOT NULL AS cancelled
""")
_RELEASE = text("""
    UPDATE agent_runs SET status = 'queued', owner = NULL, lease_until = NULL
    WHERE owner = :owner AND status = 'running' RETURNING id
""")
_EXPIRED = text("""
    SELECT approval.id, approval.business_id, approval.user_id, run.via
    FROM agent_approvals AS approval JOIN agent_runs AS run ON run.id = approval.run_id
    WHERE approval.status = 'pending' AND approval.expires_at < clock_timestamp() ORDER BY approval.expires_at LIMIT 100
""")
# All that a step leaves to its run, in one statement; what there is none of is an empty list, or null.
_WRITE = text("""
    WITH acted AS (
      INSERT INTO agent_actions (session_id, id, run_id, business_id, user_id, node, body)
      SELECT :session, id, :run, :business, :user, node, body
      FROM jsonb_to_recordset(CAST(:actions AS jsonb)) AS a(id bigint, node text, body jsonb)
    ), ended AS (
      INSERT INTO agent_turn_snapshots (session_id, turn, run_id, business_id, user_id, state)
      SELECT :session, CAST(:turn AS bigint), :run, :business, :user, CAST(:snapshot AS jsonb)
      WHERE CAST(:snapshot AS jsonb) IS NOT NULL
    ), shown AS (
      INSERT INTO agent_session_prompts (session_id, business_id, user_id, standing)
      SELECT :session, :business, :user, CAST(:standing AS jsonb) WHERE CAST(:standing AS jsonb) IS NOT NULL
      ON CONFLICT (session_id) DO UPDATE SET standing = excluded.standing
    ), told AS (
      INSERT INTO agent_run_events (run_id, seq, session_id, business_id, user_id, type, data, at)
      SELECT :run, seq, :session, :business, :user, type, data, at
      FROM jsonb_to_recordset(CAST(:events AS jsonb)) AS e(seq bigint, type text, data jsonb, at timestamptz)
    )
    SELECT CASE WHEN CAST(:payload AS text) IS NOT NULL THEN pg_notify('weft_events', :payload) END
""")
_ACTIONS = select(_ACTION).where(_ACTION.c.run_id == bindparam("run")).order_by(_ACTION.c.id)
_QUEUED = text("""
    SELECT count(*) FROM agent_runs WHERE session_id = :session AND parent_run_id IS NULL AND status = 'queued'
""")
_LAST_ACTION = select(func.max(_ACTION.c.id)).where(_ACTION.c.run_id == bindparam("run"))
_GET = select(_RUN).where(_RUN.c.id == bindparam("run"))
# A run, and what its session has for it: what the newest finished turn left, what the prefix shows, what the client
# calls the run since it was last asked for.
_TAKEN_UP = text("""
    SELECT run.*,
      (SELECT state FROM agent_turn_snapshots WHERE session_id = run.session_id AND turn =
        (SELECT max(turn) FROM agent_turn_snapshots WHERE session_id = run.session_id)) AS snapshot,
      (SELECT standing FROM agent_session_prompts WHERE session_id = run.session_id) AS standing,
      (SELECT client_run_id FROM agent_run_requests WHERE run_id = run.id ORDER BY from_seq DESC LIMIT 1) AS named
    FROM agent_runs AS run WHERE run.id = :run
""").columns(request=JSONB, snapshot=JSONB, standing=JSONB)
_NAMED = select(RunRequestRow.run_id, RunRequestRow.from_seq).where(
    RunRequestRow.session_id == bindparam("session"), RunRequestRow.client_run_id == bindparam("name")
)
_NAME = insert(RunRequestRow)
_EVENTS_AFTER = (
    select(_EVENT)
    .where(_EVENT.c.run_id == bindparam("run"), _EVENT.c.seq > bindparam("after"))
    .order_by(_EVENT.c.seq)
    .limit(bindparam("limit"))
)


@dataclass(frozen=True, slots=True)
class Left:
    """What a step leaves to its run; the JSON of its actions and of its snapshot goes as it is."""

    nodes: Sequence[tuple[int, str]] = ()
    actions: Sequence[bytes] = ()
    turn: int = 0
    snapshot: bytes | None = None  # for the next turn
    standing: Any = None  # what the conversation's prefix shows now
    events: Sequence[Mapping[str, Any]] = ()

    def actions_json(self) -> str:
        """The actions as rows."""
        rows = ",".join(
            f'{{"id":{number},"node":{orjson.dumps(node).decode()},"body":{body.decode()}}}'
            for (number, node), body in zip(self.nodes, self.actions, strict=True)
        )
        return f"[{rows}]"


class Owner(NamedTuple):
    """Whose a row of a run is."""

    run_id: UUID
    session_id: UUID
    business_id: UUID
    user_id: UUID


class RunRepository:
    """SQL about runs."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, values: Mapping[str, Any]) -> Any:
        """A new run: held by its owner from the first moment, or queued where there is none."""
        return (await self._connection.execute(_ADD, dict(values))).mappings().one()

    async def busy(self, session_id: UUID) -> UUID | None:
        """The run of the session that is on its way; the caller holds the session's lock."""
        found: UUID | None = await self._connection.scalar(_BUSY, {"session": session_id})
        return found

    async def queued(self, session_id: UUID) -> int:
        """How many turns of the session wait for the one before."""
        return await self._connection.scalar(_QUEUED, {"session": session_id}) or 0

    async def get(self, run_id: UUID) -> Any:
        """A run within reach."""
        return (await self._connection.execute(_GET, {"run": run_id})).mappings().one_or_none()

    async def taken_up(self, run_id: UUID) -> Any:
        """A run with what its session has for it: `snapshot`, `standing`, `named`."""
        return (await self._connection.execute(_TAKEN_UP, {"run": run_id})).mappings().one_or_none()

    async def locked(self, run_id: UUID) -> Any:
        """A run within reach, nobody else's to change until the transaction ends."""
        query = select(_RUN).where(_RUN.c.id == run_id).with_for_update()
        return (await self._connection.execute(query)).mappings().one_or_none()

    async def recent(self, session_id: UUID | None, before: tuple[datetime, UUID] | None, limit: int) -> Sequence[Any]:
        """Runs within reach, the newest first."""
        query = select(_RUN).order_by(_RUN.c.created_at.desc(), _RUN.c.id.desc()).limit(limit)
        if session_id is not None:
            query = query.where(_RUN.c.session_id == session_id)
        if before is not None:
            query = query.where(tuple_(_RUN.c.created_at, _RUN.c.id) < tuple_(*map(literal, before)))
        return (await self._connection.execute(query)).mappings().all()

    async def named(self, session_id: UUID, client_run_id: str) -> Any:
        """The run that a client knows by this name, and where in its events the name begins."""
        return (await self._connection.execute(_NAMED, {"session": session_id, "name": client_run_id})).one_or_none()

    async def newest_part(self, run_id: UUID) -> int:
        """Where in its events the newest name begins that a client has for the run."""
        newest = select(func.max(RunRequestRow.from_seq)).where(RunRequestRow.run_id == run_id)
        return await self._connection.scalar(newest) or 0

    async def name(self, owner: Owner, client_run_id: str, from_seq: int) -> None:
        """Let a client know the run by this name."""
        row = {**owner._asdict(), "client_run_id": client_run_id, "from_seq": from_seq}
        await self._connection.execute(_NAME, row)

    async def hold(self, run_id: UUID, fence: int, lease: float) -> bool | None:
        """Prove that the run is ours, and keep it; whether its end was asked for, or None where it is not ours."""
        about = {"run": run_id, "fence": fence, "lease": lease}
        asked: bool | None = await self._connection.scalar(_HOLD, about)
        return asked

    async def let_go(
        self, run_id: UUID, fence: int, status: str, *, over: bool, error: tuple[UUID, str, str] | None = None
    ) -> bool | None:
        """Give the run away: it is over, or waits. Whether the next of its session is queued; None where not ours."""
        error_id, code, detail = error or (None, None, None)
        about = {"run": run_id, "fence": fence, "status": status, "over": over}
        failed = {"error_id": error_id, "error_code": code, "error_detail": detail}
        queued: bool | None = await self._connection.scalar(_LET_GO, about | failed)
        return queued

    async def claim(self, owner: str, lease: float, run_id: UUID | None = None) -> Any:
        """System work: take on a run that nobody carries out, this one or the oldest; None where there is none."""
        about: dict[str, Any] = {"owner": owner, "lease": lease}
        found = await self._connection.execute(
            _CLAIM_ANY if run_id is None else _CLAIM_ONE, about if run_id is None else about | {"run": run_id}
        )
        return found.mappings().one_or_none()

    async def beat(self, owner: str, lease: float, run_ids: Sequence[UUID]) -> Sequence[Any]:
        """System work: keep these runs; which of them this process holds, and whose end was asked for."""
        about = {"owner": owner, "lease": lease, "runs": list(run_ids)}
        return (await self._connection.execute(_BEAT, about)).mappings().all()

    async def release(self, owner: str) -> Sequence[UUID]:
        """System work: give all that this process holds to whoever comes next."""
        return (await self._connection.execute(_RELEASE, {"owner": owner})).scalars().all()

    async def expired_approvals(self) -> Sequence[Any]:
        """System work: approvals that nobody gave in time."""
        return (await self._connection.execute(_EXPIRED)).mappings().all()

    async def texts_and_stages(self, run_id: UUID) -> Sequence[Any]:
        """What was told of texts and stages, in order: what an interrupted run left open is among it."""
        kinds = ("text_started", "text_grew", "text_ended", "stage_started", "stage_ended")
        query = select(_EVENT.c.type, _EVENT.c.data).where(_EVENT.c.run_id == run_id, _EVENT.c.type.in_(kinds))
        return (await self._connection.execute(query.order_by(_EVENT.c.seq))).all()

    async def change(self, run_id: UUID, **values: Any) -> None:
        """Write these columns of a run that the caller has locked."""
        await self._connection.execute(update(_RUN).where(_RUN.c.id == run_id).values(**values))

    async def ask_to_cancel(self, run_id: UUID) -> None:
        """Note that its end was asked for, and tell whoever carries it out."""
        change = update(_RUN).where(_RUN.c.id == run_id)
        await self._connection.execute(change.values(cancel_requested_at=func.clock_timestamp()))
        await self.announce(f"cancel:{run_id}")

    async def announce(self, payload: str) -> None:
        """Tell every process that carries runs out."""
        await self._connection.execute(
            text("SELECT pg_notify(:channel, :payload)"),
            {
                "channel": RUNS_CHANNEL,
                "payload": payload,
            },
        )

    async def write(self, owner: Owner, left: Left) -> None:
        """Append what a step leaves, and let every process that tails the run know, once this is committed."""
        about = {"run": owner.run_id, "session": owner.session_id, "business": owner.business_id, "user": owner.user_id}
        rows = {
            "actions": left.actions_json(),
            "turn": left.turn,
            "snapshot": None if left.snapshot is None else left.snapshot.decode(),
            "standing": None if left.standing is None else orjson.dumps(left.standing).decode(),
            "events": orjson.dumps(list(left.events)).decode(),
            "payload": f"{owner.run_id}:{left.events[-1]['seq']}" if left.events else None,
        }
        await self._connection.execute(_WRITE, about | rows)

    async def actions(self, run_id: UUID) -> Sequence[Any]:
        """What a run has done, in order."""
        rows: Sequence[Any] = (await self._connection.execute(_ACTIONS, {"run": run_id})).mappings().all()
        return rows

    async def up_to(self, session_id: UUID, turn: int, limit: int) -> Sequence[Any]:
        """The last turns of a session up to this one, in order."""
        query = select(_RUN).where(_RUN.c.session_id == session_id, _RUN.c.parent_run_id.is_(None), _RUN.c.turn <= turn)
        rows = (await self._connection.execute(query.order_by(_RUN.c.turn.desc()).limit(limit))).mappings().all()
        return rows[::-1]

    async def snapshot_before(self, session_id: UUID, turn: int) -> Any:
        """What this turn was begun from."""
        query = select(SnapshotRow.state).where(SnapshotRow.session_id == session_id, SnapshotRow.turn < turn)
        return await self._connection.scalar(query.order_by(SnapshotRow.turn.desc()).limit(1))

    async def last_action(self, run_id: UUID) -> int | None:
        """The number of the last thing that a run did."""
        last: int | None = await self._connection.scalar(_LAST_ACTION, {"run": run_id})
        return last

    async def tell(self, owner: Owner, events: Sequence[Mapping[str, Any]]) -> None:
        """Append events."""
        await self.write(owner, Left(events=events))

    async def tell_next(self, owner: Owner, kind: str, data: Mapping[str, Any]) -> int:
        """Append one event of a run that nobody carries out now; the caller has locked it."""
        seq = await self.last_seq(owner.run_id) + 1
        await self.tell(owner, [{"seq": seq, "type": kind, "data": data, "at": clock.now()}])
        return seq

    async def events(self, run_id: UUID, after: int, limit: int) -> Sequence[Any]:
        """Events after this one, in order."""
        about = {"run": run_id, "after": after, "limit": limit}
        rows: Sequence[Any] = (await self._connection.execute(_EVENTS_AFTER, about)).mappings().all()
        return rows

    async def last_seq(self, run_id: UUID) -> int:
        """The number of the last event."""
        newest = select(func.max(_EVENT.c.seq)).where(_EVENT.c.run_id == run_id)
        return await self._connection.scalar(newest) or 0
