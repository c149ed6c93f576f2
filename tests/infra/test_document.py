"""Export and import: everything but the secrets, there and back, all or nothing."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.people import OPERATOR, People
from weft.infra.errors import InfraInvalidError
from weft.infra.items import plain
from weft.infra.schemas import KeyWish
from weft.infra.service import InfraService
from weft.infra.shapes import Document
from weft.infra.yaml_text import read_document, write_document
from weft.kit.actor import Reach
from weft.kit.crypto import Keyring
from weft.kit.db import Database

RING = Keyring(["the secret of one test's installation"])
names = st.from_regex(r"[a-z0-9]{1,8}([._-][a-z0-9]{1,8})?", fullmatch=True)
models = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,20}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=30)
categories = st.sampled_from(["text", "reasoning", "embedding", "multimodal", "text_to_image", "speech"])
rates = st.decimals(0, 10_000, places=6).map(str)
counts = st.integers(1, 10**6)
prices = st.fixed_dictionaries(
    {"currency": st.sampled_from(["CNY", "USD"]), "valid_from": st.dates().map(str), "source": texts, "input": rates},
    optional={"cached_input": rates, "output": rates, "per_image": rates},
)
model = st.fixed_dictionaries(
    {"context_window": counts},
    optional={
        "category": categories,
        "version": texts,
        "max_output": st.none() | counts,
        "abilities": st.fixed_dictionaries({}, optional={"vision": st.booleans(), "cache_unit": st.integers(1, 999)}),
        "structure": st.none() | st.dictionaries(texts, st.none() | st.integers(-5, 5) | texts, max_size=3),
        "enabled": st.booleans(),
        "prices": st.lists(prices, max_size=3, unique_by=lambda p: (p["currency"], p["valid_from"])),
    },
)
endpoint = st.fixed_dictionaries(
    {"base_url": st.sampled_from(["", "https://a.example/v1", "http://127.0.0.1:1/x"])},
    optional={"region": st.none() | texts, "category": st.none() | categories, "priority": st.integers(0, 10_000)},
)
key = st.fixed_dictionaries(
    {}, optional={"requests_per_day": st.none() | counts, "tokens_per_day": counts, "enabled": st.booleans()}
)
vendor = st.fixed_dictionaries(
    {"title": texts, "lane": st.sampled_from(["openai_compatible", "litellm"])},
    optional={
        "needs_key": st.booleans(),
        "endpoints": st.dictionaries(names, endpoint, max_size=3),
        "models": st.dictionaries(models, model, max_size=3),
        "keys": st.dictionaries(names, key, max_size=2),
    },
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    vendors = draw(st.dictionaries(names, vendor, max_size=3))
    known = [f"{v}/{m}" for v, shape in vendors.items() for m in shape.get("models", {})]
    chains = st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True) if known else None
    aliases = draw(st.dictionaries(names, chains, max_size=2)) if chains is not None else {}
    return Document.model_validate({"vendors": vendors, "aliases": aliases})


@given(document=documents())
def test_yaml_says_what_the_document_says(document: Document) -> None:
    """INFRA-1: written as YAML and read again, a document is the same."""
    again = read_document(write_document(document), "a test")
    assert again.model_dump() == document.model_dump()
    assert again.model_dump(exclude_unset=True) == {"version": 1, **document.model_dump(exclude_unset=True)}


@pytest.fixture(scope="module")
async def empty(new_database: Any) -> AsyncIterator[Database]:
    database = Database(await new_database("documents"), pool_size=4)
    yield database
    await database.close()


class _UndoError(Exception):
    """Ends a transaction without a trace."""


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(document=documents())
async def test_what_was_imported_is_exported_and_comes_back(empty: Database, document: Document) -> None:
    """INFRA-1: import, export, import again: nothing is lost, nothing is added, and the second time nothing changes."""
    with pytest.raises(_UndoError):
        async with empty.transaction(OPERATOR, Reach.INSTALLATION) as tx:
            service = InfraService(tx, RING)
            await service.import_document(document)
            exported = await service.export()
            assert plain(_whole(document)) == plain(_whole(exported))
            await service.import_document(read_document(write_document(exported), "the export"))
            assert plain(_whole(await service.export())) == plain(_whole(exported))
            raise _UndoError


def _whole(document: Document) -> dict[str, Any]:
    """With every default, and prices in one order."""
    raw = document.model_dump()
    for shape in raw["vendors"].values():
        for each in shape["models"].values():
            each["prices"].sort(key=lambda price: (price["currency"], price["valid_from"]))
    return raw


async def test_an_export_holds_no_secret_and_an_imported_key_waits_for_its_own(empty: Database, people: People) -> None:
    """SEC-3: keys leave without what they are, and are of no use until they are given it again."""
    document = Document.model_validate(
        {"vendors": {"acme": {"title": "Acme", "keys": {"main": {"requests_per_day": 5}}}}}
    )
    async with empty.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        service = InfraService(tx, RING)
        await service.import_document(document)
        (waiting,) = await service.keys()
        assert (waiting.key_id, waiting.last_four) == (None, "")
        await service.add_key(KeyWish(vendor="acme", name="other", secret="sk-canary-0123456789abcdef"))
        assert "canary" not in write_document(await service.export())
        await service.remove("vendor", await service.identity("vendor", ("acme",)))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("vendors: {acme: {title: Acme, lane: smoke}}", r"vendors\.acme\.lane: .*\(found 'smoke'\)"),
        (
            "vendors: {acme: {title: A, models: {m: {context_window: -3}}}}",
            r"models\.m\.context_window: .*\(found -3\)",
        ),
        (
            "vendors: {acme: {title: A, models: {deepseek-3.2: {context_window: 1}}}}",
            "the model name is 'deepseek-chat'",
        ),
        ("aliases: {deepseek-3.2: [a/b]}", "the model name is 'deepseek-chat'"),
        ("vendors: {acme: {title: A, keys: {k: {secret: sk-canary}}}}", r"keys\.k\.secret: "),
        (
            "vendors: {acme: {title: A, endpoints: {e: {base_url: 'https://u:canary@x.example'}}}}",
            r"endpoints\.e\.base_url",
        ),
        ("vendors: {a: &x {title: A}, b: *x}", "aliases .* are not read here .*line 1"),
        ("vendors: {a: {title: A}, a: {title: B}}", "'a' stands here twice"),
        ("vendors: [", "not YAML"),
        ("version: 2", r"version: .*\(found 2\)"),
        ("- 1", "document"),
        ("{" * 400, "nested more than 20 levels|not YAML"),
        ("vendors: {a: {title: A, models: {m: {context_window: 2026-13-99}}}}", r"context_window|YAML"),
    ],
)
def test_a_wrong_file_is_told_by_path_and_value(text: str, told: str) -> None:
    """INFRA-1, LED-9: the path, the value, what would be right; never a secret."""
    with pytest.raises(InfraInvalidError, match=told) as caught:
        read_document(text, "x.yaml")
    assert "canary" not in caught.value.detail


@pytest.mark.parametrize(
    "wrong",
    [
        {"aliases": {"mine": ["acme/nothing"]}},
        {"vendors": {"acme": {"title": "A", "keys": {"k": {"endpoint": "nowhere"}}}}},
        {"vendors": {"acme": {"title": "A", "keys": {"k": {"assignments": [{"business": "nobody"}]}}}}},
    ],
)
async def test_one_wrong_thing_and_nothing_is_imported(empty: Database, wrong: dict[str, Any]) -> None:
    """INFRA-1: an import is all or nothing, and says where it is wrong."""
    good = {"vendors": {"good": {"title": "Good", "models": {"m": {"context_window": 1}}}}}
    document = Document.model_validate(
        {"vendors": {**good["vendors"], **wrong.get("vendors", {})}, "aliases": wrong.get("aliases", {})}
    )
    with pytest.raises(InfraInvalidError, match=r"nothing|nowhere|nobody"):
        async with empty.transaction(OPERATOR, Reach.INSTALLATION) as tx:
            await InfraService(tx, RING).import_document(document)
    async with empty.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        assert (await InfraService(tx, RING).export()).vendors == {}
