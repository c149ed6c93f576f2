"""The shipped catalogue, and how it meets what an operator has changed."""

from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import pytest

from tests.people import OPERATOR
from weft.infra import catalogue
from weft.infra.items import ALIAS
from weft.infra.service import InfraService
from weft.infra.shapes import Document, Lane
from weft.infra.starting import prepare_infra
from weft.kit.actor import Reach
from weft.kit.crypto import Keyring
from weft.kit.db import Database

RING = Keyring(["the secret of one test's installation"])
NAMED = {"deepseek", "dashscope", "openai", "anthropic", "gemini", "zhipu", "moonshot", "ollama"}


@pytest.fixture
async def seeded(new_database: Any) -> AsyncIterator[Database]:
    database = Database(await new_database("catalogue"), pool_size=4)
    await prepare_infra(database, RING, None)
    yield database
    await database.close()


def newer(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """A newer Weft's catalogue."""
    raw = catalogue.shipped().model_dump(mode="json", exclude_unset=True)
    change(raw)
    monkeypatch.setattr(catalogue, "shipped", lambda: Document.model_validate(raw))


def test_it_names_the_vendors_and_every_price_its_source() -> None:
    """INFRA-1: the eight vendors; LED-8: each price says where it was published and when that was read."""
    document = catalogue.shipped()
    assert set(document.vendors) > NAMED
    for name, shape in document.vendors.items():
        for model in shape.models.values():
            for price in model.prices:
                if name == "weft":  # it runs on this machine
                    assert (price.input, price.output) == (0, 0)
                    continue
                assert price.source.startswith("https://")
                assert "20" in price.source
                assert price.input is not None
                assert price.input > 0
    assert document.vendors["weft"].lane is Lane.OFFLINE
    assert document.aliases["default"][-1] == "weft/offline"
    (price,) = document.vendors["deepseek"].models["deepseek-chat"].prices
    assert (price.currency, price.cached_input, price.input, price.output) == ("CNY", Decimal("0.2"), 2, 3)


async def test_once_applied_it_has_nothing_new(seeded: Database) -> None:
    """INFRA-1: seeding is idempotent."""
    async with seeded.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        service = InfraService(tx, RING)
        assert await service.catalogue_changes() == []
        assert await service.update_from_catalogue(overwrite=False) == []
        assert (await service.export()).vendors.keys() == catalogue.shipped().vendors.keys()


async def test_an_operators_values_stay_unless_they_say_otherwise(
    seeded: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """INFRA-1: three ways: untouched values follow, an operator's own are told and kept, `overwrite` replaces them."""

    def change(raw: dict[str, Any]) -> None:
        chat = raw["vendors"]["deepseek"]["models"]["deepseek-chat"]
        chat["max_output"], chat["context_window"] = 9000, 200000
        raw["vendors"]["acme"] = {"title": "Acme"}

    async with seeded.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        service = InfraService(tx, RING)
        chat = await service.identity("model", ("deepseek", "deepseek-chat"))
        await service.change("model", chat, {"context_window": 64000, "enabled": False})
        newer(monkeypatch, change)
        told = {(c.action, c.name, c.field) for c in await service.catalogue_changes()}
        assert told == {
            ("change", "deepseek/deepseek-chat", "max_output"),
            ("keep", "deepseek/deepseek-chat", "context_window"),
            ("add", "acme", None),
        }
        await service.update_from_catalogue(overwrite=False)
        model = (await service.export()).vendors["deepseek"].models["deepseek-chat"]
        assert (model.max_output, model.context_window, model.enabled) == (9000, 64000, False)
        assert await service.catalogue_changes() == []
        await service.update_from_catalogue(overwrite=True)
        model = (await service.export()).vendors["deepseek"].models["deepseek-chat"]
        assert (model.context_window, model.enabled) == (200000, True)


async def test_an_alias_of_the_operators_is_theirs(seeded: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """INFRA-1: the default alias is never taken from an operator who has set it."""
    async with seeded.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        service = InfraService(tx, RING)
        await service.set_alias("default", ["openai/gpt-4.1"])
        newer(monkeypatch, lambda raw: raw["aliases"].update(default=["weft/offline"]))
        await service.update_from_catalogue(overwrite=False)
        assert (await service.export()).aliases["default"] == ["openai/gpt-4.1"]


async def test_what_an_operator_removed_does_not_come_back_by_itself(seeded: Database) -> None:
    """INFRA-1: a start never brings back what was removed; an update says that it would."""
    async with seeded.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        service = InfraService(tx, RING)
        await service.remove("vendor", await service.identity("vendor", ("ollama",)))
    await prepare_infra(seeded, RING, None)
    async with seeded.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        service = InfraService(tx, RING)
        assert "ollama" not in (await service.export()).vendors
        assert {c.name for c in await service.catalogue_changes() if c.kind == "vendor"} == {"ollama"}
        assert not any(c.kind == ALIAS for c in await service.catalogue_changes())
