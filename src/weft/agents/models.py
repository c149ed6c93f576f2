"""The table `system_agents`; its rules stand in the migration."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, String, func
from sqlalchemy.orm import Mapped, mapped_column

from weft.kit.db.model import Model


class SystemAgentRow(Model):
    """The model of one kind of agent: everybody's where no business is named."""

    __tablename__ = "system_agents"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    business_id: Mapped[UUID | None] = mapped_column(ForeignKey("businesses.id", ondelete="CASCADE"))
    agent_type: Mapped[str] = mapped_column(String(32))
    model: Mapped[str] = mapped_column(String(128))
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())
