"""Transactions that tools work in: their own short ones, or the one that records what they do."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

from weft.kit.actor import Actor
from weft.kit.db import Database, Transaction

_CURRENT: ContextVar[Transaction | None] = ContextVar("weft_unit", default=None)


class Units:
    """Opens transactions on behalf of the run's user."""

    def __init__(self, database: Database, actor: Actor) -> None:
        self._database = database
        self._actor = actor

    @contextmanager
    def within(self, tx: Transaction) -> Iterator[None]:
        """What is opened meanwhile is a part of this transaction."""
        token = _CURRENT.set(tx)
        try:
            yield
        finally:
            _CURRENT.reset(token)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Transaction]:
        """A transaction; inside a step's, a part of it that can fail by itself."""
        current = _CURRENT.get()
        if current is None:
            async with self._database.transaction(self._actor) as tx:
                yield tx
            return
        async with current.connection.begin_nested():
            yield current
