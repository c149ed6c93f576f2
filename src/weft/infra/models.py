"""The tables of the AI infrastructure."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    LargeBinary,
    Numeric,
    String,
    UniqueConstraint,
    func,
)
from sqlalchemy.orm import Mapped, mapped_column

from weft.kit.db.model import Model

_RATE = Numeric(20, 12)


class VendorRow(Model):
    """A vendor; `seeded` is what the catalogue last gave it, so that an operator's own changes can be told."""

    __tablename__ = "vendors"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60), unique=True)
    title: Mapped[str] = mapped_column(String(200))
    lane: Mapped[str] = mapped_column(String(20))
    litellm_provider: Mapped[str | None] = mapped_column(String(60))
    needs_key: Mapped[bool]
    enabled: Mapped[bool]
    origin: Mapped[str] = mapped_column(String(16))
    seeded: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())


class EndpointRow(Model):
    """An address of a vendor."""

    __tablename__ = "vendor_endpoints"
    __table_args__ = (UniqueConstraint("vendor_id", "name"), UniqueConstraint("vendor_id", "id"))

    id: Mapped[UUID] = mapped_column(primary_key=True)
    vendor_id: Mapped[UUID] = mapped_column(ForeignKey("vendors.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(60))
    base_url: Mapped[str] = mapped_column(String(2048))
    region: Mapped[str | None] = mapped_column(String(64))
    category: Mapped[str | None] = mapped_column(String(32))
    priority: Mapped[int]
    connect_seconds: Mapped[float | None] = mapped_column(Double)
    first_seconds: Mapped[float | None] = mapped_column(Double)
    gap_seconds: Mapped[float | None] = mapped_column(Double)
    enabled: Mapped[bool]
    seeded: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())


class KeyRow(Model):
    """A key of a vendor, sealed."""

    __tablename__ = "vendor_keys"
    __table_args__ = (
        UniqueConstraint("vendor_id", "name"),
        ForeignKeyConstraint(["vendor_id", "endpoint_id"], ["vendor_endpoints.vendor_id", "vendor_endpoints.id"]),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    vendor_id: Mapped[UUID] = mapped_column(ForeignKey("vendors.id", ondelete="CASCADE"))
    endpoint_id: Mapped[UUID | None]
    name: Mapped[str] = mapped_column(String(60))
    secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    key_id: Mapped[str | None] = mapped_column(String(16))
    last_four: Mapped[str] = mapped_column(String(4))
    requests_per_minute: Mapped[int | None]
    requests_per_day: Mapped[int | None]
    tokens_per_day: Mapped[int | None] = mapped_column(BigInteger)
    money_per_day: Mapped[Decimal | None] = mapped_column(Numeric(12, 6))
    money_currency: Mapped[str | None] = mapped_column(String(3))
    enabled: Mapped[bool]
    origin: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())


class AssignmentRow(Model):
    """Whom a key is for."""

    __tablename__ = "vendor_key_assignments"
    __table_args__ = (ForeignKeyConstraint(["business_id", "user_id"], ["users.business_id", "users.id"]),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    vendor_key_id: Mapped[UUID] = mapped_column(ForeignKey("vendor_keys.id", ondelete="CASCADE"))
    business_id: Mapped[UUID] = mapped_column(ForeignKey("businesses.id"))
    user_id: Mapped[UUID | None]


class ModelRow(Model):
    """A model, as its vendor offers it."""

    __tablename__ = "models"
    __table_args__ = (UniqueConstraint("vendor_id", "name"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    vendor_id: Mapped[UUID] = mapped_column(ForeignKey("vendors.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(128))
    category: Mapped[str] = mapped_column(String(32))
    type: Mapped[str] = mapped_column(String(64))
    version: Mapped[str] = mapped_column(String(64))
    context_window: Mapped[int]
    max_output: Mapped[int | None]
    abilities: Mapped[dict[str, Any]]
    structure: Mapped[dict[str, Any] | None]
    litellm_name: Mapped[str | None] = mapped_column(String(200))
    enabled: Mapped[bool]
    seeded: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())


class PriceRow(Model):
    """What a model costs from a day on."""

    __tablename__ = "model_prices"
    __table_args__ = (UniqueConstraint("model_id", "currency", "valid_from"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    model_id: Mapped[UUID] = mapped_column(ForeignKey("models.id", ondelete="CASCADE"))
    currency: Mapped[str] = mapped_column(String(3))
    valid_from: Mapped[date]
    source: Mapped[str] = mapped_column(String(500))
    input: Mapped[Decimal | None] = mapped_column(_RATE)
    cached_input: Mapped[Decimal | None] = mapped_column(_RATE)
    cache_write: Mapped[Decimal | None] = mapped_column(_RATE)
    output: Mapped[Decimal | None] = mapped_column(_RATE)
    per_image: Mapped[Decimal | None] = mapped_column(_RATE)
    per_second: Mapped[Decimal | None] = mapped_column(_RATE)
    seeded: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class AliasRow(Model):
    """One model of an alias; they are tried in the order of their positions."""

    __tablename__ = "model_aliases"
    __table_args__ = (UniqueConstraint("name", "model_id"),)

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    model_id: Mapped[UUID] = mapped_column(ForeignKey("models.id", ondelete="CASCADE"))
