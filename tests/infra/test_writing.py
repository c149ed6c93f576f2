"""Operators who write at the same time."""

import asyncio
from dataclasses import replace
from typing import Any

from tests.infra.conftest import SECRET, Corner, make_corner
from weft.infra.registry import InfraRegistry
from weft.kit.crypto import Keyring
from weft.kit.db import Database


async def test_operators_who_set_the_same_alias_at_once_all_succeed(corner: Corner) -> None:
    """INFRA-1: concurrent writes wait for each other; none ends in an error of ours."""

    async def set_it() -> None:
        async with corner.service() as service:
            await service.set_alias(f"{corner.vendor}-alias", [corner.model])

    for _ in range(3):
        await asyncio.gather(*(set_it() for _ in range(6)))
    async with corner.service() as service:
        (found,) = [alias for alias in await service.aliases() if alias.name == f"{corner.vendor}-alias"]
    assert list(found.models) == [corner.model]


async def test_a_key_entered_during_a_rotation_stays(new_database: Any) -> None:
    """SEC-3: a rotation never brings an old key back over a new one."""
    database = Database(await new_database("rotation"))
    before = await make_corner(database, Keyring([SECRET]))
    await before.key(secret="sk-old-compromised-key")
    after = replace(before, keyring=Keyring(["a newer secret, at least sixteen long", SECRET]))

    async def rotate() -> None:
        async with after.service() as service:
            await service.rotate()

    await asyncio.gather(rotate(), after.change("key", "main", secret="sk-new-and-well-kept"), rotate())
    fresh = replace(after, registry=InfraRegistry(database, after.keyring))
    (way,) = await fresh.ways()
    assert way.target.api_key == "sk-new-and-well-kept"
    await database.close()
