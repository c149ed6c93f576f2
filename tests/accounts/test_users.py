"""A user is a business's external id, mapped to one UUID at first sight."""

import asyncio
from typing import Any
from uuid import UUID

import httpx
import pytest

from tests.clients import Keys, bearer
from tests.people import OPERATOR, People
from weft.accounts.authentication import check_external_id
from weft.accounts.errors import UserNameInvalidError
from weft.accounts.repository import AccountRepository
from weft.kit.actor import Reach


async def user_id(client: httpx.AsyncClient, key: str, external_id: Any) -> UUID:
    answer = await client.get("/api/profile", headers=bearer(key, external_id))
    assert answer.status_code == 200, answer.text
    return UUID(answer.json()["user_id"])


async def test_the_same_id_is_the_same_user_whichever_key_names_them(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """INFRA-5: a user is (business, external id), mapped to a UUID at first sight."""
    business = await keys.business()
    first, second = await keys.key(business), await keys.key(business)
    ann = await user_id(anyone, first, "ann")
    assert await user_id(anyone, second, "ann") == ann
    assert await user_id(anyone, first, "Ann") != ann


async def test_the_same_id_in_two_businesses_is_two_users(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """INFRA-5: a business is the tenant."""
    assert await user_id(anyone, await keys.key(), "ann") != await user_id(anyone, await keys.key(), "ann")


async def test_twenty_first_sights_at_once_are_one_user(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """INFRA-5: one UUID, whoever comes first."""
    key = await keys.key()
    found = await asyncio.gather(*(user_id(anyone, key, "ann") for _ in range(20)))
    assert len(set(found)) == 1


async def test_first_sight_is_one_row_however_often(people: People) -> None:
    """INFRA-5: looking again makes nobody."""
    business_id, _ = await people.business()

    async def see() -> UUID:
        async with people.database.system() as tx:
            return await AccountRepository(tx.connection).user_at_first_sight(business_id, "ann")

    seen = set(await asyncio.gather(*(see() for _ in range(20))))
    async with people.database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        assert {await AccountRepository(tx.connection).user(business_id, "ann")} == seen


@pytest.mark.parametrize(
    "external_id", ["小雨", "ann@example.com", "a b", "x" * 255, "雨" * 255, "🌧️", "'; DROP TABLE users"]
)
async def test_an_id_may_be_any_utf8_text(keys: Keys, anyone: httpx.AsyncClient, external_id: str) -> None:
    """INFRA-5: the id is the business's own; it travels as UTF-8."""
    key = await keys.key()
    assert await user_id(anyone, key, external_id.encode()) == await user_id(anyone, key, external_id.encode())


@pytest.mark.parametrize(
    "external_id",
    ["", "x" * 256, "a\x00b", "a\x01", "a\x7f", "a\u0085b", "a\u2028b", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80"],
)
async def test_an_id_that_cannot_be_one_is_refused(keys: Keys, anyone: httpx.AsyncClient, external_id: Any) -> None:
    """INFRA-5, issue 1 bad input: a clear error, and nobody is made."""
    value = external_id.encode() if isinstance(external_id, str) else external_id
    answer = await anyone.get("/api/profile", headers=bearer(await keys.key(), value))
    assert (answer.status_code, answer.json()["field"]) == (422, "X-Weft-User")


@pytest.mark.parametrize("external_id", [" ann", "ann ", "\u3000ann", "\tann", "\ud800", ""])
def test_no_space_at_either_end_and_no_half_characters(external_id: str) -> None:
    """INFRA-5: two ids that look the same are one user or an error."""
    with pytest.raises(UserNameInvalidError):
        check_external_id(external_id)
