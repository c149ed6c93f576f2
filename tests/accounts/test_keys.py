"""Business keys: hashed, scoped, revocable, expiring, rate-limited."""

import asyncio
from datetime import timedelta
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest
from sqlalchemy import text

from tests.clients import Keys, bearer
from tests.people import OPERATOR
from weft.accounts import secrets
from weft.accounts.repository import AccountRepository
from weft.accounts.schemas import KeyView, KeyWish
from weft.accounts.service import AccountService
from weft.kit import clock
from weft.kit.actor import Reach, Right
from weft.kit.errors import InvalidError


async def status(client: httpx.AsyncClient, key: str, path: str = "/api/profile") -> int:
    return (await client.get(path, headers=bearer(key, "ann"))).status_code


async def find(keys: Keys, key: str) -> KeyView:
    """What operators see of a key."""
    async with keys.database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        return next(view for view in await AccountService(tx).keys() if view.prefix in key)


async def test_a_key_stands_nowhere_in_the_database(keys: Keys, anyone: httpx.AsyncClient, database_url: str) -> None:
    """SEC-2: keys are hashed."""
    key, operator = await keys.key(), await keys.operator()
    signed_in = await anyone.post("/api/operator/session", json={"key": operator})
    tokens = [key, operator, signed_in.cookies["weft_operator"]]
    assert await status(anyone, key) == 200
    connection = await asyncpg.connect(database_url)
    try:
        tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        rows = [row for (table,) in tables for row in await connection.fetch(f'SELECT t::text FROM "{table}" t')]
    finally:
        await connection.close()
    dump = "\n".join(text for (text,) in rows)
    assert secrets.digest_of(key).hex() in dump
    for token in tokens:
        assert token.split("_", 3)[3][:20] not in dump
        assert token.encode().hex() not in dump


async def test_a_revoked_key_is_refused_on_the_next_call(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-2: keys are revocable."""
    key, operator = await keys.key(), bearer(await keys.operator())
    assert await status(anyone, key) == 200
    found = await find(keys, key)
    assert (await anyone.delete(f"/api/keys/{found.id}", headers=operator)).status_code == 204
    assert await status(anyone, key) == 401
    revoked_at = (await find(keys, key)).revoked_at
    assert (await anyone.delete(f"/api/keys/{found.id}", headers=operator)).status_code == 204
    assert (await find(keys, key)).revoked_at == revoked_at is not None


async def test_a_key_that_is_not_there_cannot_be_revoked(keys: Keys, anyone: httpx.AsyncClient) -> None:
    answer = await anyone.delete(f"/api/keys/{uuid4()}", headers=bearer(await keys.operator()))
    assert (answer.status_code, answer.json()["code"]) == (404, "key_unknown")


async def expire(keys: Keys, key: str) -> None:
    """Its day has come."""
    past = text("UPDATE business_keys SET expires_at = clock_timestamp() - interval '1 second' WHERE id = :id")
    found = await find(keys, key)
    async with keys.database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        await tx.connection.execute(past, {"id": found.id})


async def test_a_key_ends_when_it_expires(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-2: a key lives as long as it was made for."""
    key = await keys.key(expires_at=clock.now() + timedelta(days=1))
    assert await status(anyone, key) == 200
    await expire(keys, key)
    assert await status(anyone, key) == 401


async def test_a_key_that_would_never_work_is_not_made(keys: Keys, anyone: httpx.AsyncClient) -> None:
    wish = {"business": await keys.business(), "name": "late", "expires_at": "2020-01-01T00:00:00Z"}
    answer = await anyone.post("/api/keys", json=wish, headers=bearer(await keys.operator()))
    assert (answer.status_code, answer.json()["field"]) == (422, "expires_at")


async def test_a_key_opens_what_its_rights_name_and_nothing_else(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-2: keys are scoped."""
    key = await keys.key(rights=[Right.SESSIONS])
    assert await status(anyone, key, "/api/sessions") == 200
    for path in ("/api/profile", "/api/usage", "/api/keys", "/api/operators", "/api/businesses"):
        assert await status(anyone, key, path) == 403


@pytest.mark.parametrize("right", [Right.KEYS, Right.OPERATORS, Right.INFRA, Right.SKILLS])
async def test_no_business_key_holds_an_operators_right(keys: Keys, right: Right) -> None:
    """SEC-2: business keys act for users; what operators do needs an operator."""
    with pytest.raises(InvalidError, match=right.value):
        await keys.key(rights=[right])


@pytest.mark.parametrize(
    "token",
    [
        "weft_bk_00000000_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "weft_op_00000000_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "x",
        "x" * 5000,
    ],
)
async def test_a_refused_key_tells_nothing_about_keys(keys: Keys, anyone: httpx.AsyncClient, token: str) -> None:
    """SEC-2: unknown, revoked and expired keys are refused in the same words."""
    revoked, expired = await keys.key(), await keys.key(expires_at=clock.now() + timedelta(days=1))
    async with keys.database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        await AccountService(tx).revoke_key((await find(keys, revoked)).id)
    await expire(keys, expired)
    told = []
    for key in (token, revoked, expired):
        answer = await anyone.get("/api/profile", headers=bearer(key, "ann"))
        assert answer.headers["www-authenticate"] == "Bearer"
        told.append(answer.json() | {"request_id": None})
    assert told[1] == told[2]
    assert (told[0]["status"], told[0]["code"]) == (401, "key_refused")
    assert told[0] == told[1] or token.startswith("weft_op_")


async def test_without_a_key_nobody_is_known(anyone: httpx.AsyncClient) -> None:
    """SEC-2: with WEFT_AUTH=keys, everybody shows one."""
    for headers in ({}, {"authorization": "Bearer "}, {"authorization": "Basic YTpi"}, {"x-weft-user": "ann"}):
        assert (await anyone.get("/api/profile", headers=headers)).status_code == 401


async def test_as_many_calls_pass_as_the_key_may_make_at_once(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-2: keys are rate-limited, exactly, however many calls come at the same time."""
    key = await keys.key(rate_per_minute=5)
    answers = await asyncio.gather(*(anyone.get("/api/profile", headers=bearer(key, "ann")) for _ in range(20)))
    refused = [answer for answer in answers if answer.status_code == 429]
    assert [answer.status_code for answer in answers].count(200) == 5
    assert len(refused) == 15
    assert {answer.json()["code"] for answer in refused} == {"rate_limited"}
    assert all(1 <= int(answer.headers["retry-after"]) <= 12 for answer in refused)


async def test_a_bucket_fills_again_with_time_and_never_over_its_brim(keys: Keys) -> None:
    """SEC-2: whoever waits as long as they are told may call again."""
    key_id = (await find(keys, await keys.key())).id

    async def take(per_minute: int) -> float:
        async with keys.database.system() as tx:
            return await AccountRepository(tx.connection).take_call(key_id, per_minute)

    waits = [await take(600) for _ in range(601)]
    assert waits.count(0.0) >= 600
    while not (wait := await take(600)):
        pass
    assert 0 < wait <= 0.1
    await asyncio.sleep(wait + 0.01)
    assert await take(600) == 0
    assert [await take(2) for _ in range(3)][-1] > 0, "a limit that was lowered holds at once"


async def test_a_call_that_is_refused_later_has_been_counted(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-2: errors are no way around the limit."""
    key = await keys.key(rate_per_minute=2, rights=[Right.PROFILE])
    assert [await status(anyone, key, "/api/usage") for _ in range(3)] == [403, 403, 429]


async def test_a_key_without_a_limit_has_none(keys: Keys, anyone: httpx.AsyncClient) -> None:
    key = await keys.key(rate_per_minute=None)
    assert {await status(anyone, key) for _ in range(10)} == {200}


def test_what_a_key_is_does_not_show_in_what_is_printed() -> None:
    """SEC-3: secrets appear in no log."""
    made = secrets.make_secret(secrets.BUSINESS)
    assert made.token not in repr(made)
    assert repr(made.digest) not in repr(made)
    assert made.prefix in made.token


async def test_only_an_operator_of_the_installation_makes_businesses(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-2: operators act within their reach."""
    slug = f"b{uuid4().hex}"
    wish = {"slug": slug, "name": "小程序"}
    of_one = bearer(await keys.operator(business=await keys.business()))
    assert (await anyone.post("/api/businesses", json=wish, headers=of_one)).status_code == 403
    of_all = bearer(await keys.operator())
    made = await anyone.post("/api/businesses", json=wish, headers=of_all)
    assert (made.status_code, made.json()["slug"], made.json()["name"]) == (201, slug, "小程序")
    again = await anyone.post("/api/businesses", json=wish, headers=of_all)
    assert (again.status_code, again.json()["code"]) == (409, "business_taken")
    assert UUID(made.json()["id"])


async def test_a_key_needs_a_business(keys: Keys) -> None:
    with pytest.raises(InvalidError, match="name the business"):
        async with keys.database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
            await AccountService(tx).add_key(KeyWish(name="of nobody"))
