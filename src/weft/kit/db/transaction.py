"""One unit of work: an actor, a database transaction, and what may happen only once it has committed."""

from collections.abc import Awaitable, Callable

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from weft.kit.actor import Actor, Reach
from weft.kit.log import get_logger

AfterCommit = Callable[[], Awaitable[None]]
log = get_logger(__name__)


class Transaction:
    """A unit of work on behalf of an actor; services are made over it and live as long as it does."""

    __slots__ = ("_after_commit", "actor", "connection", "reach")

    def __init__(self, connection: AsyncConnection, actor: Actor, reach: Reach) -> None:
        self.connection = connection
        self.actor = actor
        self.reach = reach
        self._after_commit: list[AfterCommit] = []

    def after_commit(self, action: AfterCommit) -> None:
        """Run the action once the transaction has committed; a rollback forgets it."""
        self._after_commit.append(action)

    async def notify(self, channel: str, payload: str) -> None:
        """Tell every listener of the channel; PostgreSQL delivers it at commit and drops it at rollback."""
        await self.connection.execute(
            text("SELECT pg_notify(:channel, :payload)"), {"channel": channel, "payload": payload}
        )

    async def run_after_commit(self) -> None:
        """Run what waited for the commit, in order; one that fails is logged and does not stop the others."""
        for action in self._after_commit:
            try:
                await action()
            except Exception:  # the work is committed: a failing follow-up must not look like a failed request
                log.exception("after_commit_failed")
