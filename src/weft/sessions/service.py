"""What can be done with a conversation; every way in and every other domain comes through here."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from weft.calls.contexts import ContextService
from weft.calls.schemas import GroupBy, UsageReport
from weft.calls.service import CallService
from weft.context.window import most_texts
from weft.kit import clock
from weft.kit.db import Transaction
from weft.kit.finding import Wanted
from weft.kit.ids import new_id
from weft.kit.text import check_storable
from weft.profiles.service import ProfileService
from weft.sessions import metadata, status
from weft.sessions.errors import (
    IllegalTransitionError,
    MessageInvalidError,
    MessageUnknownError,
    PositionInvalidError,
    SessionTakenError,
    SessionUnknownError,
)
from weft.sessions.ledger import booked
from weft.sessions.repository import MessageRepository, SessionRepository, Stand
from weft.sessions.schemas import BillingProfile, FoundText, MessageView, NewMessage, Seen, SessionView, Status
from weft.sessions.title import title_of


class SessionService:
    """Sessions, on behalf of the transaction's actor."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._sessions = SessionRepository(tx.connection)
        self._messages = MessageRepository(tx.connection)
        self._held: set[UUID] = set()  # sessions that nobody else can write to until the transaction ends
        self._empty: dict[UUID, Stand] = {}  # those that were begun here with a turn, and have no message yet

    async def create(self, session_id: UUID | None = None) -> SessionView:
        """Make a conversation. What it is billed in is decided here, once."""
        return await self._create(session_id, Status.PENDING, None)

    async def begin(self, words: str, session_id: UUID | None = None) -> SessionView:
        """The same with a turn that begins now, by these words."""
        view = await self._create(session_id, Status.RUNNING, title_of(words) if _says_something(words) else None)
        self._held.add(view.id)
        business, user = self._tx.actor.business_id, self._tx.actor.owner_id
        if business is not None:
            self._empty[view.id] = Stand(business, user, view.billing_currency, view.title is None, 0, 0, 0)
        return view

    def began(self, session_id: UUID) -> bool:
        """Whether the conversation began here, with the turn that is being written."""
        return session_id in self._empty

    async def _create(self, session_id: UUID | None, to: Status, title: str | None) -> SessionView:
        actor = self._tx.actor
        user = await ProfileService(self._tx).get_user_agent_context(actor.owner_id)
        billing = BillingProfile.for_country(user.settings.preferences.country)
        row = await self._sessions.add(
            {
                "id": session_id or new_id(),
                "business_id": actor.business_id,
                "user_id": actor.owner_id,
                "title": title,
                "status": to.value,
                "state_snapshot": status.snapshot(to),
                "billing_currency": billing.currency,
                "billing_country_snapshot": billing.country_snapshot,
            }
        )
        if row is None:
            raise SessionTakenError(f"there is a session {session_id} already", field="session_id")
        return SessionView.model_validate(dict(row))

    async def get(self, session_id: UUID) -> SessionView:
        """One conversation."""
        row = await self._sessions.get(session_id)
        if row is None:
            raise _unknown(session_id)
        return SessionView.model_validate(dict(row))

    async def hold(self, session_id: UUID) -> SessionView | None:
        """One conversation, nobody else's to write to until the transaction ends; None where there is none."""
        return await self.get(session_id) if await self._hold(session_id) else None

    async def recent(self, before: tuple[Any, UUID] | None, limit: int) -> list[SessionView]:
        """Conversations, the one touched last first."""
        return [SessionView.model_validate(dict(row)) for row in await self._sessions.recent(before, limit)]

    async def delete(self, session_id: UUID) -> None:
        """Delete a conversation, its messages and what its calls were sent. What they cost stays in the ledger."""
        await ContextService(self._tx).forget(session_id)
        if not await self._sessions.delete(session_id):
            found = await self.get(session_id)
            raise IllegalTransitionError(f"session {session_id} is {found.status}; it can be deleted once it is not")

    async def append(
        self, session_id: UUID, messages: Sequence[NewMessage], turn_id: UUID | None = None
    ) -> list[MessageView]:
        """Write messages one after the other, with nobody else's in between; all of them or none."""
        if not messages:
            return []
        stored = [_storable(message) for message in messages]
        if session_id not in self._held and not await self._hold(session_id):
            raise _unknown(session_id)
        stand = self._empty.pop(session_id, None) or await self._sessions.stand(session_id)
        rows = [
            await self._row(session_id, turn_id, stand, message, details)
            for message, details in zip(messages, stored, strict=True)
        ]
        _number(rows, stand)
        await self._messages.add(rows)
        said = [message.content or "" for message in messages if message.metadata.type == "user_input"]
        if stand.untitled and said:
            await self._sessions.set_title(session_id, title_of(said[0]))
        return [MessageView.of(row) for row in rows]

    async def messages(
        self, session_id: UUID, *, before: int | None = None, limit: int = 50, audit: bool = False
    ) -> list[MessageView]:
        """Messages, those written last first; `before` is the `seq` of the last one seen."""
        if before is not None and (before == 0 or (before < 0) != audit):
            side = "negative for audit rows" if audit else "positive"
            raise PositionInvalidError(f"seq {before} is not one to read on from; it is {side}", field="before")
        rows = await self._messages.newest(session_id, before, limit, audit=audit)
        if not rows:
            await self.get(session_id)
        return [MessageView.of(row) for row in rows]

    async def window(self, session_id: UUID, guaranteed: int) -> Seen:
        """What a prompt may be made of: the stepped window, and the turn that is being answered, oldest first.

        It costs the same in a conversation of any length: texts are numbered, and the window begins at a number.
        """
        rows = await self._messages.window(session_id, most_texts(guaranteed))
        answering = next((row["text_number"] for row in reversed(rows) if _is_users(row)), None)
        if answering is None:
            return Seen(0, [])
        return Seen(answering - 1, [MessageView.of(row) for row in rows])

    async def calls_booked(self, call_ids: Sequence[UUID]) -> frozenset[UUID]:
        """Those of these calls that stand on a message."""
        return frozenset(await self._messages.calls_booked(call_ids)) if call_ids else frozenset()

    async def find(self, words: Wanted, limit: int, but_not: UUID | None = None) -> list[FoundText]:
        """What was said in any of the user's conversations and says this, the best first; one turn may be left out."""
        terms = [term for term, _ in words.terms]
        rows = await self._messages.saying(self._tx.actor.owner_id, terms, but_not) if terms else ()
        ranked = sorted(rows, key=lambda row: words.score(row["content"] or ""), reverse=True)  # stable: newest first
        return [FoundText(**row) for row in ranked[:limit]]

    async def content(self, message_id: UUID) -> str:
        """What one message says, whole."""
        if (content := await self._messages.content(message_id)) is None:
            raise MessageUnknownError(f"there is no message {message_id}")
        return content

    async def usage(self, session_id: UUID, by: GroupBy = GroupBy.TOTAL) -> UsageReport:
        """What a conversation has cost so far."""
        await self.get(session_id)
        return await CallService(self._tx).report(by, session_id=session_id)

    async def remember_skill(self, session_id: UUID, skill: str | None, scenario: str | None) -> None:
        """The conversation goes on in this skill until it leaves it."""
        if not await self._sessions.set_skill(session_id, skill, scenario):
            raise _unknown(session_id)

    async def mark_running(self, session_id: UUID) -> None:
        """A turn begins."""
        if session_id in self._empty:
            return  # it began with its conversation
        await self._move(session_id, Status.RUNNING, status.snapshot(Status.RUNNING))

    async def mark_waiting(self, session_id: UUID, tool_call_ids: Sequence[str]) -> None:
        """The run waits for approval of these tool calls; the session stays running."""
        if not await self._sessions.move(
            session_id, [Status.RUNNING], status.waiting(tool_call_ids), status.OF_ONE_TURN
        ):
            raise await self._refusal(session_id, "wait for approval")

    async def mark_resumed(self, session_id: UUID) -> None:
        """Everybody has spoken: the run waits for nothing any more."""
        snapshot = status.snapshot(Status.RUNNING)
        if not await self._sessions.move(session_id, [Status.RUNNING], snapshot, status.OF_ONE_TURN):
            raise await self._refusal(session_id, "go on")

    async def mark_completed(self, session_id: UUID, outcome: str | None = None) -> None:
        """A turn has ended; `outcome` is "cancelled" where somebody stopped it."""
        await self._move(session_id, Status.COMPLETED, status.snapshot(Status.COMPLETED, outcome=outcome))

    async def mark_failed(self, session_id: UUID, error_id: UUID | str) -> None:
        """A turn has failed; the error's id is what the log knows it by."""
        if not str(error_id):
            raise MessageInvalidError("a failed turn names its error", field="error_id")
        await self._move(session_id, Status.FAILED, status.snapshot(Status.FAILED, error_id=str(error_id)))

    async def _hold(self, session_id: UUID) -> bool:
        if not await self._sessions.lock(session_id):
            return False
        self._held.add(session_id)
        return True

    async def _move(self, session_id: UUID, to: Status, snapshot: dict[str, Any]) -> None:
        if not await self._sessions.move(session_id, status.came_from(to), snapshot, status.OF_ONE_TURN):
            raise await self._refusal(session_id, f"become {to}")
        self._held.add(session_id)

    async def _refusal(self, session_id: UUID, wish: str) -> IllegalTransitionError:
        found = (await self.get(session_id)).status
        ways = ", ".join(sorted(status.LEADS_TO[found]))
        return IllegalTransitionError(
            f"session {session_id} is {found} and cannot {wish}; from there it becomes {ways}"
        )

    async def _row(
        self, session_id: UUID, turn_id: UUID | None, stand: Stand, message: NewMessage, details: dict[str, Any]
    ) -> dict[str, Any]:
        booking = await booked(self._tx, message.call_id, stand.currency)
        return {
            "id": message.id or new_id(),
            "session_id": session_id,
            "business_id": stand.business_id,
            "user_id": stand.user_id,
            "turn_id": turn_id,
            "role": metadata.ROLE_OF[details["type"]].value,
            "content": message.content,
            "metadata": details,
            "currency": stand.currency,
            "created_at": clock.now(),
            **booking._asdict(),
        }


def _says_something(words: str) -> bool:
    try:
        check_storable(words)
    except ValueError:
        return False  # the message will be refused, and the conversation with it
    return bool(words.strip())


def _is_users(row: Mapping[str, Any]) -> bool:
    return row["role"] == metadata.Role.USER.value and row["text_number"] is not None


def _unknown(session_id: UUID) -> SessionUnknownError:
    return SessionUnknownError(f"there is no session {session_id}")


def _storable(message: NewMessage) -> dict[str, Any]:
    try:
        if message.content is not None:
            check_storable(message.content)
        return metadata.dump(message.metadata)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        raise MessageInvalidError(f"metadata: {problem['msg']}", field="metadata") from None
    except ValueError as error:
        raise MessageInvalidError(f"content {error}", field="content") from None


def _number(rows: list[dict[str, Any]], stand: Stand) -> None:
    """Visible rows go up from the highest, audit rows down from the lowest; texts are counted by themselves."""
    highest, lowest, texts = stand.highest, stand.lowest, stand.texts
    for row in rows:
        kind = row["metadata"]["type"]
        if kind == metadata.AUDIT:
            lowest -= 1
            row["seq"] = lowest
        else:
            highest += 1
            row["seq"] = highest
        texts += kind in metadata.TEXTS
        row["text_number"] = texts if kind in metadata.TEXTS else None
