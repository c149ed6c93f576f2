"""What a chat looks up between two turns: who talks, with which model, what was said, and what it cost."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from weft.calls.context_schemas import ContextView
from weft.calls.contexts import ContextService
from weft.calls.schemas import CallFilter, GroupBy, UsageReport
from weft.calls.service import CallService
from weft.cli.chat_backstage import Backstage, Room
from weft.context.stages import AgentType
from weft.kit.db import Transaction
from weft.llm.ports import Caller, Candidate
from weft.profiles.service import ProfileService
from weft.runs.schemas import RunView
from weft.sessions.schemas import BILLING_CURRENCIES, MessageView, SessionView
from weft.sessions.service import SessionService
from weft.skills.catalogue import Snapshot

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Looks:
    """Each look is one transaction of the user's."""

    stage: Backstage

    def interface_language(self) -> str:
        """The language that the user set for Weft's own texts."""

        async def look(tx: Transaction) -> str:
            user = await ProfileService(tx).get_user_agent_context(tx.actor.owner_id)
            return user.settings.preferences.interface_language

        return self._in(look)

    def zone(self) -> ZoneInfo:
        """The zone that the user reads times in."""

        async def look(tx: Transaction) -> str:
            user = await ProfileService(tx).get_user_agent_context(tx.actor.owner_id)
            return user.settings.preferences.timezone

        return ZoneInfo(self._in(look))

    def model(self) -> Candidate:
        """The model that the next turn begins with, and the way to it."""

        async def look(room: Room) -> Candidate:
            business_id, engine = room.actor.business_id, room.runtime.engine
            caller = Caller(BILLING_CURRENCIES[0], business_id, room.actor.user_id)
            names = await engine.stage_models.of(business_id) if business_id is not None else {}
            return (await room.weft.registry.candidates(names[AgentType.INTENT_RECOGNITION], caller))[0]

        return self.stage.call(look)

    def skills(self) -> Snapshot:
        """The skills as the user sees them now."""
        return self.stage.call(
            lambda room: room.runtime.engine.skills.look(room.actor.business_id, room.actor.owner_id, now=True)
        )

    def session(self, session_id: UUID) -> SessionView:
        """A conversation of the user's."""
        return self._in(lambda tx: SessionService(tx).get(session_id))

    def sessions(self, limit: int) -> list[SessionView]:
        """The user's conversations, the one touched last first."""
        return self._in(lambda tx: SessionService(tx).recent(None, limit))

    def said(self, session_id: UUID, limit: int) -> list[MessageView]:
        """The last messages of a conversation, the oldest of them first."""

        async def look(tx: Transaction) -> list[MessageView]:
            return (await SessionService(tx).messages(session_id, limit=limit))[::-1]

        return self._in(look)

    def usage(self, session_id: UUID, by: GroupBy) -> UsageReport:
        """What a conversation cost."""
        return self._in(lambda tx: SessionService(tx).usage(session_id, by))

    def newest_run(self, session_id: UUID) -> RunView | None:
        """A conversation's last turn."""
        return self.stage.call(lambda room: room.desk.newest_run(room.actor, session_id))

    def last_context(self, session_id: UUID) -> ContextView | None:
        """What the conversation's last model call was sent."""

        async def look(tx: Transaction) -> ContextView | None:
            calls = await CallService(tx).recent(CallFilter(session_id=session_id), None, 1)
            return await ContextService(tx).view(calls[0].id) if calls else None

        return self._in(look)

    def _in(self, look: Callable[[Transaction], Awaitable[Result]]) -> Result:
        async def looked(room: Room) -> Result:
            async with room.weft.database.transaction(room.actor) as tx:
                return await look(tx)

        return self.stage.call(looked)
