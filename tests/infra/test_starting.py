"""A start: the catalogue comes in once, and the environment's vendor follows the environment."""

import asyncio
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import pytest
from pydantic import SecretStr

from tests.people import OPERATOR
from weft.infra.environment import EnvironmentVendor
from weft.infra.errors import NoModelAvailableError
from weft.infra.registry import InfraRegistry
from weft.infra.schemas import KeyWish
from weft.infra.service import InfraService
from weft.infra.starting import prepare_infra
from weft.kit.actor import Reach
from weft.kit.crypto import Keyring
from weft.kit.db import Database
from weft.kit.errors import OperatorError
from weft.llm.ports import Caller, Candidate

RING = Keyring(["the secret of one test's installation"])
HERE = "http://127.0.0.1:9/v1"
CALLER = Caller(currency="CNY")


@pytest.fixture
async def fresh(new_database: Any) -> AsyncIterator[Database]:
    """A database of this test's own: the catalogue belongs to the whole installation."""
    database = Database(await new_database("starting"), pool_size=4)
    yield database
    await database.close()


async def start(database: Database, vendor: EnvironmentVendor | None = None) -> InfraRegistry:
    await prepare_infra(database, RING, vendor)
    return InfraRegistry(database, RING)


async def default(registry: InfraRegistry) -> list[Candidate]:
    return list(await registry.candidates("default", CALLER))


def vendor(
    model: str = "deepseek-chat", url: str = HERE, key: str | None = "sk-from-the-environment"
) -> EnvironmentVendor:
    return EnvironmentVendor(url, model, None if key is None else SecretStr(key))


async def test_without_any_key_the_offline_model_answers(fresh: Database) -> None:
    """INFRA-4: everything can be tried without a key, and nobody takes it for another model."""
    (way,) = await default(await start(fresh))
    assert (way.target.lane, way.target.base_url, way.card.vendor, way.card.name) == (
        "offline",
        "offline:",
        "weft",
        "offline",
    )
    assert way.target.api_key == ""


async def test_with_a_key_the_offline_model_never_stands_in(fresh: Database) -> None:
    """INFRA-4: an installation that is set up gets the model or an error, never made-up words."""
    registry = await start(fresh)
    async with fresh.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        await InfraService(tx, RING).add_key(KeyWish(vendor="deepseek", name="main", secret="sk-1", enabled=False))
    registry.forget()
    with pytest.raises(NoModelAvailableError, match="key deepseek/main is disabled"):
        await default(registry)


async def test_deepseek_chat_has_the_published_price(fresh: Database) -> None:
    """LED-8: CNY per million tokens as published on 2026-03-06: input hit 0.2, input miss 2, output 3."""
    await start(fresh, vendor())
    (way,) = await InfraRegistry(fresh, RING).candidates("env/deepseek-chat", CALLER)
    assert way.price is not None
    assert (way.price.cached_input, way.price.input, way.price.output) == (Decimal("0.2"), Decimal(2), Decimal(3))
    assert way.price.valid_from.isoformat() == "2026-03-06"


async def test_the_environments_vendor_is_the_default(fresh: Database) -> None:
    """INFRA-1: WEFT_LLM_BASE_URL, WEFT_LLM_API_KEY and WEFT_LLM_MODEL; its key is encrypted like any other."""
    registry = await start(fresh, vendor("my-model"))
    (way,) = await default(registry)
    assert (way.target.base_url, way.target.model, way.target.api_key) == (HERE, "my-model", "sk-from-the-environment")
    assert (way.key, way.endpoint, way.price) == ("env/env", "env", None)
    (way,) = await default(await start(fresh, vendor("my-model")))
    assert way.target.model == "my-model"


async def test_it_follows_the_environment_and_leaves_the_operators_changes(fresh: Database) -> None:
    """INFRA-1: what the environment says anew is taken; what it says as before leaves an operator's choice alone."""
    await start(fresh, vendor("one"))
    (way,) = await default(await start(fresh, vendor("two", "http://127.0.0.1:10/v1", "sk-another-key-of-theirs")))
    assert (way.target.model, way.target.base_url, way.target.api_key) == (
        "two",
        "http://127.0.0.1:10/v1",
        "sk-another-key-of-theirs",
    )
    async with fresh.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        service = InfraService(tx, RING)
        await service.set_alias("default", ["ollama/qwen3:8b"])
        await service.change("endpoint", await service.identity("endpoint", ("env", "env")), {"priority": 7})
    registry = await start(fresh, vendor("two", "http://127.0.0.1:10/v1", "sk-another-key-of-theirs"))
    assert [way.card.name for way in await default(registry)] == ["qwen3:8b"]
    async with fresh.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        assert (await InfraService(tx, RING).export()).vendors["env"].endpoints["env"].priority == 7


async def test_an_earlier_starts_key_does_not_go_to_a_new_address(fresh: Database) -> None:
    """SEC-3: without WEFT_LLM_API_KEY, no key is sent to where WEFT_LLM_BASE_URL now points."""
    await start(fresh, vendor())
    (way,) = await default(await start(fresh, vendor(key=None)))
    assert (way.target.api_key, way.key) == ("", "env/-")


async def test_it_recovers_its_key_where_the_secret_was_lost(fresh: Database) -> None:
    """SEC-3: the environment has the key at hand, so a lost secret does not stop the start."""
    await start(fresh, vendor())
    other = Keyring(["another secret of this installation"])
    await prepare_infra(fresh, other, vendor())
    (way,) = await default(InfraRegistry(fresh, other))
    assert way.target.api_key == "sk-from-the-environment"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (("http://x.example/v1", None, None), "WEFT_LLM_MODEL is not set"),
        ((None, "m", None), "WEFT_LLM_BASE_URL is not set"),
        ((None, None, SecretStr("sk-canary-0123456789")), "WEFT_LLM_BASE_URL is not set"),
    ],
)
def test_half_a_vendor_is_refused(settings: tuple[Any, ...], told: str) -> None:
    """INFRA-1: the error names the variable that is missing, and no secret."""
    with pytest.raises(OperatorError, match=told) as caught:
        EnvironmentVendor.of(*settings)
    assert "canary" not in caught.value.detail


@pytest.mark.parametrize(
    "wrong",
    [
        vendor("deepseek-3.2"),
        vendor(url="ftp://canary.example"),
        vendor(url="https://user:canary@x.example/v1"),
        vendor(url="https://x.example/v1?key=canary"),
        vendor(key="sk-canary with a space\n"),
        vendor("a model"),
    ],
)
async def test_a_wrong_environment_is_refused_and_changes_nothing(fresh: Database, wrong: EnvironmentVendor) -> None:
    """LED-9, SEC-3: refused at start, without the value that may hold a secret; the tables stay as they were."""
    await start(fresh)
    with pytest.raises(OperatorError, match="WEFT_LLM_") as caught:
        await start(fresh, wrong)
    assert "sk-canary" not in str(caught.value)
    assert "user:canary" not in str(caught.value)
    (way,) = await default(InfraRegistry(fresh, RING))
    assert way.target.lane == "offline"


async def test_many_processes_may_start_at_once(fresh: Database) -> None:
    """INFRA-1: seeding is idempotent, also when eight begin at once."""
    await asyncio.gather(*(prepare_infra(fresh, RING, vendor("m")) for _ in range(8)))
    (way,) = await default(InfraRegistry(fresh, RING))
    assert way.target.model == "m"
