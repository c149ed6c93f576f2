"""Reads and writes the tables of accounts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from weft.accounts.models import BusinessKeyRow, BusinessRow, OperatorRow, OperatorSessionRow, UserRow
from weft.accounts.secrets import NewSecret
from weft.kit.ids import new_id

# The bucket refills continuously and holds a minute's worth at the most; the row's lock makes callers take turns.
_REFILL = text("""
    INSERT INTO rate_buckets AS b (key_id, tokens, refilled_at) VALUES (:key_id, :capacity, clock_timestamp())
    ON CONFLICT (key_id) DO UPDATE SET refilled_at = clock_timestamp(), tokens = least(:capacity, greatest(0,
      b.tokens + extract(epoch FROM clock_timestamp() - b.refilled_at)::float8 * :capacity / 60))
    RETURNING tokens
""")
_SPEND = text("UPDATE rate_buckets SET tokens = tokens - 1 WHERE key_id = :key_id")


class AccountRepository:
    """SQL about businesses, users, keys and operators."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def business(self, *, slug: str) -> Any:
        """A business by its slug."""
        query = select(BusinessRow.__table__).where(BusinessRow.slug == slug)
        return (await self._connection.execute(query)).one_or_none()

    async def businesses(self, after: str | None, limit: int) -> Sequence[Any]:
        """Businesses within reach, by slug."""
        query = select(BusinessRow.__table__).order_by(BusinessRow.slug).limit(limit)
        if after is not None:
            query = query.where(BusinessRow.slug > after)
        return (await self._connection.execute(query)).mappings().all()

    async def add_business(self, slug: str, name: str) -> UUID | None:
        """A new business; None where the slug is taken."""
        added = insert(BusinessRow).values(id=new_id(), slug=slug, name=name)
        made = added.on_conflict_do_nothing(index_elements=["slug"]).returning(BusinessRow.id)
        identity: UUID | None = await self._connection.scalar(made)
        return identity

    async def user(self, business_id: UUID, external_id: str) -> UUID | None:
        """A user by the id that the business gave."""
        query = select(UserRow.id).where(UserRow.business_id == business_id, UserRow.external_id == external_id)
        identity: UUID | None = await self._connection.scalar(query)
        return identity

    async def external_ids(self, users: Sequence[UUID]) -> dict[UUID, str]:
        """The ids that businesses gave to these users."""
        query = select(UserRow.id, UserRow.external_id).where(UserRow.id.in_(users))
        return {row.id: row.external_id for row in await self._connection.execute(query)}

    async def user_at_first_sight(self, business_id: UUID, external_id: str) -> UUID:
        """The user of that id, made if nobody has seen them yet; any number may see them at once."""
        if (found := await self.user(business_id, external_id)) is not None:
            return found
        identity = new_id()
        born = insert(UserRow).values(id=identity, business_id=business_id, external_id=external_id)
        await self._connection.execute(born.on_conflict_do_nothing(index_elements=["business_id", "external_id"]))
        return await self.user(business_id, external_id) or identity

    async def live_key(self, digest: bytes) -> Any:
        """A business key that is neither revoked nor expired."""
        query = select(
            BusinessKeyRow.id,
            BusinessKeyRow.business_id,
            BusinessKeyRow.prefix,
            BusinessKeyRow.rights,
            BusinessKeyRow.rate_per_minute,
        ).where(
            BusinessKeyRow.key_hash == digest,
            BusinessKeyRow.revoked_at.is_(None),
            or_(BusinessKeyRow.expires_at.is_(None), BusinessKeyRow.expires_at > func.now()),
        )
        return (await self._connection.execute(query)).one_or_none()

    async def rights_of_key(self, prefix: str) -> Sequence[str] | None:
        """The rights of a living key by the part of it that may be shown."""
        query = select(BusinessKeyRow.rights).where(
            BusinessKeyRow.prefix == prefix,
            BusinessKeyRow.revoked_at.is_(None),
            or_(BusinessKeyRow.expires_at.is_(None), BusinessKeyRow.expires_at > func.now()),
        )
        rights: Sequence[str] | None = await self._connection.scalar(query)
        return rights

    async def role_of_operator(self, identity: UUID) -> str | None:
        """The role of an operator who is one still."""
        query = select(OperatorRow.role).where(OperatorRow.id == identity, OperatorRow.revoked_at.is_(None))
        role: str | None = await self._connection.scalar(query)
        return role

    async def take_call(self, key_id: UUID, per_minute: int) -> float:
        """Take one call out of the key's bucket; the answer is 0, or the seconds until one can be taken."""
        tokens = await self._connection.scalar(_REFILL, {"key_id": key_id, "capacity": float(per_minute)})
        if tokens < 1:
            return float(1 - tokens) * 60 / per_minute
        await self._connection.execute(_SPEND, {"key_id": key_id})
        return 0.0

    async def keys(self, before: UUID | None, limit: int) -> Sequence[Any]:
        """Keys within reach, newest first."""
        query = (
            select(BusinessKeyRow.__table__, BusinessRow.slug.label("business"))
            .join(BusinessRow, BusinessRow.id == BusinessKeyRow.business_id)
            .order_by(BusinessKeyRow.id.desc())
            .limit(limit)
        )
        if before is not None:
            query = query.where(BusinessKeyRow.id < before)
        return (await self._connection.execute(query)).mappings().all()

    async def add_key(self, business_id: UUID, secret: NewSecret, values: dict[str, Any]) -> UUID:
        """A new key."""
        added = insert(BusinessKeyRow).values(
            id=new_id(), business_id=business_id, prefix=secret.prefix, key_hash=secret.digest, **values
        )
        identity: UUID = (await self._connection.execute(added.returning(BusinessKeyRow.id))).scalar_one()
        return identity

    async def revoke(self, table: type[BusinessKeyRow | OperatorRow], identity: UUID) -> bool:
        """End a key or an operator; whether there was one to end."""
        change = (
            update(table).where(table.id == identity).values(revoked_at=func.coalesce(table.revoked_at, func.now()))
        )
        return await self._connection.scalar(change.returning(table.id)) is not None

    async def live_operator(self, digest: bytes) -> Any:
        """An operator by their key."""
        query = select(OperatorRow.__table__).where(OperatorRow.key_hash == digest, OperatorRow.revoked_at.is_(None))
        return (await self._connection.execute(query)).one_or_none()

    async def signed_in_operator(self, digest: bytes) -> Any:
        """An operator by the cookie of a session that has not expired."""
        query = (
            select(OperatorRow.__table__)
            .join(OperatorSessionRow, OperatorSessionRow.operator_id == OperatorRow.id)
            .where(
                OperatorSessionRow.token_hash == digest,
                OperatorSessionRow.expires_at > func.now(),
                OperatorRow.revoked_at.is_(None),
            )
        )
        return (await self._connection.execute(query)).one_or_none()

    async def operators(self, before: UUID | None, limit: int) -> Sequence[Any]:
        """Operators within reach, newest first."""
        query = (
            select(OperatorRow.__table__, BusinessRow.slug.label("business"))
            .outerjoin(BusinessRow, BusinessRow.id == OperatorRow.business_id)
            .order_by(OperatorRow.id.desc())
            .limit(limit)
        )
        if before is not None:
            query = query.where(OperatorRow.id < before)
        return (await self._connection.execute(query)).mappings().all()

    async def add_operator(self, business_id: UUID | None, name: str, role: str, secret: NewSecret) -> UUID:
        """A new operator."""
        added = insert(OperatorRow).values(
            id=new_id(),
            business_id=business_id,
            name=name,
            role=role,
            prefix=secret.prefix,
            key_hash=secret.digest,
        )
        identity: UUID = (await self._connection.execute(added.returning(OperatorRow.id))).scalar_one()
        return identity

    async def sign_in(self, operator_id: UUID, digest: bytes, expires_at: datetime) -> None:
        """Open a console session, and clear away those that have ended."""
        await self._connection.execute(delete(OperatorSessionRow).where(OperatorSessionRow.expires_at <= func.now()))
        opened = insert(OperatorSessionRow).values(token_hash=digest, operator_id=operator_id, expires_at=expires_at)
        await self._connection.execute(opened)

    async def sign_out(self, digest: bytes) -> None:
        """End a console session."""
        await self._connection.execute(delete(OperatorSessionRow).where(OperatorSessionRow.token_hash == digest))
