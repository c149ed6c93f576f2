"""Reads and writes the table `profiles`; row-level security stands behind every statement."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from weft.profiles.models import ProfileRow

_TABLE = ProfileRow.__table__
_OPTIONAL_COLUMNS = {
    "birth_info": ProfileRow.birth_info,
    "life_context": ProfileRow.life_context,
    "extracted": ProfileRow.extracted,
}
# Every turn asks for it: it is built once.
_IDENTITY = select(ProfileRow.username, ProfileRow.bio, ProfileRow.settings).where(
    ProfileRow.user_id == bindparam("user")
)


class ProfileRepository:
    """SQL about profiles."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def identity(self, user_id: UUID) -> tuple[str, str | None, dict[str, Any] | None] | None:
        """Only what phase 1 may know: name, bio, settings."""
        row = (await self._connection.execute(_IDENTITY, {"user": user_id})).one_or_none()
        return None if row is None else (row.username, row.bio, row.settings)

    async def fields(self, user_id: UUID, wanted: Sequence[tuple[str, str | None]]) -> Sequence[Any] | None:
        """Only the named columns, and of `skill_data` only the named skills' parts, in the order asked."""
        columns = [
            _OPTIONAL_COLUMNS[column] if skill is None else ProfileRow.skill_data[skill] for column, skill in wanted
        ]
        query = select(*columns).where(ProfileRow.user_id == user_id)
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else tuple(row)

    async def whole(self, user_id: UUID) -> dict[str, Any] | None:
        """Every column, for the user's own eyes."""
        query = select(_TABLE).where(ProfileRow.user_id == user_id)
        row = (await self._connection.execute(query)).mappings().one_or_none()
        return None if row is None else dict(row)

    async def locked(self, user_id: UUID, business_id: UUID) -> dict[str, Any]:
        """Every column, made if need be, and nobody else's to change until the transaction ends."""
        born = insert(ProfileRow).values(user_id=user_id, business_id=business_id).on_conflict_do_nothing()
        await self._connection.execute(born)
        query = select(_TABLE).where(ProfileRow.user_id == user_id).with_for_update()
        return dict((await self._connection.execute(query)).mappings().one())

    async def write(self, user_id: UUID, values: dict[str, Any]) -> dict[str, Any]:
        """Write these columns; returns every column as it now stands."""
        change = update(ProfileRow).where(ProfileRow.user_id == user_id).values(**values, updated_at=func.now())
        return dict((await self._connection.execute(change.returning(_TABLE))).mappings().one())
