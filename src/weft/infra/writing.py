"""Writes items into the tables, one by one; what cannot be written ends the whole transaction."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ValidationError

from weft.accounts.service import AccountService
from weft.infra.errors import InfraInUseError, InfraInvalidError, InfraUnknownError
from weft.infra.items import ALIAS, SHAPES, Fields, Item, Path, StoredItem, plain, stored_items
from weft.infra.names import split_reference
from weft.infra.repository import InfraRepository, State
from weft.infra.shapes import check_money
from weft.kit.db import Transaction
from weft.kit.errors import NotFoundError

CHANNEL = "weft_infra"
_PARENTS = {"endpoint": "vendor", "model": "vendor", "key": "vendor", "price": "model"}


class Writer:
    """The tables as they stand, and ways to change them."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._rows = InfraRepository(tx.connection)
        self._accounts = AccountService(tx)
        self._items: dict[tuple[str, Path], StoredItem] = {}
        self._touched = False

    async def look(self) -> "Writer":
        """Read what is there, and let no other process change it until the transaction ends."""
        await self._rows.one_at_a_time()
        state = await self._rows.state()
        whom = await self.whom(state)
        self._items = {item.at: item for item in stored_items(state, whom)}
        return self

    @property
    def items(self) -> Mapping[tuple[str, Path], StoredItem]:
        """What is there now, everything that was written included."""
        return self._items

    async def whom(self, state: State) -> dict[UUID, list[dict[str, str]]]:
        """Each key's assignments, by the names people know."""
        businesses = {row["business_id"] for row in state.assignments}
        slugs = {business.id: business.slug for business in await self._accounts.businesses()} if businesses else {}
        users = await self._accounts.external_ids([row["user_id"] for row in state.assignments if row["user_id"]])
        found: dict[UUID, list[dict[str, str]]] = {}
        for row in state.assignments:
            named = {"business": slugs[row["business_id"]]}
            if row["user_id"] is not None:
                named["user"] = users[row["user_id"]]
            found.setdefault(row["vendor_key_id"], []).append(named)
        return found

    async def write(self, item: Item, *, seeded: Fields | None = None, **more: Any) -> StoredItem:
        """Set what the item sets; a new one gets its defaults for the rest. `more` is what no item holds."""
        if item.kind == ALIAS:
            return await self._write_alias(item)
        there = self._items.get(item.at)
        fields = self._checked(item, {**(there.fields if there else {}), **item.fields})
        values = await self._columns(item, fields if there is None else {n: fields[n] for n in item.fields}) | more
        if seeded is not None:
            values["seeded"] = plain(seeded)
        if there is None:
            identity = await self._rows.add(item.kind, self._birth(item) | values)
            if identity is None:  # somebody else's, since we looked
                raise InfraInUseError(f"{item.name} was made by somebody else just now; try again")
        else:
            identity = there.id or self._id(item)
            await self._rows.change(item.kind, identity, values)
        if item.kind == "key" and "assignments" in (item.fields if there else fields):
            await self._rows.set_assignments(identity, await self._assigned(item, fields["assignments"]))
        kept = plain(seeded) if seeded is not None else (there.seeded if there else None)
        written = StoredItem(item.kind, item.path, fields, identity, kept)
        return await self._keep(written)

    async def remove(self, kind: str, path: Path) -> None:
        """Take an item away, and what belongs to it alone."""
        there = self._items.get((kind, path))
        if there is None:
            raise InfraUnknownError(kind, "/".join(path), self.names(kind))
        if kind == ALIAS:
            await self._rows.set_alias(path[0], [])
        else:
            self._check_unused(kind, path)
            if await self._rows.delete(kind, there.id or self._id(there)) is None:
                raise InfraInUseError(f"{there.name} is still needed by something else; remove that first")
        for at in [at for at in self._items if at == (kind, path) or _belongs(at, kind, path)]:
            del self._items[at]
        await self._touch()

    async def keep_only_prices(self, model: Path, days: set[Path]) -> None:
        """Take away the prices of a model that are not among these."""
        mine = [item for item in self._items.values() if item.kind == "price" and item.path[:2] == model]
        gone = [item for item in mine if item.path not in days]
        if gone:
            kept = [item.id for item in mine if item.path in days and item.id is not None]
            await self._rows.drop_prices(self._id_of("model", model), kept)
            for item in gone:
                del self._items[item.at]
            await self._touch()

    def names(self, kind: str) -> list[str]:
        """What there is of a kind, as people write it."""
        return ["/".join(path) for found, path in self._items if found == kind]

    async def _write_alias(self, item: Item) -> StoredItem:
        models = list(item.fields["models"])
        missing = [model for model in models if ("model", split_reference(model)) not in self._items]
        if missing:
            field = f"aliases.{item.path[0]}"
            raise InfraInvalidError(f"{field}: there is no model {missing[0]!r}", field=field)
        await self._rows.set_alias(item.path[0], [self._id_of("model", split_reference(model)) for model in models])
        return await self._keep(StoredItem(ALIAS, item.path, {"models": models}))

    async def _keep(self, written: StoredItem) -> StoredItem:
        self._items[written.at] = written
        await self._touch()
        return written

    async def _touch(self) -> None:
        if not self._touched:
            self._touched = True
            await self._tx.notify(CHANNEL, "")

    def _checked(self, item: Item, fields: Fields) -> dict[str, Any]:
        """All fields of an item, valid together."""
        try:
            shape = SHAPES[item.kind].model_validate({name: _bare(value) for name, value in fields.items()})
            if item.kind == "key":
                check_money(getattr(shape, "money_per_day", None), getattr(shape, "money_currency", None))
        except ValidationError as error:
            raise InfraInvalidError.of(error, within=".".join((item.kind, *item.path))) from None
        except ValueError as error:
            raise InfraInvalidError(f"{item.name}: {error}", field="money_per_day") from None
        return {name: getattr(shape, name) for name in type(shape).model_fields}

    async def _columns(self, item: Item, fields: Fields) -> dict[str, Any]:
        """Fields as the table's columns hold them."""
        values = {name: _column(value) for name, value in fields.items() if name not in ("endpoint", "assignments")}
        if "endpoint" in fields:
            values["endpoint_id"] = self._endpoint_id(item, fields["endpoint"])
        return values

    def _endpoint_id(self, item: Item, endpoint: str | None) -> UUID | None:
        if endpoint is None:
            return None
        if ("endpoint", (item.path[0], endpoint)) not in self._items:
            field = f"{'.'.join(item.path)}.endpoint"
            raise InfraInvalidError(f"{field}: the vendor has no endpoint {endpoint!r}", field=field)
        return self._id_of("endpoint", (item.path[0], endpoint))

    async def _assigned(self, item: Item, wanted: Sequence[Any]) -> list[tuple[UUID, UUID | None]]:
        found: list[tuple[UUID, UUID | None]] = []
        for at, whom in enumerate(wanted):
            try:
                if whom.user is None:
                    found.append((await self._accounts.find_business(whom.business), None))
                else:
                    found.append(await self._accounts.find_user(whom.business, whom.user))
            except NotFoundError as error:
                field = f"{'.'.join(item.path)}.assignments.{at}"
                raise InfraInvalidError(f"{field}: {error.detail}", field=field) from None
        return list(dict.fromkeys(found))

    def _birth(self, item: Item) -> dict[str, Any]:
        """What a new row is made with and never changes."""
        if item.kind == "vendor":
            return {"name": item.path[0], "origin": "operator"}
        parent = _PARENTS[item.kind]
        identity = self._id_of(parent, item.path[:-2] if item.kind == "price" else item.path[:-1])
        if item.kind == "price":
            return {"model_id": identity, "currency": item.path[2], "valid_from": date.fromisoformat(item.path[3])}
        values: dict[str, Any] = {"vendor_id": identity, "name": item.path[1]}
        if item.kind == "key":
            values |= {"last_four": "", "origin": "operator"}
        return values

    def _id_of(self, kind: str, path: Path) -> UUID:
        there = self._items.get((kind, path))
        if there is None:
            raise InfraUnknownError(kind, "/".join(path), self.names(kind))
        return self._id(there)

    @staticmethod
    def _id(item: Item) -> UUID:
        identity = getattr(item, "id", None)
        if identity is None:
            raise InfraUnknownError(item.kind, "/".join(item.path))
        found: UUID = identity
        return found

    def _check_unused(self, kind: str, path: Path) -> None:
        """A model that an alias names is not taken from under it, nor a vendor's."""
        if kind not in ("model", "vendor"):
            return
        users = sorted(
            item.path[0]
            for item in self._items.values()
            if item.kind == ALIAS
            and any(split_reference(model)[: len(path)] == path for model in item.fields["models"])
        )
        if users:
            raise InfraInUseError(
                f"{kind} {'/'.join(path)} is named by the alias {', '.join(users)}; "
                f"set that to other models first: weft infra aliases set {users[0]} MODEL..."
            )


def _belongs(at: tuple[str, Path], kind: str, path: Path) -> bool:
    return at[0] != ALIAS and kind in ("vendor", "model") and at[1][: len(path)] == path and len(at[1]) > len(path)


def _bare(value: Any) -> Any:
    return value.model_dump() if isinstance(value, BaseModel) else value


def _column(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return getattr(value, "value", value)
