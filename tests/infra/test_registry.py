"""Which ways lead to a model, in which order, for whom, and what is said where none does."""

import asyncio
from datetime import date, timedelta
from decimal import Decimal

import pytest

from tests.infra.conftest import Corner
from tests.people import People
from weft.infra.errors import ModelUnknownError, NoModelAvailableError, NotAModelNameError
from weft.infra.registry import InfraRegistry
from weft.infra.schemas import VendorWish
from weft.infra.writing import CHANNEL
from weft.kit.actor import Actor
from weft.kit.crypto import Keyring, SecretKeyError
from weft.kit.db.listen import Listener
from weft.llm.ports import Caller, Strategy


def calling(actor: Actor) -> Caller:
    return Caller(currency="CNY", business_id=actor.business_id, user_id=actor.user_id)


async def test_a_way_holds_all_that_a_call_needs(corner: Corner) -> None:
    """INFRA-1: card, address, key, price and waits; the key is in the target and nowhere else."""
    await corner.change("model", "big", abilities={"structured": "tool", "cache_unit": 7}, structure={"text": "$.t"})
    await corner.change("endpoint", "main", gap_seconds=3.5)
    await corner.price(input="2", cached_input="0.2", output="3")
    await corner.key()
    (way,) = await corner.ways()
    assert (way.target.vendor, way.target.model, way.target.lane) == (corner.vendor, "big", "openai_compatible")
    assert (way.target.base_url, way.target.api_key) == ("https://acme.example/v1", "sk-secret-of-this-key")
    assert (way.target.timeouts.gap, way.target.timeouts.connect) == (3.5, 10.0)
    assert (way.endpoint, way.key) == ("main", f"{corner.vendor}/main")
    assert way.card.abilities.structured is Strategy.TOOL
    assert (way.card.abilities.cache_unit, way.card.structure) == (7, {"text": "$.t"})
    assert way.price is not None
    assert (way.price.input, way.price.cached_input, way.price.per_image) == (Decimal(2), Decimal("0.2"), None)
    assert "sk-secret" not in repr(way)


async def test_the_order_is_model_then_endpoint_then_the_callers_own_keys(corner: Corner, people: People) -> None:
    """INFRA-1: the alias's models in order, endpoints by priority, keys of the user, the business, everybody."""
    ann = await people.user()
    assert ann.business_id is not None
    async with corner.service() as service:
        businesses = await service._writer()
        slug = next(b.slug for b in await businesses._accounts.businesses() if b.id == ann.business_id)
    await corner.endpoint("first", priority=1)
    await corner.second_model("small")
    await corner.key("a-everybody")
    await corner.key("b-business", assignments=[{"business": slug}])
    await corner.key("c-user", assignments=[{"business": slug, "user": "ann"}])
    async with corner.service() as service:
        await service.set_alias(corner.vendor, [f"{corner.vendor}/small", corner.model])
    corner.registry.forget()
    found = [(w.card.name, w.endpoint, w.key.partition("/")[2]) for w in await corner.ways(corner.vendor, calling(ann))]
    keys = ["c-user", "b-business", "a-everybody"]
    assert found == [(m, e, k) for m in ("small", "big") for e in ("first", "main") for k in keys]
    bob = await people.user(ann.business_id, "bob")
    assert await corner.keys(calling(bob)) == ["b-business", "a-everybody"] * 2
    assert await corner.keys(calling(await people.user())) == ["a-everybody"] * 2
    assert await corner.keys() == ["a-everybody"] * 2


async def test_a_key_of_others_is_never_handed_out(corner: Corner, people: People) -> None:
    """INFRA-1, SEC-1: nobody calls with a key that is assigned to another business or user."""
    ann = await people.user()
    async with corner.service() as service:
        businesses = await service._writer()
        slug = next(b.slug for b in await businesses._accounts.businesses() if b.id == ann.business_id)
    await corner.key(assignments=[{"business": slug, "user": "ann"}])
    assert await corner.keys(calling(ann)) == ["main"]
    for stranger in (await people.user(), await people.user(ann.business_id, "bob")):
        with pytest.raises(NoModelAvailableError, match="is for other businesses or users"):
            await corner.ways(caller=calling(stranger))


@pytest.mark.parametrize(
    ("kind", "path", "why"),
    [("vendor", (), "is disabled"), ("model", ("big",), "the model is disabled"), ("key", ("main",), "is disabled")],
)
async def test_what_is_disabled_is_no_way(corner: Corner, kind: str, path: tuple[str, ...], why: str) -> None:
    """INFRA-1: enable and disable each; the error says what is."""
    await corner.key()
    await corner.change(kind, *path, enabled=False)
    with pytest.raises(NoModelAvailableError, match=why):
        await corner.ways()
    await corner.change(kind, *path, enabled=True)
    assert await corner.keys() == ["main"]


async def test_an_endpoint_serves_its_category_and_its_key(corner: Corner) -> None:
    """INFRA-1: endpoints by model type; a key that only one region takes goes there alone."""
    await corner.endpoint("pictures", category="text_to_image", priority=1)
    await corner.endpoint("abroad", priority=2)
    await corner.key("home", endpoint="main")
    await corner.key("abroad", endpoint="abroad")
    assert [(w.endpoint, w.key.partition("/")[2]) for w in await corner.ways()] == [
        ("abroad", "abroad"),
        ("main", "home"),
    ]
    await corner.change("endpoint", "abroad", enabled=False)
    assert await corner.keys() == ["home"]
    await corner.change("endpoint", "main", category="embedding")
    with pytest.raises(NoModelAvailableError, match="no enabled endpoint takes text"):
        await corner.ways()


async def test_without_a_key_it_says_how_to_add_one(corner: Corner) -> None:
    """INFRA-1: the error names what is missing and the command that adds it."""
    with pytest.raises(NoModelAvailableError, match=f"weft infra keys add {corner.vendor}/main"):
        await corner.ways()
    await corner.change("vendor", needs_key=False)
    (way,) = await corner.ways()
    assert (way.key, way.target.api_key) == (f"{corner.vendor}/-", "")


async def test_unknown_names_are_told_with_the_known_ones(corner: Corner) -> None:
    """INFRA-1: an alias or model that is not there."""
    with pytest.raises(ModelUnknownError, match="no alias or model is called 'nobody\ufffd'"):
        await corner.ways("nobody\x00")


@pytest.mark.parametrize("name", ["deepseek-3.2", "DeepSeek-3.2", "deepseek/deepseek-3.2", " deepseek-3.2 "])
async def test_deepseek_3_2_is_not_a_name(corner: Corner, name: str) -> None:
    """LED-9: the model name is deepseek-chat."""
    with pytest.raises(NotAModelNameError, match="the model name is 'deepseek-chat'"):
        await corner.ways(name)


async def test_the_price_is_that_of_the_day_and_the_currency(corner: Corner) -> None:
    """LED-8: prices have dates, and no exchange rate is ever applied."""
    tomorrow = date.today() + timedelta(days=2)  # noqa: DTZ011 - two days on, it is tomorrow in every zone
    await corner.key()
    for valid_from, rate in (("2026-01-01", "1"), ("2026-03-06", "2"), (tomorrow.isoformat(), "9")):
        await corner.price(valid_from=valid_from, input=rate)
    (way,) = await corner.ways()
    assert way.price is not None
    assert way.price.input == 2
    (abroad,) = await corner.ways(caller=Caller(currency="USD"))
    assert abroad.price is None


async def test_a_key_that_does_not_open_is_passed_over_and_told_where_it_is_the_last(corner: Corner) -> None:
    """SEC-3: a key of a lost secret: others still serve; alone, it is the operator's error that names it."""
    await corner.key("lost")
    other = InfraRegistry(corner.database, Keyring(["another installation's secret"]))
    with pytest.raises(SecretKeyError, match=f"vendor key {corner.vendor}/lost was encrypted under the secret"):
        await other.candidates(corner.model, Caller(currency="CNY"))
    both = Keyring(["another installation's secret"])
    corner.keyring = both
    await corner.key("found")
    other.forget()
    assert [way.key for way in await other.candidates(corner.model, Caller(currency="CNY"))] == [
        f"{corner.vendor}/found"
    ]


async def test_rows_swapped_in_the_database_open_nothing(corner: Corner) -> None:
    """SEC-3: who can write the table, and not the secret, cannot make one key stand for another."""
    await corner.key("one", secret="sk-secret-number-one")
    await corner.key("two", secret="sk-secret-number-two")
    from sqlalchemy import text

    from tests.people import OPERATOR
    from weft.kit.actor import Reach

    async with corner.database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        await tx.connection.execute(
            text(
                "UPDATE vendor_keys SET secret = (SELECT o.secret FROM vendor_keys o WHERE o.vendor_id ="
                " vendor_keys.vendor_id AND o.id <> vendor_keys.id) WHERE vendor_id ="
                " (SELECT id FROM vendors WHERE name = :name)"
            ),
            {"name": corner.vendor},
        )
    corner.registry.forget()
    with pytest.raises(SecretKeyError, match="was changed, cut or moved"):
        await corner.ways()


async def test_a_change_is_heard_by_every_process(corner: Corner) -> None:
    """INFRA-1: LISTEN/NOTIFY replaces the snapshot; without it, age does."""
    await corner.key()
    async with Listener(corner.database.url) as listener, listener.hearing(CHANNEL, corner.registry.forget):
        assert await corner.keys() == ["main"]
        async with corner.service() as service:
            await service.remove("key", await service.identity("key", (corner.vendor, "main")))
        for _ in range(100):
            await asyncio.sleep(0.02)
            if corner.registry._snapshot is None:
                break
        with pytest.raises(NoModelAvailableError):
            await corner.ways()
    aged = InfraRegistry(corner.database, corner.keyring, oldest=timedelta(0))
    with pytest.raises(NoModelAvailableError):
        await aged.candidates(corner.model, Caller(currency="CNY"))


async def test_what_was_added_a_moment_ago_is_found_without_being_told(corner: Corner) -> None:
    """INFRA-1: before a name is called unknown, the tables are looked at again."""
    await corner.registry.models()
    await asyncio.sleep(0.6)
    async with corner.service() as service:
        await service.add_vendor(VendorWish(name=f"{corner.vendor}-2", title="Acme", needs_key=False))
        await service.set_alias(f"{corner.vendor}-alias", [corner.model])
    with pytest.raises(NoModelAvailableError):
        await corner.ways(f"{corner.vendor}-alias")
