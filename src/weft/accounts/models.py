"""The tables of accounts."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, ForeignKey, LargeBinary, String, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from weft.kit.db.model import Model


class BusinessRow(Model):
    """A tenant."""

    __tablename__ = "businesses"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(64), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class UserRow(Model):
    """A business's user under the id that the business gave."""

    __tablename__ = "users"
    __table_args__ = (UniqueConstraint("business_id", "external_id"), UniqueConstraint("business_id", "id"))

    id: Mapped[UUID] = mapped_column(primary_key=True)
    business_id: Mapped[UUID] = mapped_column(ForeignKey("businesses.id"))
    external_id: Mapped[str] = mapped_column(String(255))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class BusinessKeyRow(Model):
    """A key that a business calls with."""

    __tablename__ = "business_keys"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    business_id: Mapped[UUID] = mapped_column(ForeignKey("businesses.id"), index=True)
    name: Mapped[str] = mapped_column(String(200))
    prefix: Mapped[str] = mapped_column(String(16))
    key_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    rights: Mapped[list[str]] = mapped_column(ARRAY(String(32)))
    rate_per_minute: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class RateBucketRow(Model):
    """How many calls a key may make right now."""

    __tablename__ = "rate_buckets"
    __table_args__ = ({"prefixes": ["UNLOGGED"]},)

    key_id: Mapped[UUID] = mapped_column(primary_key=True)
    tokens: Mapped[float]
    refilled_at: Mapped[datetime]


class OperatorRow(Model):
    """A person who runs a business, or, without one, the installation."""

    __tablename__ = "operators"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    business_id: Mapped[UUID | None] = mapped_column(ForeignKey("businesses.id"))
    name: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(16))
    prefix: Mapped[str] = mapped_column(String(16))
    key_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    revoked_at: Mapped[datetime | None]


class OperatorSessionRow(Model):
    """An operator signed in to the console."""

    __tablename__ = "operator_sessions"

    token_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    operator_id: Mapped[UUID] = mapped_column(ForeignKey("operators.id", ondelete="CASCADE"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime] = mapped_column(index=True)
