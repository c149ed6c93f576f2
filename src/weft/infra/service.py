"""What operators can do with the AI infrastructure; every way in comes through here."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from pydantic import ValidationError

from weft.calls.service import CallService
from weft.infra.catalogue import bring_in, catalogue, differences
from weft.infra.errors import InfraInvalidError, InfraTakenError, InfraUnknownError
from weft.infra.items import ALIAS, Fields, Item, Path, StoredItem, aliases_of, document_of, items_of
from weft.infra.keys import KeyStore, key_name
from weft.infra.metering import start_of_day
from weft.infra.names import split_reference
from weft.infra.repository import InfraRepository
from weft.infra.schemas import (
    AliasView,
    ChangeView,
    EndpointView,
    EndpointWish,
    KeyPatch,
    KeyUse,
    KeyView,
    KeyWish,
    ModelView,
    ModelWish,
    PriceView,
    PriceWish,
    Rotated,
    VendorView,
    VendorWish,
    shown,
)
from weft.infra.shapes import Closed, Document
from weft.infra.writing import CHANNEL, Writer
from weft.kit.actor import Reach
from weft.kit.crypto import Keyring
from weft.kit.db import Transaction
from weft.kit.errors import ForbiddenError

View = TypeVar("View", bound=Closed)
_NOT_FIELDS = frozenset({"vendor", "name", "secret", "model", "currency", "valid_from"})


class InfraService:
    """The AI infrastructure, on behalf of an operator of the whole installation."""

    def __init__(self, tx: Transaction, keyring: Keyring) -> None:
        if tx.reach is not Reach.INSTALLATION:
            raise ForbiddenError(
                "the AI infrastructure belongs to the whole installation; an operator of one business cannot see it"
            )
        self._tx = tx
        self._rows = InfraRepository(tx.connection)
        self._keyring = keyring
        self._keys = KeyStore(tx, keyring)

    async def vendors(self) -> list[VendorView]:
        """The vendors."""
        return [VendorView(**shown(VendorView, row)) for row in (await self._rows.state()).vendors]

    async def endpoints(self) -> list[EndpointView]:
        """The endpoints of all vendors."""
        return [EndpointView(**shown(EndpointView, row)) for row in (await self._rows.state()).endpoints]

    async def models(self) -> list[ModelView]:
        """The models of all vendors."""
        return [ModelView(**shown(ModelView, row)) for row in (await self._rows.state()).models]

    async def prices(self) -> list[PriceView]:
        """The prices of all models, the newest of each first."""
        rows = (await self._rows.state()).prices
        return [PriceView(**shown(PriceView, row, model=f"{row['vendor']}/{row['model']}")) for row in rows]

    async def aliases(self) -> list[AliasView]:
        """The aliases."""
        found = aliases_of(await self._rows.state())
        return [AliasView(name=name, models=models) for name, models in found.items()]

    async def keys(self) -> list[KeyView]:
        """The keys of all vendors, without the keys, with what they were used for today."""
        state = await self._rows.state()
        whom = await Writer(self._tx).whom(state)
        used = await self._used_today()
        return [
            KeyView(
                **shown(KeyView, row, assignments=whom.get(row["id"], [])),
                today=used.get(key_name(row["vendor"], row["name"]), KeyUse(requests=0, tokens=0, money={})),
            )
            for row in state.keys
        ]

    async def _used_today(self) -> dict[str, KeyUse]:
        found: dict[str, KeyUse] = {}
        since = start_of_day()
        for use in await CallService(self._tx).by_key(since, since):
            total = found.setdefault(use.key, KeyUse(requests=0, tokens=0, money={}))
            total.requests += use.requests
            total.tokens += use.tokens
            total.money[use.currency] = use.cost
        return found

    async def add_vendor(self, wish: VendorWish) -> VendorView:
        """A new vendor."""
        await self._add(Item("vendor", (wish.name,), _fields(wish)))
        return await self._shown(VendorView, await self.vendors(), name=wish.name)

    async def add_endpoint(self, wish: EndpointWish) -> EndpointView:
        """A new endpoint of a vendor."""
        await self._add(Item("endpoint", (wish.vendor, wish.name), _fields(wish)))
        return await self._shown(EndpointView, await self.endpoints(), vendor=wish.vendor, name=wish.name)

    async def add_model(self, wish: ModelWish) -> ModelView:
        """A new model of a vendor."""
        await self._add(Item("model", (wish.vendor, wish.name), _fields(wish)))
        return await self._shown(ModelView, await self.models(), vendor=wish.vendor, name=wish.name)

    async def add_key(self, wish: KeyWish) -> KeyView:
        """A new key of a vendor; it is sealed before it is stored."""
        writer = await self._writer()
        item = Item("key", (wish.vendor, wish.name), _fields(wish))
        if item.at in writer.items:
            raise InfraTakenError("key", key_name(wish.vendor, wish.name))
        await self._keys.write(writer, item, wish.secret.get_secret_value())
        return await self._shown(KeyView, await self.keys(), vendor=wish.vendor, name=wish.name)

    async def set_price(self, wish: PriceWish) -> PriceView:
        """The price of a model from a day on; one of the same day is replaced."""
        path = (*split_reference(wish.model), wish.currency, wish.valid_from.isoformat())
        writer = await self._writer()
        if ("model", path[:2]) not in writer.items:
            raise InfraUnknownError("model", wish.model, writer.names("model"))
        written = await writer.write(Item("price", path, _fields(wish)))
        return await self._shown(PriceView, await self.prices(), id=written.id)

    async def set_alias(self, name: str, models: Sequence[str]) -> AliasView:
        """Let an alias stand for these models, in this order."""
        try:
            checked = Document.model_validate({"aliases": {name: list(models)}})
        except ValidationError as error:
            raise InfraInvalidError.of(error) from None
        for item in items_of(checked):
            await (await self._writer()).write(item)
        return await self._shown(AliasView, await self.aliases(), name=name)

    async def change(self, kind: str, identity: UUID, fields: Fields) -> None:
        """Change some fields of a vendor, endpoint, model or key."""
        writer = await self._writer()
        item = self._found(writer, kind, identity)
        if fields:
            await writer.write(Item(kind, item.path, fields))

    async def change_key(self, identity: UUID, patch: KeyPatch) -> None:
        """Change some settings of a key, or put another key in its place."""
        writer = await self._writer()
        item = self._found(writer, "key", identity)
        secret = None if patch.secret is None else patch.secret.get_secret_value()
        await self._keys.write(writer, Item("key", item.path, _fields(patch)), secret)

    async def remove(self, kind: str, identity: UUID) -> None:
        """Take a vendor, endpoint, key, model or price away."""
        writer = await self._writer()
        await writer.remove(kind, self._found(writer, kind, identity).path)

    async def remove_alias(self, name: str) -> None:
        """Take an alias away."""
        await (await self._writer()).remove(ALIAS, (name,))

    async def identity(self, kind: str, path: Path) -> UUID:
        """The id of something by its name."""
        writer = await self._writer()
        found = writer.items.get((kind, path))
        if found is None or found.id is None:
            raise InfraUnknownError(kind, "/".join(path), writer.names(kind))
        return found.id

    async def rotate(self) -> Rotated:
        """Encrypt every key under the newest of the installation's secrets."""
        count = await self._keys.rotate()
        if count:
            await self._tx.notify(CHANNEL, "")
        return Rotated(key_id=self._keyring.newest, reencrypted=count)

    async def export(self) -> Document:
        """Everything, without secrets."""
        return document_of(iter((await self._writer()).items.values()))

    async def import_document(self, document: Document) -> int:
        """Set all that the document names, and leave the rest; one thing wrong, and nothing is changed."""
        await self._rows.one_at_a_time()
        writer = await self._writer()
        items = list(items_of(document))
        for item in items:
            await writer.write(item)
        for vendor, shape in document.vendors.items():
            for name, model in shape.models.items():
                if "prices" in model.model_fields_set:
                    days = {(vendor, name, price.currency, price.valid_from.isoformat()) for price in model.prices}
                    await writer.keep_only_prices((vendor, name), set(days))
        return len(items)

    async def catalogue_changes(self, *, overwrite: bool = False) -> list[ChangeView]:
        """What applying the shipped catalogue would change, and which of the operator's own values would stay."""
        there = (await self._writer()).items
        return [change.view() for change in differences(await catalogue(), there, overwrite=overwrite)]

    async def update_from_catalogue(self, *, overwrite: bool) -> list[ChangeView]:
        """Apply the shipped catalogue."""
        await self._rows.one_at_a_time()
        return [change.view() for change in await bring_in(await self._writer(), overwrite=overwrite)]

    async def _writer(self) -> Writer:
        return await Writer(self._tx).look()

    async def _add(self, item: Item) -> StoredItem:
        writer = await self._writer()
        if item.at in writer.items:
            raise InfraTakenError(item.kind, "/".join(item.path))
        return await writer.write(item)

    @staticmethod
    def _found(writer: Writer, kind: str, identity: UUID) -> StoredItem:
        for item in writer.items.values():
            if item.kind == kind and item.id == identity:
                return item
        raise InfraUnknownError(kind, identity)

    @staticmethod
    async def _shown(view: type[View], views: Sequence[View], **wanted: Any) -> View:
        return next(each for each in views if all(getattr(each, name) == value for name, value in wanted.items()))


def _fields(wish: Closed) -> Mapping[str, Any]:
    return {name: getattr(wish, name) for name in wish.model_fields_set if name not in _NOT_FIELDS}
