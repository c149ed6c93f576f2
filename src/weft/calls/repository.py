"""Reads and writes calls and what they were sent; every total is a query, none is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    String,
    and_,
    bindparam,
    cast,
    delete,
    func,
    literal,
    null,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from weft.calls.models import CallRow, ContextRow, TextRow
from weft.calls.schemas import CallEnd, CallFilter, CallStart, CostSource, GroupBy, Outcome, UsageSource

# The call before, in its conversation, of which it is known what it was sent; and whether any of those shortly before
# that went the same way has had to do with a cache, which not every vendor has.
_LAST = """LATERAL (
      SELECT sent.call_id, extract(epoch FROM called.started_at - before.started_at) AS seconds,
        (before.vendor, before.endpoint, before.key, before.model)
          = (called.vendor, called.endpoint, called.key, called.model) AS same_way
      FROM (SELECT call_id FROM ai_call_contexts WHERE session_id = called.session_id AND call_id < called.id
        ORDER BY call_id DESC LIMIT 1) AS sent  -- before the join, which need not look at any other
      JOIN ai_calls AS before ON before.id = sent.call_id
    ) AS last ON true LEFT JOIN LATERAL (
      SELECT bool_or(cached_input_tokens + cache_write_tokens > 0) FILTER (WHERE
        (vendor, endpoint, key, model) = (called.vendor, called.endpoint, called.key, called.model)) AS found
      FROM (SELECT * FROM ai_calls AS before WHERE before.session_id = called.session_id
        AND before.started_at <= called.started_at AND before.id < called.id
        ORDER BY before.started_at DESC LIMIT 20) AS recent
    ) AS cache"""
_LAST_COLUMNS = "last.call_id AS last_id, last.seconds AS last_seconds, last.same_way, cache.found AS has_cache"
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(:user, 0))")
# All of it in one round trip. The lock keeps two transactions of one user from waiting for each other's texts.
_RECORD = text(f"""
    WITH called AS (
      SELECT * FROM ai_calls WHERE id = ANY (CAST(:calls AS uuid[])) AND user_id = :user_id
    ), texts AS (
      INSERT INTO ai_call_texts (user_id, business_id, hash, text, used_at)
      SELECT :user_id, :business_id, new.hash, new.text, :hour
      FROM (SELECT pg_advisory_xact_lock(hashtextextended(CAST(:user_id AS text), 0)) WHERE EXISTS (SELECT FROM called))
        AS locked, unnest(CAST(CAST(:new_hashes AS text) AS uuid[]), CAST(:texts AS text[])) AS new (hash, text)
      ON CONFLICT (user_id, hash) DO UPDATE SET used_at = excluded.used_at
        WHERE ai_call_texts.used_at < excluded.used_at
    ), contexts AS (
      INSERT INTO ai_call_contexts (call_id, session_id, business_id, user_id, hashes, segments,
        manifest, expected_tokens, anyone_tokens)
      SELECT id, session_id, business_id, user_id, CAST(CAST(:hashes AS text) AS uuid[]),
        CAST(:segments AS json), CAST(:manifest AS json), :expected_tokens, :anyone_tokens
      FROM called
      ON CONFLICT (call_id) DO NOTHING
      RETURNING call_id
    )
    SELECT called.*, contexts.call_id IS NOT NULL AS is_new, {_LAST_COLUMNS}
    FROM called LEFT JOIN contexts ON contexts.call_id = called.id LEFT JOIN {_LAST} ON true
    ORDER BY called.id
""")  # noqa: S608 - put together of constants
_INSPECT = text(f"""
    SELECT called.*, kept.call_id, kept.hashes, kept.segments, kept.manifest, kept.anyone_tokens,
      {_LAST_COLUMNS}
    FROM ai_calls AS called LEFT JOIN ai_call_contexts AS kept ON kept.call_id = called.id LEFT JOIN {_LAST} ON true
    WHERE called.id = :call
""")  # noqa: S608
_LEAVE = text("""
    UPDATE ai_call_texts SET left_at = :now WHERE user_id = :user_id AND hash IN (
      SELECT unnest(hashes) FROM ai_call_contexts WHERE session_id = :session)
""")
_START = insert(CallRow)
_END = (
    update(CallRow)
    .where(CallRow.id == bindparam("call"), CallRow.outcome == bindparam("running"))
    .returning(CallRow.id)
)
_BOOKING = select(
    CallRow.input_tokens,
    CallRow.cached_input_tokens,
    CallRow.output_tokens,
    func.round(CallRow.cost, 6).label("cost"),
    CallRow.currency,
    CallRow.outcome,
).where(CallRow.id == bindparam("call"))
_LAST_OF = (
    select(ContextRow.call_id)
    .where(ContextRow.session_id == bindparam("session"))
    .order_by(ContextRow.call_id.desc())
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class UsageFilter:
    """Which calls are summed; what is None does not narrow."""

    since: datetime | None = None
    until: datetime | None = None
    session_id: UUID | None = None
    user_id: UUID | None = None
    timezone: str = "UTC"

    def condition(self) -> ColumnElement[bool]:
        """The filter in SQL."""
        wanted: list[ColumnElement[bool]] = [CallRow.outcome != Outcome.RUNNING.value]
        if self.since is not None:
            wanted.append(CallRow.started_at >= self.since)
        if self.until is not None:
            wanted.append(CallRow.started_at < self.until)
        if self.session_id is not None:
            wanted.append(CallRow.session_id == self.session_id)
        if self.user_id is not None:
            wanted.append(CallRow.user_id == self.user_id)
        return and_(*wanted)


class CallRepository:
    """SQL about calls."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def start(self, business_id: UUID | None, user_id: UUID | None, call: CallStart) -> None:
        """Note a call that is being sent."""
        values = call.model_dump() | {
            "business_id": business_id,
            "user_id": user_id,
            "outcome": Outcome.RUNNING.value,
            "usage_source": UsageSource.ESTIMATED.value,
            "cost_source": CostSource.UNPRICED.value,
        }
        await self._connection.execute(_START, values)

    async def end(self, call_id: UUID, end: CallEnd) -> bool:
        """Book a call that is over; False where it is not running."""
        about = {"call": call_id, "running": Outcome.RUNNING.value}
        return await self._connection.scalar(_END, about | end.model_dump()) is not None

    async def booking(self, call_id: UUID) -> Any:
        """What a call used and cost."""
        return (await self._connection.execute(_BOOKING, {"call": call_id})).mappings().one_or_none()

    async def of_turn(self, turn_id: UUID) -> Sequence[Any]:
        """The calls of a turn, in the order they were made."""
        query = select(CallRow.__table__).where(CallRow.turn_id == turn_id).order_by(CallRow.started_at, CallRow.id)
        return (await self._connection.execute(query)).mappings().all()

    async def interrupted(self, turn_id: UUID) -> Sequence[UUID]:
        """Calls of a turn whose end nobody saw."""
        query = select(CallRow.id).where(CallRow.turn_id == turn_id, CallRow.outcome == Outcome.RUNNING.value)
        return (await self._connection.execute(query.order_by(CallRow.started_at, CallRow.id))).scalars().all()

    async def recent(self, which: CallFilter, before: tuple[datetime, UUID] | None, limit: int) -> Sequence[Any]:
        """Calls within reach, the one made last first.

        Whose they are is named beside row-level security, which no index can be found by.
        """
        query = select(CallRow.__table__, ContextRow.expected_tokens.label("expected_cached_tokens"))
        query = query.outerjoin(ContextRow, ContextRow.call_id == CallRow.id)
        query = query.where(*_conditions(which))
        if before is not None:
            query = query.where(tuple_(CallRow.started_at, CallRow.id) < tuple_(*map(literal, before)))
        query = query.order_by(CallRow.started_at.desc(), CallRow.id.desc()).limit(limit)
        return (await self._connection.execute(query)).mappings().all()

    async def totals(self, by: GroupBy, which: UsageFilter, limit: int) -> Sequence[Any]:
        """The sums, one for each group and currency."""
        group = _group(by, which.timezone).label("group")
        cost = func.coalesce(func.sum(CallRow.cost), 0).label("cost")
        query = select(
            group,
            CallRow.currency,
            func.count().label("calls"),
            func.coalesce(func.sum(CallRow.input_tokens), 0).label("input_tokens"),
            func.coalesce(func.sum(CallRow.cached_input_tokens), 0).label("cached_input_tokens"),
            func.coalesce(func.sum(CallRow.output_tokens), 0).label("output_tokens"),
            cost,
            func.count().filter(CallRow.cost.is_(None)).label("unpriced_calls"),
            func.count().filter(CallRow.usage_source == UsageSource.ESTIMATED.value).label("estimated_calls"),
        ).where(which.condition())
        query = query.group_by(group, CallRow.currency)
        query = query.order_by(group.desc() if by is GroupBy.DAY else cost.desc(), CallRow.currency).limit(limit)
        return (await self._connection.execute(query)).mappings().all()

    async def by_key(self, day: datetime, minute: datetime) -> Sequence[Any]:
        """What each key was used for; system work, which may see no more of a call than this, asks it too."""
        query = (
            select(
                CallRow.key,
                CallRow.currency,
                func.count().filter(CallRow.started_at >= day).label("requests"),
                func.count().filter(CallRow.started_at >= minute).label("last_minute"),
                func.coalesce(
                    func.sum(CallRow.input_tokens + CallRow.output_tokens).filter(CallRow.started_at >= day), 0
                ).label("tokens"),
                func.coalesce(func.sum(CallRow.cost).filter(CallRow.started_at >= day), 0).label("cost"),
            )
            .where(CallRow.started_at >= min(day, minute))
            .group_by(CallRow.key, CallRow.currency)
        )
        return (await self._connection.execute(query)).mappings().all()


def _conditions(which: CallFilter) -> list[ColumnElement[bool]]:
    named = ("turn_id", "user_id", "business_id", "model", "key")
    given = {name: value for name in named if (value := getattr(which, name)) is not None}
    wanted = [CallRow.__table__.c[name] == value for name, value in given.items()]
    if which.session_id == "none":
        wanted.append(CallRow.session_id.is_(None))
    elif which.session_id is not None:
        wanted.append(CallRow.session_id == which.session_id)
    if which.since is not None:
        wanted.append(CallRow.started_at >= which.since)
    if which.until is not None:
        wanted.append(CallRow.started_at < which.until)
    return wanted


def _group(by: GroupBy, timezone: str) -> ColumnElement[str | None]:
    if by is GroupBy.TOTAL:
        return cast(null(), String)
    if by is GroupBy.DAY:
        return func.to_char(func.timezone(literal(timezone), CallRow.started_at), "YYYY-MM-DD")
    columns = {
        GroupBy.TURN: CallRow.turn_id,
        GroupBy.SESSION: CallRow.session_id,
        GroupBy.USER: CallRow.user_id,
        GroupBy.KEY: CallRow.key,
        GroupBy.MODEL: CallRow.model,
    }
    return cast(columns[by], String)


@dataclass(frozen=True, slots=True)
class NewContext:
    """What calls were sent, as it is stored; `texts` are those of `new_hashes`, in their order."""

    calls: Sequence[UUID]
    hashes: Sequence[str]
    segments: str
    manifest: str
    expected_tokens: int
    anyone_tokens: int
    hour: datetime
    new_hashes: Sequence[str]
    texts: Sequence[str]


class ContextRepository:
    """SQL about what calls were sent."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def record(self, business_id: UUID, user_id: UUID, new: NewContext) -> Sequence[Any]:
        """Store it for those of the calls that are this user's, and give each with the one before it."""
        values = {
            "business_id": business_id,
            "user_id": user_id,
            "calls": list(new.calls),
            "hashes": _array(new.hashes),
            "segments": new.segments,
            "manifest": new.manifest,
            "expected_tokens": new.expected_tokens,
            "anyone_tokens": new.anyone_tokens,
            "hour": new.hour,
            "new_hashes": _array(new.new_hashes),
            "texts": list(new.texts),
        }
        return (await self._connection.execute(_RECORD, values)).mappings().all()

    async def last_of(self, session_id: UUID) -> UUID | None:
        """The last call of a conversation that it is known of what it was sent."""
        found: UUID | None = await self._connection.scalar(_LAST_OF, {"session": session_id})
        return found

    async def get(self, call_id: UUID) -> Any:
        """A call within reach with what it was made of, if that is kept, and the call before it."""
        return (await self._connection.execute(_INSPECT, {"call": call_id})).mappings().one_or_none()

    async def kept_of(self, call_ids: Sequence[UUID]) -> Sequence[Any]:
        """What is kept of what these calls were sent, without the texts."""
        kept = select(ContextRow.call_id, ContextRow.segments, ContextRow.manifest, ContextRow.expected_tokens)
        return (await self._connection.execute(kept.where(ContextRow.call_id.in_(call_ids)))).mappings().all()

    async def leave(self, user_id: UUID, session_id: UUID, now: datetime) -> None:
        """Note of the texts of a conversation that it will not need them any more."""
        await _lock_texts(self._connection, user_id)
        await self._connection.execute(_LEAVE, {"user_id": user_id, "session": session_id, "now": now})

    async def texts(self, user_id: UUID, hashes: Sequence[UUID]) -> dict[UUID, str]:
        """The texts of these hashes."""
        wanted = select(TextRow.hash, TextRow.text).where(TextRow.user_id == user_id, TextRow.hash.in_(set(hashes)))
        return {row.hash: row.text for row in await self._connection.execute(wanted)}


async def _lock_texts(connection: AsyncConnection, user_id: UUID) -> None:
    """Let no other transaction write this user's texts until this one ends."""
    await connection.execute(_LOCK, {"user": str(user_id)})


def _array(hashes: Sequence[str]) -> str:
    """An array as PostgreSQL reads one: a hundred hashes are one parameter, not a hundred objects."""
    return "{" + ",".join(hashes) + "}"


class SweepRepository:
    """SQL of the system's own work on what calls were sent; it can read none of it."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def contexts(self, edge: datetime, limit: int) -> int:
        """Delete some contexts from before this moment."""
        old = select(ContextRow.call_id).where(ContextRow.created_at < edge).order_by(ContextRow.created_at)
        old = old.limit(limit).with_for_update(skip_locked=True)
        gone = delete(ContextRow).where(ContextRow.call_id.in_(old))
        return len((await self._connection.scalars(gone.returning(ContextRow.call_id))).all())

    async def oldest(self) -> datetime | None:
        """When the oldest context that is left was made."""
        found: datetime | None = await self._connection.scalar(select(func.min(ContextRow.created_at)))
        return found

    async def texts(self, edge: datetime, limit: int) -> int:
        """Delete some texts that were last sent before this moment."""
        old = select(TextRow.user_id, TextRow.hash).where(TextRow.used_at < edge).order_by(TextRow.used_at).limit(limit)
        old = old.with_for_update(skip_locked=True)  # whoever is being sent one of them must not wait for the others
        gone = delete(TextRow).where(tuple_(TextRow.user_id, TextRow.hash).in_(old), TextRow.used_at < edge)
        return len((await self._connection.scalars(gone.returning(TextRow.hash))).all())

    async def who_left(self, edge: datetime) -> UUID | None:
        """A user who deleted a conversation before this moment, its texts not looked through yet."""
        left = select(TextRow.user_id).where(TextRow.left_at < edge).order_by(TextRow.left_at).limit(1)
        found: UUID | None = await self._connection.scalar(left)
        return found

    async def left(self, user_id: UUID, edge: datetime) -> int:
        """Delete this user's texts that deleted conversations were sent, and no other; the others stay."""
        await _lock_texts(self._connection, user_id)
        sent = select(func.unnest(ContextRow.hashes)).where(ContextRow.user_id == user_id)
        about = and_(TextRow.user_id == user_id, TextRow.left_at < edge)
        gone = delete(TextRow).where(about, TextRow.used_at < edge, TextRow.hash.not_in(sent))
        deleted = len((await self._connection.scalars(gone.returning(TextRow.hash))).all())
        await self._connection.execute(update(TextRow).where(about).values(left_at=None))
        return deleted
