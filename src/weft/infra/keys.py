"""Vendor keys: sealed when they come in, opened only where a call is made, sealed anew at a rotation."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from weft.infra.errors import InfraUnknownError
from weft.infra.items import Item, StoredItem
from weft.infra.repository import InfraRepository
from weft.infra.writing import Writer
from weft.kit.crypto import Keyring, Sealed
from weft.kit.db import Transaction
from weft.kit.ids import new_id

SHOWN = 4
_LEAST_HIDDEN = 8  # of a short key, four characters would be too much to show


def about(key_id: UUID) -> str:
    """What a sealed key is bound to: its own row, so that no row's key opens in another."""
    return f"vendor_key/{key_id}"


def key_name(vendor: str, name: str) -> str:
    """A key as people, errors and the ledger name it."""
    return f"{vendor}/{name}"


def last_four(secret: str) -> str:
    """What is shown of a key, to recognise it by."""
    return secret[-SHOWN:] if len(secret) >= SHOWN + _LEAST_HIDDEN else ""


def open_key(keyring: Keyring, row: Mapping[str, Any]) -> str:
    """The key in clear. Only a `Target` may hold it."""
    sealed = Sealed(row["key_id"], row["secret"])
    return keyring.open(sealed, about=about(row["id"]), what=f"vendor key {key_name(row['vendor'], row['name'])}")


class KeyStore:
    """Stores and re-encrypts keys, in the transaction of an operator."""

    def __init__(self, tx: Transaction, keyring: Keyring) -> None:
        self._rows = InfraRepository(tx.connection)
        self._keyring = keyring

    def sealed(self, identity: UUID, secret: str) -> dict[str, Any]:
        """The columns that hold a key."""
        sealed = self._keyring.seal(secret, about=about(identity))
        return {"secret": sealed.box, "key_id": sealed.key_id, "last_four": last_four(secret)}

    async def write(self, writer: Writer, item: Item, secret: str | None, **more: Any) -> StoredItem:
        """Store a key's settings and, where given, the key itself."""
        there = writer.items.get(item.at)
        identity = new_id() if there is None or there.id is None else there.id
        columns = {} if secret is None else self.sealed(identity, secret)
        if there is None:
            columns["id"] = identity
        return await writer.write(item, **columns, **more)

    async def rotate(self) -> int:
        """Seal every key under the newest secret; how many there were to seal."""
        await self._rows.one_at_a_time()
        state = await self._rows.state()
        old = [row for row in state.keys if row["secret"] is not None and row["key_id"] != self._keyring.newest]
        for row in old:
            opened = open_key(self._keyring, row)
            await self._rows.change("key", row["id"], self.sealed(row["id"], opened))
        return len(old)

    async def matches(self, vendor: str, name: str, secret: str) -> bool:
        """Whether this is what is stored under that name."""
        state = await self._rows.state()
        for row in state.keys:
            if (row["vendor"], row["name"]) == (vendor, name):
                return row["secret"] is not None and open_key(self._keyring, row) == secret
        raise InfraUnknownError("key", key_name(vendor, name))
