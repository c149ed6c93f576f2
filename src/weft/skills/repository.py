"""Reads and writes proposals and versions of skills; row-level security stands behind every statement."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from weft.kit.db.model import Model
from weft.skills.models import ProposalRow, VersionRow

_PROPOSAL = Model.metadata.tables[ProposalRow.__tablename__]
_VERSION = Model.metadata.tables[VersionRow.__tablename__]
_WITHOUT_CONTENT = [column for column in _PROPOSAL.c if column.name != "content"]
_HISTORY = [column for column in _VERSION.c if column.name != "content"]
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))")
_OF_PROPOSAL = select(_VERSION.c.number).where(_VERSION.c.proposal_id == _PROPOSAL.c.id).scalar_subquery()


class SkillRepository:
    """SQL about proposals and versions."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def propose(self, values: dict[str, Any]) -> None:
        """A new proposal."""
        await self._connection.execute(insert(_PROPOSAL).values(**values))

    async def proposal(self, proposal_id: UUID) -> dict[str, Any] | None:
        """One proposal, with its content and the number of the version that it became."""
        query = select(_PROPOSAL, _OF_PROPOSAL.label("version")).where(_PROPOSAL.c.id == proposal_id)
        row = (await self._connection.execute(query)).mappings().one_or_none()
        return None if row is None else dict(row)

    async def lock_proposal(self, proposal_id: UUID) -> str | None:
        """Nobody else decides it until the transaction ends; returns its status as it then is."""
        query = select(_PROPOSAL.c.status).where(_PROPOSAL.c.id == proposal_id).with_for_update()
        status: str | None = await self._connection.scalar(query)
        return status

    async def proposals(self, status: str | None, before: UUID | None, limit: int) -> Sequence[Any]:
        """Those within reach without their content, the newest first."""
        query = select(*_WITHOUT_CONTENT, _OF_PROPOSAL.label("version")).order_by(_PROPOSAL.c.id.desc()).limit(limit)
        if status is not None:
            query = query.where(_PROPOSAL.c.status == status)
        if before is not None:
            query = query.where(_PROPOSAL.c.id < before)
        return (await self._connection.execute(query)).mappings().all()

    async def open_proposals(self, user_id: UUID | None) -> int:
        """How many of a user's, or of operators', nobody has decided."""
        query = select(func.count()).where(_PROPOSAL.c.user_id.is_not_distinct_from(user_id))
        return await self._connection.scalar(query.where(_PROPOSAL.c.status.in_(("draft", "review")))) or 0

    async def change_proposal(self, proposal_id: UUID, **values: Any) -> bool:
        """Write these columns; whether there was a row that this transaction may write."""
        change = update(_PROPOSAL).where(_PROPOSAL.c.id == proposal_id).values(**values).returning(_PROPOSAL.c.id)
        return await self._connection.scalar(change) is not None

    async def delete_proposal(self, proposal_id: UUID) -> bool:
        """Forget it; whether there was a row that this transaction may delete."""
        gone = delete(_PROPOSAL).where(_PROPOSAL.c.id == proposal_id).returning(_PROPOSAL.c.id)
        return await self._connection.scalar(gone) is not None

    async def lock_skill(self, business_id: UUID | None, name: str) -> None:
        """Whoever changes what is live under this name takes turns, until the transaction ends."""
        await self._connection.execute(_LOCK, {"key": f"skill:{business_id or 'installation'}:{name}"})

    async def newest_version(self, business_id: UUID | None, name: str) -> dict[str, Any] | None:
        """The version of the highest number."""
        query = self._versions(business_id, name).order_by(_VERSION.c.number.desc()).limit(1)
        row = (await self._connection.execute(query)).mappings().one_or_none()
        return None if row is None else dict(row)

    async def version(self, business_id: UUID | None, name: str, number: int) -> dict[str, Any] | None:
        """One version with its content."""
        query = self._versions(business_id, name).where(_VERSION.c.number == number)
        row = (await self._connection.execute(query)).mappings().one_or_none()
        return None if row is None else dict(row)

    async def history(self, business_id: UUID | None, name: str, before: int | None, limit: int) -> Sequence[Any]:
        """The versions without their content, the newest first."""
        query = self._versions(business_id, name).with_only_columns(*_HISTORY).order_by(_VERSION.c.number.desc())
        if before is not None:
            query = query.where(_VERSION.c.number < before)
        return (await self._connection.execute(query.limit(limit))).mappings().all()

    async def pending(self) -> list[tuple[UUID | None, str]]:
        """The places, within reach, of versions that are not in them yet."""
        query = select(_VERSION.c.business_id, _VERSION.c.name).where(_VERSION.c.activated_at.is_(None))
        return [(row.business_id, row.name) for row in await self._connection.execute(query)]

    async def add_version(self, values: dict[str, Any]) -> None:
        """A version that is live, or about to be."""
        await self._connection.execute(insert(_VERSION).values(**values))

    async def activated(self, version_id: UUID) -> None:
        """The version is in its place."""
        change = update(_VERSION).where(_VERSION.c.id == version_id).values(activated_at=func.now())
        await self._connection.execute(change)

    @staticmethod
    def _versions(business_id: UUID | None, name: str) -> Any:
        same = _VERSION.c.business_id.is_not_distinct_from(business_id)
        return select(_VERSION).where(same, _VERSION.c.name == name)
