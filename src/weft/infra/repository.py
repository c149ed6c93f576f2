"""Reads and writes the tables of the AI infrastructure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import delete, exists, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from weft.infra.models import AliasRow, AssignmentRow, EndpointRow, KeyRow, ModelRow, PriceRow, VendorRow
from weft.kit.ids import new_id

Table = type[VendorRow | EndpointRow | KeyRow | ModelRow | PriceRow]
Row = Mapping[str, Any]
Rows = Sequence[Row]
TABLES: Mapping[str, Table] = {
    "vendor": VendorRow,
    "endpoint": EndpointRow,
    "key": KeyRow,
    "model": ModelRow,
    "price": PriceRow,
}
_SEED_LOCK = 0x57454655


@dataclass(frozen=True, slots=True)
class State:
    """Every row there is, joined with the names that people know it by; secrets stay sealed."""

    vendors: Rows
    endpoints: Rows
    keys: Rows
    assignments: Rows
    models: Rows
    prices: Rows
    aliases: Rows


class InfraRepository:
    """SQL about vendors and what is theirs."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def state(self) -> State:
        """Everything, in the order in which people list it."""
        vendor = VendorRow.name.label("vendor")
        endpoints = select(EndpointRow.__table__, vendor).join(VendorRow, VendorRow.id == EndpointRow.vendor_id)
        keys = (
            select(KeyRow.__table__, vendor, EndpointRow.name.label("endpoint"))
            .join(VendorRow, VendorRow.id == KeyRow.vendor_id)
            .outerjoin(EndpointRow, EndpointRow.id == KeyRow.endpoint_id)
        )
        models = select(ModelRow.__table__, vendor).join(VendorRow, VendorRow.id == ModelRow.vendor_id)
        prices = (
            select(PriceRow.__table__, vendor, ModelRow.name.label("model"))
            .join(ModelRow, ModelRow.id == PriceRow.model_id)
            .join(VendorRow, VendorRow.id == ModelRow.vendor_id)
        )
        aliases = (
            select(AliasRow.__table__, vendor, ModelRow.name.label("model"))
            .join(ModelRow, ModelRow.id == AliasRow.model_id)
            .join(VendorRow, VendorRow.id == ModelRow.vendor_id)
        )
        return State(
            vendors=await self._all(select(VendorRow.__table__).order_by(VendorRow.name)),
            endpoints=await self._all(endpoints.order_by(vendor, EndpointRow.priority, EndpointRow.name)),
            keys=await self._all(keys.order_by(vendor, KeyRow.name)),
            assignments=await self._all(select(AssignmentRow.__table__).order_by(AssignmentRow.id)),
            models=await self._all(models.order_by(vendor, ModelRow.name)),
            prices=await self._all(
                prices.order_by(vendor, ModelRow.name, PriceRow.currency, PriceRow.valid_from.desc())
            ),
            aliases=await self._all(aliases.order_by(AliasRow.name, AliasRow.position)),
        )

    async def at_one_moment(self) -> None:
        """Let all that this transaction reads be of one moment; the first thing it must ask for."""
        await self._connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))

    async def _all(self, query: Any) -> Rows:
        return [dict(row) for row in (await self._connection.execute(query)).mappings()]

    async def add(self, kind: str, values: Mapping[str, Any]) -> UUID | None:
        """A new row; None where something of that name is there."""
        table = TABLES[kind]
        made = insert(table).values({"id": new_id()} | dict(values)).on_conflict_do_nothing().returning(table.id)
        identity: UUID | None = await self._connection.scalar(made)
        return identity

    async def change(self, kind: str, identity: UUID, values: Mapping[str, Any]) -> None:
        """Write these columns."""
        table = TABLES[kind]
        stamped = dict(values) if table is PriceRow else {**values, "updated_at": func.now()}
        if values:
            await self._connection.execute(update(table).where(table.id == identity).values(stamped))

    async def delete(self, kind: str, identity: UUID) -> bool | None:
        """Delete a row: True where it was there, None where another row needs it."""
        table = TABLES[kind]
        try:
            async with self._connection.begin_nested():
                gone = delete(table).where(table.id == identity).returning(table.id)
                return await self._connection.scalar(gone) is not None
        except IntegrityError:
            return None

    async def drop_prices(self, model_id: UUID, but: Iterable[UUID]) -> None:
        """Delete a model's prices except these."""
        others = delete(PriceRow).where(PriceRow.model_id == model_id, PriceRow.id.not_in(list(but)))
        await self._connection.execute(others)

    async def set_alias(self, name: str, model_ids: Sequence[UUID]) -> None:
        """Let an alias name these models, in this order; no model: the alias is gone."""
        await self._connection.execute(delete(AliasRow).where(AliasRow.name == name))
        rows = [{"name": name, "position": at, "model_id": model_id} for at, model_id in enumerate(model_ids)]
        if rows:
            await self._connection.execute(insert(AliasRow).values(rows))

    async def set_assignments(self, key_id: UUID, whom: Sequence[tuple[UUID, UUID | None]]) -> None:
        """Let a key serve these businesses and users, and nobody else; none: everybody."""
        await self._connection.execute(delete(AssignmentRow).where(AssignmentRow.vendor_key_id == key_id))
        rows = [
            {"id": new_id(), "vendor_key_id": key_id, "business_id": business_id, "user_id": user_id}
            for business_id, user_id in whom
        ]
        if rows:
            await self._connection.execute(insert(AssignmentRow).values(rows))

    async def is_catalogued(self) -> bool:
        """Whether the catalogue was ever brought in here."""
        query = select(exists().where(VendorRow.origin == "catalogue"))
        return bool(await self._connection.scalar(query))

    async def one_at_a_time(self) -> None:
        """Let other processes that seed, import or rotate wait until this transaction ends."""
        await self._connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _SEED_LOCK})
