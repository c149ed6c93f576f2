"""A corner of the registry that no other test touches: a vendor of its own, with one model."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from tests.people import OPERATOR
from tests.sessions.conftest import ended_call
from weft.infra.registry import InfraRegistry
from weft.infra.schemas import EndpointWish, KeyPatch, KeyWish, ModelWish, PriceWish, VendorWish
from weft.infra.service import InfraService
from weft.kit import clock
from weft.kit.actor import Actor, Reach
from weft.kit.crypto import Keyring
from weft.kit.db import Database
from weft.kit.ids import new_id
from weft.llm.ports import Caller, Candidate

SECRET = "the secret of one test's installation"


@dataclass
class Corner:
    """A vendor, `big` its model, `main` its endpoint; keys as the test wants them."""

    database: Database
    keyring: Keyring
    registry: InfraRegistry
    vendor: str

    @asynccontextmanager
    async def service(self) -> AsyncIterator[InfraService]:
        async with self.database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
            yield InfraService(tx, self.keyring)

    @property
    def model(self) -> str:
        return f"{self.vendor}/big"

    async def key(self, name: str = "main", secret: str = "sk-secret-of-this-key", **wish: Any) -> None:
        async with self.service() as service:
            await service.add_key(KeyWish(vendor=self.vendor, name=name, secret=secret, **wish))
        self.registry.forget()

    async def change(self, kind: str, *path: str, **fields: Any) -> None:
        async with self.service() as service:
            identity = await service.identity(kind, (self.vendor, *path))
            if kind == "key":
                await service.change_key(identity, KeyPatch(**fields))
            else:
                await service.change(kind, identity, fields)
        self.registry.forget()

    async def endpoint(self, name: str, **wish: Any) -> None:
        url = {"base_url": f"https://{name}.example/v1"}
        async with self.service() as service:
            await service.add_endpoint(EndpointWish(vendor=self.vendor, name=name, **(url | wish)))
        self.registry.forget()

    async def second_model(self, name: str, **wish: Any) -> None:
        async with self.service() as service:
            await service.add_model(ModelWish(vendor=self.vendor, name=name, **({"context_window": 1000} | wish)))
        self.registry.forget()

    async def price(self, **wish: Any) -> None:
        dated = {"currency": "CNY", "valid_from": "2026-03-06", "source": "a test"}
        async with self.service() as service:
            await service.set_price(PriceWish(model=self.model, **(dated | wish)))
        self.registry.forget()

    async def ways(self, name: str | None = None, caller: Caller | None = None) -> list[Candidate]:
        return list(await self.registry.candidates(name or self.model, caller or Caller(currency="CNY")))

    async def keys(self, caller: Caller | None = None) -> list[str]:
        return [way.key.partition("/")[2] for way in await self.ways(caller=caller)]

    async def spend(self, actor: Actor, key: str = "main", cost: str = "0.5", **call: Any) -> None:
        """One booked call with that key, now."""
        async with self.database.transaction(actor) as tx:
            await ended_call(tx, key=f"{self.vendor}/{key}", started_at=clock.now(), cost=Decimal(cost), **call)


@pytest.fixture
async def corner(database: Database) -> Corner:
    return await make_corner(database, Keyring([SECRET]))


async def make_corner(database: Database, keyring: Keyring) -> Corner:
    """A vendor nobody else has."""
    corner = Corner(database, keyring, InfraRegistry(database, keyring), f"v{new_id().hex}")
    async with corner.service() as service:
        await service.add_vendor(VendorWish(name=corner.vendor, title="Acme"))
        await service.add_endpoint(EndpointWish(vendor=corner.vendor, name="main", base_url="https://acme.example/v1"))
        await service.add_model(ModelWish(vendor=corner.vendor, name="big", context_window=1000))
    return corner
