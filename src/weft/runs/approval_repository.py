"""Reads and writes the calls that wait for somebody's word; row-level security stands behind every statement."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func, literal, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from weft.kit.db.model import Model
from weft.runs.models import ApprovalRow

_APPROVAL = Model.metadata.tables[ApprovalRow.__tablename__]


class ApprovalRepository:
    """SQL about approvals."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, rows: list[dict[str, Any]]) -> None:
        """Calls that wait."""
        await self._connection.execute(insert(_APPROVAL), rows)

    async def get(self, approval_id: UUID) -> Any:
        """One within reach."""
        query = select(_APPROVAL).where(_APPROVAL.c.id == approval_id)
        return (await self._connection.execute(query)).mappings().one_or_none()

    async def of_run(self, run_id: UUID) -> Sequence[Any]:
        """All that a run has asked for, in the order it asked."""
        query = select(_APPROVAL).where(_APPROVAL.c.run_id == run_id).order_by(_APPROVAL.c.id)
        return (await self._connection.execute(query)).mappings().all()

    async def recent(self, status: str | None, before: tuple[datetime, UUID] | None, limit: int) -> Sequence[Any]:
        """Those within reach, the newest first."""
        query = select(_APPROVAL).order_by(_APPROVAL.c.created_at.desc(), _APPROVAL.c.id.desc()).limit(limit)
        if status is not None:
            query = query.where(_APPROVAL.c.status == status)
        if before is not None:
            query = query.where(tuple_(_APPROVAL.c.created_at, _APPROVAL.c.id) < tuple_(*map(literal, before)))
        return (await self._connection.execute(query)).mappings().all()

    async def decide(self, approval_id: UUID, values: Mapping[str, Any]) -> bool:
        """Write a decision; False where there was one."""
        change = update(_APPROVAL).where(_APPROVAL.c.id == approval_id, _APPROVAL.c.status == "pending")
        written = change.values(**values, decided_at=func.clock_timestamp()).returning(_APPROVAL.c.id)
        return await self._connection.scalar(written) is not None

    async def withdraw(self, run_id: UUID) -> None:
        """Nobody needs to decide any more."""
        change = update(_APPROVAL).where(_APPROVAL.c.run_id == run_id, _APPROVAL.c.status == "pending")
        await self._connection.execute(change.values(status="withdrawn", decided_at=func.clock_timestamp()))
