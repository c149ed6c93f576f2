"""Reads and writes `system_agents`; row-level security stands behind every statement."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from weft.agents.models import SystemAgentRow
from weft.kit.ids import new_id


class AgentRepository:
    """SQL about agents."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def all(self, business_id: UUID | None) -> Sequence[Any]:
        """What holds for a business: the installation's rows first, then its own."""
        mine = or_(SystemAgentRow.business_id.is_(None), SystemAgentRow.business_id == business_id)
        query = select(SystemAgentRow.__table__).where(mine)
        ordered = query.order_by(SystemAgentRow.business_id.nulls_first(), SystemAgentRow.agent_type)
        return (await self._connection.execute(ordered)).mappings().all()

    async def put(self, business_id: UUID | None, agent_type: str, model: str) -> Any:
        """Give a kind of agent this model."""
        row = insert(SystemAgentRow).values(id=new_id(), business_id=business_id, agent_type=agent_type, model=model)
        written = row.on_conflict_do_update(
            constraint="uq_system_agents_type", set_={"model": model, "updated_at": func.now()}
        )
        return (await self._connection.execute(written.returning(SystemAgentRow.__table__))).mappings().one()
