"""Reads and writes sessions and messages; row-level security stands behind every statement."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Select,
    Text,
    bindparam,
    delete,
    func,
    literal,
    literal_column,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from weft.kit.db.model import Model
from weft.sessions.models import MessageRow, SessionRow
from weft.sessions.schemas import Status

_SESSION = Model.metadata.tables[SessionRow.__tablename__]
_MESSAGE = Model.metadata.tables[MessageRow.__tablename__]

# The statements of the hottest path are built once: building them costs more than running them.
_LOCK = select(_SESSION.c.id).where(_SESSION.c.id == bindparam("session")).with_for_update(key_share=True)
_SEQS = select(_MESSAGE.c.seq).where(_MESSAGE.c.session_id == bindparam("session"))
_STAND = select(
    _SESSION.c.business_id,
    _SESSION.c.user_id,
    _SESSION.c.billing_currency,
    _SESSION.c.title.is_(None),
    func.coalesce(_SEQS.where(_MESSAGE.c.seq > 0).with_only_columns(func.max(_MESSAGE.c.seq)).scalar_subquery(), 0),
    func.coalesce(_SEQS.where(_MESSAGE.c.seq < 0).with_only_columns(func.min(_MESSAGE.c.seq)).scalar_subquery(), 0),
    func.coalesce(_SEQS.with_only_columns(func.max(_MESSAGE.c.text_number)).scalar_subquery(), 0),
).where(_SESSION.c.id == bindparam("session"))
_ADD = insert(_MESSAGE)
_CREATE = insert(_SESSION).on_conflict_do_nothing(index_elements=["id"]).returning(_SESSION)
_GET = select(_SESSION).where(_SESSION.c.id == bindparam("session"))
_MOVE = (
    update(_SESSION)
    .where(_SESSION.c.id == bindparam("session"), _SESSION.c.status.in_(bindparam("came_from", expanding=True)))
    .values(
        status=bindparam("to"),
        state_snapshot=_SESSION.c.state_snapshot.op("-")(bindparam("forget", type_=ARRAY(Text))).op("||")(
            bindparam("snapshot", type_=JSONB)
        ),
        updated_at=func.clock_timestamp(),
    )
    .returning(_SESSION.c.id)
)
_SET_TITLE = (
    update(_SESSION)
    .where(_SESSION.c.id == bindparam("session"), _SESSION.c.title.is_(None))
    .values(title=bindparam("wanted"))
)
# Maxima and ranges between two numbers, never "larger than": these the planner reads from an index whatever it believes
# of the table. The role stands in the statement itself, for the index is one over the users' texts alone.
_NEWEST_USER_TEXT = select(func.max(_MESSAGE.c.text_number)).where(
    _MESSAGE.c.session_id == bindparam("session"), _MESSAGE.c.role == literal_column("'user'")
)
_NEWEST_SEQ = _SEQS.where(_MESSAGE.c.seq > 0).with_only_columns(func.max(_MESSAGE.c.seq)).scalar_subquery()
_BEFORE_WINDOW = func.greatest(_NEWEST_USER_TEXT.scalar_subquery() - 1 - bindparam("texts", type_=BigInteger), 0)
# Computed within its own query: a COALESCE beside the column is kept from the index, lest it tell of others' rows.
_AFTER_THAT = _SEQS.where(_MESSAGE.c.text_number == _BEFORE_WINDOW).with_only_columns(
    func.coalesce(func.max(_MESSAGE.c.seq), 0) + 1
)
_WINDOW = (
    select(_MESSAGE)
    .where(
        _MESSAGE.c.session_id == bindparam("session"),
        _MESSAGE.c.seq > 0,
        _MESSAGE.c.seq.between(_AFTER_THAT.scalar_subquery(), _NEWEST_SEQ),
    )
    .order_by(_MESSAGE.c.seq)
)
# Of a user's newest texts, those in which most of the words stand: looking for words costs the same however long
# somebody has been here. Any case and width will do; only letters and digits of full width need another form.
_SAYING = text("""
    SELECT t.id, t.session_id, t.role, t.content, t.created_at
    FROM (
      SELECT m.* FROM
        (SELECT id FROM agent_chat_sessions WHERE user_id = :user ORDER BY updated_at DESC, id DESC LIMIT 500) s
        CROSS JOIN LATERAL (
          SELECT id, session_id, role, left(content, 20000) AS content, created_at FROM agent_chat_messages
          WHERE session_id = s.id AND text_number IS NOT NULL
            AND (CAST(:but_not AS uuid) IS NULL OR turn_id IS DISTINCT FROM CAST(:but_not AS uuid))
          ORDER BY text_number DESC LIMIT 1000
        ) m
      LIMIT 10000
    ) t
    CROSS JOIN LATERAL (
      SELECT lower(CASE WHEN t.content ~ '[０-９Ａ-Ｚａ-ｚ]' THEN normalize(t.content, NFKC)
                   ELSE t.content END) AS plain
    ) p
    CROSS JOIN LATERAL (
      SELECT count(*) AS words FROM unnest(CAST(:words AS text[])) word WHERE strpos(p.plain, word) > 0
    ) f
    WHERE f.words > 0 ORDER BY f.words DESC, t.created_at DESC, t.id DESC LIMIT 100
""")


@cache
def _newest(*, audit: bool, first_page: bool) -> Select[Any]:
    seq, step = _MESSAGE.c.seq, -1 if audit else 1
    side = seq < 0 if audit else seq > 0
    newest = _SEQS.where(side).with_only_columns(func.min(seq) if audit else func.max(seq)).scalar_subquery()
    begin = newest if first_page else bindparam("before", type_=BigInteger) - step
    end = begin - step * bindparam("span", type_=BigInteger)
    low, high = (begin, end) if audit else (end, begin)
    query = select(_MESSAGE).where(_MESSAGE.c.session_id == bindparam("session"), side, seq.between(low, high))
    return query.order_by(seq if audit else seq.desc())


class Stand(NamedTuple):
    """What a writer needs of the session it has locked."""

    business_id: UUID
    user_id: UUID
    currency: str
    untitled: bool
    highest: int
    lowest: int
    texts: int


class SessionRepository:
    """SQL about sessions."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, values: dict[str, Any]) -> Any:
        """A new session; None where the id is taken."""
        return (await self._connection.execute(_CREATE, values)).mappings().one_or_none()

    async def get(self, session_id: UUID) -> Any:
        """A session within reach."""
        return (await self._connection.execute(_GET, {"session": session_id})).mappings().one_or_none()

    async def recent(self, before: tuple[datetime, UUID] | None, limit: int) -> Sequence[Any]:
        """Sessions within reach, the one touched last first."""
        query = select(_SESSION).order_by(SessionRow.updated_at.desc(), SessionRow.id.desc()).limit(limit)
        if before is not None:
            query = query.where(tuple_(SessionRow.updated_at, SessionRow.id) < tuple_(*map(literal, before)))
        return (await self._connection.execute(query)).mappings().all()

    async def delete(self, session_id: UUID) -> bool:
        """Delete a session that is not running, and its messages with it."""
        gone = delete(SessionRow).where(SessionRow.id == session_id, SessionRow.status != Status.RUNNING.value)
        return await self._connection.scalar(gone.returning(SessionRow.id)) is not None

    async def move(
        self, session_id: UUID, came_from: Sequence[Status], snapshot: dict[str, Any], forget: Sequence[str]
    ) -> bool:
        """Write status and snapshot in one statement; False where the session stands elsewhere."""
        about = {"session": session_id, "came_from": [status.value for status in came_from], "forget": list(forget)}
        moved = await self._connection.scalar(_MOVE, about | {"to": snapshot["status"], "snapshot": snapshot})
        return moved is not None

    async def set_title(self, session_id: UUID, title: str) -> None:
        """Give a session its title, unless it has one."""
        await self._connection.execute(_SET_TITLE, {"session": session_id, "wanted": title})

    async def set_skill(self, session_id: UUID, skill: str | None, scenario: str | None) -> bool:
        """Remember which skill the conversation is in."""
        change = update(SessionRow).where(SessionRow.id == session_id).values(skill=skill, scenario=scenario)
        return await self._connection.scalar(change.returning(SessionRow.id)) is not None

    async def lock(self, session_id: UUID) -> bool:
        """Let nobody else write messages until the transaction ends; False where there is no such session."""
        return await self._connection.scalar(_LOCK, {"session": session_id}) is not None

    async def stand(self, session_id: UUID) -> Stand:
        """Where the messages of a session stand that this transaction has locked.

        A statement of its own on purpose: its snapshot is taken when the lock is held, so it sees what the writer
        before has committed.
        """
        return Stand(*(await self._connection.execute(_STAND, {"session": session_id})).one())


class MessageRepository:
    """SQL about messages."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, rows: list[dict[str, Any]]) -> None:
        """Write messages."""
        await self._connection.execute(_ADD, rows)

    async def newest(self, session_id: UUID, before: int | None, limit: int, *, audit: bool) -> Sequence[Any]:
        """Messages of one side of zero, those written last first.

        Numbers have no gaps, so the newest `limit` messages are a range of numbers. Asked for as a range, they cost the
        same in a session of any length, whatever the planner believes of the table.
        """
        about = {"session": session_id, "span": limit - 1}
        if before is not None:
            about["before"] = before
        query = _newest(audit=audit, first_page=before is None)
        rows: Sequence[Any] = (await self._connection.execute(query, about)).mappings().all()
        return rows

    async def window(self, session_id: UUID, texts: int) -> Sequence[Any]:
        """Visible messages, oldest first: from so many texts before the newest of the user's on, or all."""
        about = {"session": session_id, "texts": texts}
        rows: Sequence[Any] = (await self._connection.execute(_WINDOW, about)).mappings().all()
        return rows

    async def saying(self, user_id: UUID, words: Sequence[str], but_not: UUID | None) -> Sequence[Any]:
        """A user's texts in which one of these words stands, those first that have most of them."""
        about = {"user": user_id, "but_not": but_not, "words": list(words)}
        return (await self._connection.execute(_SAYING, about)).mappings().all()

    async def content(self, message_id: UUID) -> str | None:
        """What a visible message says."""
        query = select(_MESSAGE.c.content).where(_MESSAGE.c.id == message_id, _MESSAGE.c.seq > 0)
        content: str | None = await self._connection.scalar(query)
        return content

    async def calls_booked(self, call_ids: Sequence[UUID]) -> Sequence[UUID]:
        """Those of these calls that stand on a message."""
        query = select(_MESSAGE.c.call_id).where(_MESSAGE.c.call_id.in_(call_ids))
        return (await self._connection.execute(query)).scalars().all()
