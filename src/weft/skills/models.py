"""The tables of proposals and of the versions that skills have had."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, ForeignKeyConstraint, LargeBinary, String, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from weft.kit.db.model import Model


class ProposalRow(Model):
    """A new or changed skill that somebody would like to be live."""

    __tablename__ = "skill_proposals"
    __table_args__ = (ForeignKeyConstraint(["business_id", "user_id"], ["users.business_id", "users.id"]),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    business_id: Mapped[UUID | None] = mapped_column(ForeignKey("businesses.id"))
    user_id: Mapped[UUID | None]
    name: Mapped[str] = mapped_column(String(64))
    scope: Mapped[str] = mapped_column(String(16))
    status: Mapped[str] = mapped_column(String(16))
    note: Mapped[str] = mapped_column(Text)
    digest: Mapped[bytes] = mapped_column(LargeBinary)
    content: Mapped[bytes] = mapped_column(LargeBinary)
    files: Mapped[int]
    size: Mapped[int] = mapped_column(BigInteger)
    via: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    submitted_at: Mapped[datetime | None]
    decided_by: Mapped[str | None] = mapped_column(String(64))
    decided_at: Mapped[datetime | None]
    reason: Mapped[str | None] = mapped_column(Text)


class VersionRow(Model):
    """What was live under a name, for one business or for the installation; without content: nothing was."""

    __tablename__ = "skill_versions"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    business_id: Mapped[UUID | None] = mapped_column(ForeignKey("businesses.id"))
    name: Mapped[str] = mapped_column(String(64))
    number: Mapped[int]
    origin: Mapped[str] = mapped_column(String(16))
    proposal_id: Mapped[UUID | None] = mapped_column(ForeignKey("skill_proposals.id"))
    restores: Mapped[int | None]
    digest: Mapped[bytes | None] = mapped_column(LargeBinary)
    content: Mapped[bytes | None] = mapped_column(LargeBinary)
    made_by: Mapped[str] = mapped_column(String(64))
    reason: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    activated_at: Mapped[datetime | None]
