"""Limits of keys: what counts, for how long, and what many callers at once see."""

import asyncio
from datetime import timedelta

import pytest

from tests.infra.conftest import Corner
from tests.people import People
from weft.infra.errors import NoModelAvailableError
from weft.infra.metering import FRESH
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
    """INFRA-1: within a process, ways handed out count before their calls are booked."""
    await corner.key(requests_per_day=10)
    asked = (corner.registry.candidates(corner.model, NOBODY) for _ in range(50))
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(not isinstance(answer, BaseException) for answer in answers) == 10


async def test_calls_that_were_booked_are_not_counted_twice(corner: Corner, people: People) -> None:
    """INFRA-1: a way handed out and its booked call are one use: all ten places can be taken one after another."""
    await corner.key(requests_per_day=10)
    actor = await people.user()
    for _ in range(10):
        assert await corner.keys() == ["main"]
        await corner.spend(actor)
    with pytest.raises(NoModelAvailableError):
        await corner.ways()


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
        await tx.session.execute(text("SELECT key, started_at, input_tokens, output_tokens, cost FROM ai_calls"))
    for column in ("user_id", "business_id", "session_id", "id"):
        with pytest.raises(DBAPIError, match="permission denied"):
            async with database.system() as tx:
                await tx.session.execute(text(f"SELECT {column} FROM ai_calls"))
