"""What somebody may do now who asked for something earlier: a key may have been revoked since (SEC-5)."""

import time
from dataclasses import dataclass, field
from uuid import UUID

from weft.accounts.repository import AccountRepository
from weft.accounts.roles import RIGHTS, Role
from weft.kit.actor import Right
from weft.kit.db import Database

FRESH_SECONDS = 1.0
_MOST = 10_000


@dataclass(slots=True)
class Standing:
    """Looks keys and operators up by how they came in, and remembers it for a moment."""

    database: Database
    _known: dict[str, tuple[float, frozenset[Right]]] = field(default_factory=dict)

    async def rights(self, via: str) -> frozenset[Right] | None:
        """Their rights, none for a key that is no longer; None for the person at this machine, who shows no key."""
        kind, _, name = via.partition(":")
        if kind not in ("key", "operator"):
            return None
        now = time.monotonic()
        known = self._known.get(via)
        if known is not None and now - known[0] < FRESH_SECONDS:
            return known[1]
        rights = await self._look(kind, name)
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[via] = (now, rights)
        return rights

    async def _look(self, kind: str, name: str) -> frozenset[Right]:
        async with self.database.system() as tx:
            accounts = AccountRepository(tx.connection)
            if kind == "key":
                found = await accounts.rights_of_key(name)
                return frozenset(Right(right) for right in found or ())
            role = await accounts.role_of_operator(UUID(name))
            return RIGHTS[Role(role)] if role is not None else frozenset()
