"""`/api/infra` as operators see it, and as nobody else does."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.clients import KEYS_URL, LOCAL_URL, Keys, application, bearer, client_of
from tests.infra.conftest import Corner
from weft.accounts.roles import Role
from weft.kit.ids import new_id

LISTS = ("vendors", "endpoints", "keys", "models", "prices", "aliases", "catalogue", "export")


@pytest.fixture
async def client(corner: Corner) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(await application(corner.database), LOCAL_URL) as client:
        yield client


async def test_a_vendor_is_set_up_changed_and_taken_away(client: httpx.AsyncClient) -> None:
    """INFRA-1: everything a vendor needs, by API."""
    name = f"v{new_id().hex}"
    vendor = (await client.post("/api/infra/vendors", json={"name": name, "title": "Acme"})).json()
    url = "https://acme.example/v1"
    await client.post("/api/infra/endpoints", json={"vendor": name, "name": "main", "base_url": url})
    wish: dict[str, Any] = {"vendor": name, "name": "Big/one", "context_window": 9, "category": "embedding"}
    model = (await client.post("/api/infra/models", json=wish)).json()
    price = {
        "model": f"{name}/Big/one",
        "currency": "CNY",
        "valid_from": "2026-03-06",
        "source": "a page",
        "input": "0.2",
    }
    for rate in ("0.2", "0.3"):
        answer = await client.put("/api/infra/prices", json=price | {"input": rate})
        assert (answer.status_code, float(answer.json()["input"])) == (200, float(rate))
    alias = await client.put(f"/api/infra/aliases/{name}", json={"models": [f"{name}/Big/one"]})
    assert alias.json() == {"name": name, "models": [f"{name}/Big/one"]}
    patch = {"abilities": {"vision": True}, "max_output": 5}
    assert (await client.patch(f"/api/infra/models/{model['id']}", json=patch)).status_code == 204
    shape = (await client.get("/api/infra/export")).json()["vendors"][name]["models"]["Big/one"]
    assert (shape["abilities"]["vision"], shape["max_output"], len(shape["prices"])) == (True, 5, 1)
    refused = await client.delete(f"/api/infra/vendors/{vendor['id']}")
    assert (refused.status_code, refused.json()["code"]) == (409, "infra_in_use")
    assert (await client.delete(f"/api/infra/aliases/{name}")).status_code == 204
    assert (await client.delete(f"/api/infra/vendors/{vendor['id']}")).status_code == 204
    assert name not in (await client.get("/api/infra/export")).json()["vendors"]


async def test_bad_input_changes_nothing(client: httpx.AsyncClient, corner: Corner) -> None:
    """House: what is refused leaves the tables as they were."""
    before = (await client.get("/api/infra/export")).json()["vendors"][corner.vendor]
    for body in (
        {"models": ["nobody/nothing"]},
        {"models": [corner.model, corner.model]},
        {"models": []},
    ):
        assert (await client.put("/api/infra/aliases/mine", json=body)).status_code == 422
    refused = await client.put("/api/infra/aliases/deepseek-3.2", json={"models": [corner.model]})
    assert refused.status_code == 422
    assert "the model name is 'deepseek-chat'" in refused.json()["detail"]
    document = {"vendors": {corner.vendor: {"title": "Other"}, "x": {"title": "X", "lane": "smoke"}}}
    assert (await client.post("/api/infra/import", json=document)).status_code == 422
    assert (await client.post("/api/infra/vendors", json={"name": corner.vendor, "title": "Again"})).status_code == 409
    assert (await client.get("/api/infra/export")).json()["vendors"][corner.vendor] == before


async def test_lists_page_by_cursor(client: httpx.AsyncClient, corner: Corner) -> None:
    """House: every list pages, and together the pages are the whole."""
    for name in ("a", "b", "c"):
        await corner.second_model(name)
    seen: list[str] = []
    cursor = None
    while True:
        page = (
            await client.get("/api/infra/models", params={"limit": 2} | ({"cursor": cursor} if cursor else {}))
        ).json()
        seen += [each["name"] for each in page["items"] if each["vendor"] == corner.vendor]
        if (cursor := page.get("next_cursor")) is None:
            break
    assert seen == ["a", "b", "big", "c"]


@pytest.mark.parametrize("what", LISTS)
async def test_only_operators_of_the_installation_see_it(corner: Corner, what: str) -> None:
    """INFRA-1, SEC-1: neither a business key, nor an operator of one business, nor a viewer."""
    app = await application(corner.database, auth="keys")
    keys = Keys(app, corner.database)
    slug = await keys.business()
    async with client_of(app, KEYS_URL) as client:
        for shown in (
            bearer(await keys.key(slug), "ann"),
            bearer(await keys.operator(Role.OWNER, slug)),
            bearer(await keys.operator(Role.VIEWER)),
        ):
            assert (await client.get(f"/api/infra/{what}", headers=shown)).status_code == 403
        assert (await client.get(f"/api/infra/{what}")).status_code == 401
        owner = bearer(await keys.operator(Role.OWNER))
        assert (await client.get(f"/api/infra/{what}", headers=owner)).status_code == 200
