"""The table `profiles`."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKeyConstraint, String, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column

from weft.kit.db.model import Model


class ProfileRow(Model):
    """One user's profile; the row appears with the first write."""

    __tablename__ = "profiles"
    __table_args__ = (ForeignKeyConstraint(["business_id", "user_id"], ["users.business_id", "users.id"]),)

    user_id: Mapped[UUID] = mapped_column(primary_key=True)
    business_id: Mapped[UUID]
    username: Mapped[str] = mapped_column(Text, server_default="")
    bio: Mapped[str | None] = mapped_column(Text)
    settings: Mapped[dict[str, Any] | None]
    birth_info: Mapped[dict[str, Any] | None]
    life_context: Mapped[dict[str, Any] | None]
    extracted: Mapped[list[Any]] = mapped_column(server_default=text("'[]'"))
    skill_data: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    user_tier: Mapped[str] = mapped_column(String(32), server_default="free")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())
