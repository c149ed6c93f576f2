"""Limits of keys: what counts, for how long, and what many callers at once see."""

import asyncio
from datetime import timedelta

import pytest

from tests.infra.conftest import Corner
from tests.people import People
from weft.infra.errors import NoModelAvailableError
from weft.infra.metering import AT_THE_LIMIT, FRESH
from weft.infra.registry import InfraRegistry
from weft.kit import clock
from weft.kit.db import Database
from weft.llm.ports import Caller

NOBODY = Caller(currency="CNY")
_A_DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        ({"requests_per_day": 2}, "2 of 2 requests of this day"),
        ({"requests_per_minute": 2}, "2 of 2 requests in this minute"),
        ({"tokens_per_day": 220}, "220 of 220 tokens of this day"),
        ({"money_per_day": "1", "money_currency": "CNY"}, "1.0* of 1.0* CNY of this day are spent"),
    ],
)
async def test_a_key_past_its_limit_is_passed_over(corner: Corner, people: People, limit: dict, why: str) -> None:
    """INFRA-1: requests, tokens and money a day, requests a minute; the next key serves, or the error says why."""
    await corner.key("a", **limit)
    actor = await people.user()
    await corner.spend(actor, "a")
    assert await corner.keys() == ["a"]
    await corner.spend(actor, "a")
    await asyncio.sleep(FRESH.total_seconds())
    with pytest.raises(NoModelAvailableError, match=why):
        await corner.ways()
    await corner.key("b")
    assert await corner.keys() == ["b"]


async def test_money_in_another_currency_does_not_count(corner: Corner, people: People) -> None:
    """LED-8: no exchange rates, in limits neither."""
    await corner.key(money_per_day="1", money_currency="USD")
    await corner.spend(await people.user(), cost="5")
    assert await corner.keys() == ["main"]


async def test_many_callers_at_once_do_not_all_get_the_last_places(corner: Corner) -> None:
    """INFRA-1: within a process, a claim counts before its call is booked."""
    await corner.key(requests_per_day=10)
    (way,) = await corner.ways()
    claims = await asyncio.gather(*(corner.registry.take(way) for _ in range(50)))
    assert sum(claims) == 10


async def test_a_claim_and_its_booked_call_are_one_use(corner: Corner, people: People) -> None:
    """INFRA-1: all ten places can be taken one after another, and no eleventh."""
    await corner.key(requests_per_day=10)
    actor, taken = await people.user(), 0
    (way,) = await corner.ways()
    while taken < 20 and await corner.registry.take(way):
        taken += 1
        await corner.spend(actor)
        corner.registry.settle(way)
        await asyncio.sleep(AT_THE_LIMIT.total_seconds() if taken > 7 else 0)
    assert taken == 10


@pytest.mark.parametrize("limit", [{"money_per_day": "1", "money_currency": "CNY"}, {"tokens_per_day": 100}])
async def test_what_a_call_spent_is_known_to_the_next_one(corner: Corner, people: People, limit: dict) -> None:
    """INFRA-1, SEC-4: callers in a row do not spend a limit of money or tokens over and over before it is noticed."""
    await corner.key(**limit)
    actor, made = await people.user(), 0
    (way,) = await corner.ways()
    while made < 20 and await corner.registry.take(way):
        made += 1
        await corner.spend(actor, cost="2")
        corner.registry.settle(way)
    assert made == 1


async def test_another_process_sees_what_was_booked(corner: Corner, people: People) -> None:
    """INFRA-1: limits are those of the key, not of the process: they are asked of the booked calls."""
    await corner.key(requests_per_day=1)
    elsewhere = InfraRegistry(corner.database, corner.keyring)
    await corner.spend(await people.user())
    with pytest.raises(NoModelAvailableError):
        await elsewhere.candidates(corner.model, NOBODY)


async def test_yesterday_does_not_count(corner: Corner, people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    """INFRA-1: a day begins at midnight UTC."""
    await corner.key(requests_per_day=1)
    await corner.spend(await people.user())
    now = clock.now
    monkeypatch.setattr(clock, "now", lambda: now().replace(hour=0, minute=0, second=0) + _A_DAY)
    assert await corner.keys() == ["main"]


async def test_the_list_shows_what_a_key_was_used_for_today(corner: Corner, people: People) -> None:
    """INFRA-1: metering of each key, as a query over the booked calls."""
    await corner.key()
    await corner.spend(await people.user(), cost="0.25")
    await corner.spend(await people.user(), cost="0.5")
    async with corner.service() as service:
        (key,) = [key for key in await service.keys() if key.vendor == corner.vendor]
    assert (key.today.requests, key.today.tokens) == (2, 220)
    assert {currency: str(amount.normalize()) for currency, amount in key.today.money.items()} == {"CNY": "0.75"}


async def test_system_work_meters_without_seeing_whose_calls_they_are(database: Database) -> None:
    """SEC-2: the metering role reads figures by key; who called stays closed to it."""
    from sqlalchemy import text
    from sqlalchemy.exc import DBAPIError

    async with database.system() as tx:
        await tx.connection.execute(text("SELECT key, started_at, input_tokens, output_tokens, cost FROM ai_calls"))
    for column in ("user_id", "business_id", "session_id", "id"):
        with pytest.raises(DBAPIError, match="permission denied"):
            async with database.system() as tx:
                await tx.connection.execute(text(f"SELECT {column} FROM ai_calls"))


async def test_a_retry_needs_a_place_too(corner: Corner, people: People) -> None:
    """INFRA-1, INFRA-3: limits count tries: a vendor that fails does not get more calls than the key may make."""
    from weft.calls.ledger import CallLedger
    from weft.kit.errors import WorldError
    from weft.llm.gateway import Gateway
    from weft.llm.scripted import Refusal, ScriptedVendor
    from weft.llm.types import ModelCall

    async with ScriptedVendor(default=Refusal(500)) as vendor:
        await corner.key(requests_per_minute=2)
        gateway = Gateway(_Elsewhere(corner.registry, vendor), CallLedger(corner.database))
        with pytest.raises(WorldError):
            await gateway.complete(corner.model, ModelCall([{"role": "user", "content": "hi"}]), NOBODY)
        assert len(vendor.log) == 2


class _Elsewhere:
    """The registry, with every way leading to one vendor."""

    def __init__(self, registry: InfraRegistry, vendor) -> None:
        self._registry = registry
        self._vendor = vendor
        self.take, self.settle = registry.take, registry.settle

    async def candidates(self, alias: str, caller: Caller):
        from dataclasses import replace

        found = await self._registry.candidates(alias, caller)
        return [replace(each, target=self._vendor.target()) for each in found]
