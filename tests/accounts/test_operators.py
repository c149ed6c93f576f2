"""Operators: persons of a business, or of the installation, with a role."""

from itertools import product
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.clients import Keys, bearer
from tests.people import OPERATOR
from weft.accounts.roles import RIGHTS, Role
from weft.accounts.schemas import OperatorWish
from weft.accounts.service import AccountService
from weft.kit.actor import Actor, Reach, Right
from weft.kit.errors import ForbiddenError

GUARDED = {
    "/api/sessions": Right.SESSIONS,
    "/api/usage": Right.USAGE,
    "/api/keys": Right.KEYS,
    "/api/businesses": Right.KEYS,
    "/api/operators": Right.OPERATORS,
}


async def listed(client: httpx.AsyncClient, path: str, key: str) -> list[dict[str, Any]]:
    """The whole list, page by page."""
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        options = {"limit": 100} | ({"cursor": cursor} if cursor else {})
        page = (await client.get(path, params=options, headers=bearer(key))).json()
        found += page["items"]
        if (cursor := page["next_cursor"]) is None:
            return found


@pytest.mark.parametrize(("role", "path"), list(product(Role, GUARDED)))
async def test_a_role_opens_what_its_rights_name(keys: Keys, anyone: httpx.AsyncClient, role: Role, path: str) -> None:
    """SEC-2: operators have roles."""
    answer = await anyone.get(path, headers=bearer(await keys.operator(role)))
    assert answer.status_code == (200 if GUARDED[path] in RIGHTS[role] else 403)


async def test_an_operator_of_a_business_sees_its_keys_and_operators_only(
    keys: Keys, anyone: httpx.AsyncClient
) -> None:
    """SEC-1, SEC-2: an operator's reach ends where the business does."""
    ours, theirs = await keys.business(), await keys.business()
    for business in (ours, theirs):
        await keys.key(business)
    mine, _, of_all = await keys.operator(business=ours), await keys.operator(business=theirs), await keys.operator()
    for path in ("/api/keys", "/api/operators"):
        assert {item["business"] for item in await listed(anyone, path, mine)} == {ours}
        assert {item["business"] for item in await listed(anyone, path, of_all)} >= {ours, theirs}
    assert [item["slug"] for item in await listed(anyone, "/api/businesses", mine)] == [ours]
    assert {item["slug"] for item in await listed(anyone, "/api/businesses", of_all)} >= {ours, theirs}


async def test_what_is_beyond_reach_answers_like_what_does_not_exist(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-1: another tenant's key, operator or slug is not there."""
    theirs = await keys.business()
    await keys.key(theirs)
    await keys.operator(business=theirs)
    mine, of_all = bearer(await keys.operator(business=await keys.business())), await keys.operator()
    for path in ("/api/keys", "/api/operators"):
        there = next(item["id"] for item in await listed(anyone, path, of_all) if item["business"] == theirs)
        for identity in (there, str(uuid4())):
            answer = await anyone.delete(f"{path}/{identity}", headers=mine)
            assert answer.status_code == 404
            assert answer.json()["detail"].replace(identity, "") == answer.json()["detail"].partition(identity)[0]
    for slug in (theirs, f"b{uuid4().hex}"):
        for path, wish in (("/api/keys", {"name": "x"}), ("/api/operators", {"name": "x", "role": "viewer"})):
            answer = await anyone.post(path, json=wish | {"business": slug}, headers=mine)
            assert (answer.status_code, answer.json()["code"]) == (404, "business_unknown")


async def test_who_an_operator_of_a_business_makes_is_of_that_business(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-2: leaving the business out makes nobody an operator of the installation."""
    ours = await keys.business()
    mine = await keys.operator(business=ours)
    made = await anyone.post("/api/operators", json={"name": "新人", "role": "owner"}, headers=bearer(mine))
    assert made.status_code == 201
    assert {item["business"] for item in await listed(anyone, "/api/operators", made.json()["key"])} == {ours}
    key = await anyone.post("/api/keys", json={"name": "web"}, headers=bearer(mine))
    assert key.status_code == 201
    assert (await anyone.get("/api/profile", headers=bearer(key.json()["key"], "ann"))).status_code == 200


@pytest.mark.parametrize("role", list(Role))
async def test_nobody_makes_an_operator_with_more_rights_than_their_own(keys: Keys, role: Role) -> None:
    """SEC-2: rights are handed down, never up."""
    maker = Actor("operator:x", RIGHTS[Role.REVIEWER] | {Right.OPERATORS}, operator_reach=Reach.INSTALLATION)
    async with keys.database.transaction(maker, Reach.INSTALLATION) as tx:
        wish = OperatorWish(name="x", role=role)
        if RIGHTS[role] <= maker.rights:
            assert (await AccountService(tx).add_operator(wish)).key
        else:
            with pytest.raises(ForbiddenError, match="more rights"):
                await AccountService(tx).add_operator(wish)


async def test_only_an_owner_makes_operators(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-2: not even an administrator."""
    for role in set(Role) - {Role.OWNER}:
        headers = bearer(await keys.operator(role))
        answer = await anyone.post("/api/operators", json={"name": "x", "role": "viewer"}, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


async def test_a_revoked_operator_is_refused_on_the_next_call(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-2: operators' keys are revocable too."""
    key, owner = await keys.operator(Role.VIEWER), await keys.operator()
    assert (await anyone.get("/api/usage", headers=bearer(key))).status_code == 200
    found = next(item for item in await listed(anyone, "/api/operators", owner) if item["prefix"] in key)
    assert (await anyone.delete(f"/api/operators/{found['id']}", headers=bearer(owner))).status_code == 204
    assert (await anyone.get("/api/usage", headers=bearer(key))).status_code == 401


async def test_no_list_shows_a_key_or_its_hash(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-2: a key is shown once, when it is made."""
    business = await keys.business()
    key, operator = await keys.key(business), await keys.operator(business=business)
    for path, names in (("/api/keys", KEY_FIELDS), ("/api/operators", OPERATOR_FIELDS)):
        (item,) = await listed(anyone, path, operator)
        assert set(item) == names
        assert key not in str(item)
        assert operator not in str(item)


KEY_FIELDS = {
    "id",
    "business",
    "name",
    "prefix",
    "rights",
    "rate_per_minute",
    "created_at",
    "expires_at",
    "revoked_at",
}
OPERATOR_FIELDS = {"id", "business", "name", "role", "prefix", "created_at", "revoked_at"}


@pytest.mark.parametrize(
    ("path", "wish", "field"),
    [
        ("/api/businesses", {"slug": "Acme", "name": "x"}, "slug"),
        ("/api/businesses", {"slug": "-", "name": "x"}, "slug"),
        ("/api/businesses", {"slug": "a" * 65, "name": "x"}, "slug"),
        ("/api/businesses", {"slug": "acme", "name": "a\x00b"}, "name"),
        ("/api/keys", {"business": "acme", "name": ""}, "name"),
        ("/api/keys", {"business": "acme", "name": "x", "rate_per_minute": 0}, "rate_per_minute"),
        ("/api/keys", {"business": "acme", "name": "x", "rights": []}, "rights"),
        ("/api/keys", {"business": "acme", "name": "x", "rights": ["everything"]}, "rights.0"),
        ("/api/keys", {"business": "acme", "name": "x", "rights": ["keys"]}, "rights"),
        ("/api/keys", {"business": "acme", "name": "x", "expires_at": "2099-01-01T00:00:00"}, "expires_at"),
        ("/api/operators", {"name": "x", "role": "king"}, "role"),
        ("/api/operators", {"name": "x", "role": "owner", "admin": True}, "admin"),
    ],
)
async def test_a_wish_that_is_not_valid_makes_nothing(
    keys: Keys, anyone: httpx.AsyncClient, path: str, wish: dict[str, Any], field: str
) -> None:
    """Issue 1, bad input: a clear error and an unchanged database."""
    business = await keys.business()
    operator = await keys.operator(business=None if path == "/api/businesses" else business)
    before = await listed(anyone, path, operator)
    wish = wish | ({"business": business} if "business" in wish else {})
    answer = await anyone.post(path, json=wish, headers=bearer(operator))
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert await listed(anyone, path, operator) == before


async def test_lists_come_in_pages_newest_first(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """DESIGN 7: lists page by cursor."""
    business = await keys.business()
    operator = bearer(await keys.operator(business=business))
    made = [await keys.key(business) for _ in range(5)]
    shown, cursor = [], None
    while cursor or not shown:
        page = await anyone.get(
            "/api/keys", params={"limit": 2, "cursor": cursor} if cursor else {"limit": 2}, headers=operator
        )
        shown += [item["prefix"] for item in page.json()["items"]]
        cursor = page.json()["next_cursor"]
    assert shown == [key.split("_")[2] for key in reversed(made)]


def test_the_command_line_reaches_the_whole_installation() -> None:
    """SEC-2: whoever has the machine and the database's address has it all anyway."""
    assert (OPERATOR.operator_reach, OPERATOR.rights) == (Reach.INSTALLATION, frozenset(Right))
