"""Somebody to act: businesses, users and operators made for one test."""

from dataclasses import dataclass, replace
from uuid import UUID

from weft.accounts.authentication import cli_actor
from weft.accounts.repository import AccountRepository
from weft.accounts.roles import BUSINESS_RIGHTS
from weft.kit.actor import Actor, Reach
from weft.kit.db import Database
from weft.kit.ids import new_id

OPERATOR = cli_actor()


@dataclass(frozen=True)
class People:
    """Makes actors over one database."""

    database: Database

    async def business(self, slug: str | None = None) -> tuple[UUID, str]:
        """A new business: its id and its slug."""
        slug = slug or f"b{new_id().hex}"
        async with self.database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
            identity = await AccountRepository(tx.connection).add_business(slug, slug)
        assert identity is not None
        return identity, slug

    async def user(self, business_id: UUID | None = None, external_id: str = "ann") -> Actor:
        """A user, as a business key acting for them would be."""
        if business_id is None:
            business_id, _ = await self.business()
        async with self.database.system() as tx:
            user_id = await AccountRepository(tx.connection).user_at_first_sight(business_id, external_id)
        return Actor("test", BUSINESS_RIGHTS, business_id, user_id)

    def operator(self, of: Actor | None = None) -> Actor:
        """An operator of that user's business, or of the installation."""
        if of is None:
            return OPERATOR
        return replace(OPERATOR, business_id=of.business_id, operator_reach=Reach.BUSINESS)
