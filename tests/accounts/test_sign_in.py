"""The console's sign-in: an operator key for a short-lived cookie that no script can read."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from http.cookies import SimpleCookie
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from tests.clients import KEYS_URL, Keys, bearer, client_of
from weft.accounts.authentication import SESSION_HOURS
from weft.accounts.roles import Role
from weft.kit import clock

SESSION = "/api/operator/session"


@pytest.fixture
async def browser(keys: Keys) -> AsyncIterator[httpx.AsyncClient]:
    """A client that keeps cookies and says where it comes from, as browsers do."""
    async with client_of(keys.app, KEYS_URL, headers={"origin": KEYS_URL}) as client:
        yield client


def cookie_of(answer: httpx.Response) -> Any:
    return SimpleCookie(answer.headers["set-cookie"])["weft_operator"]


async def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites(keys: Keys, browser: httpx.AsyncClient) -> None:
    """SEC-2: a short-lived, http-only cookie."""
    answer = await browser.post(SESSION, json={"key": await keys.operator(Role.ADMIN)})
    cookie = cookie_of(answer)
    assert (cookie["httponly"], cookie["samesite"], cookie["secure"], cookie["path"]) == (True, "strict", True, "/")
    assert int(cookie["max-age"]) == SESSION_HOURS * 3600
    told = answer.json()
    assert (told["name"], told["role"]) == ("Op", "admin")
    left = datetime.fromisoformat(told["expires_at"]) - clock.now()
    assert timedelta(0) < timedelta(hours=SESSION_HOURS) - left < timedelta(minutes=1)


async def test_without_tls_the_cookie_is_sent_all_the_same(keys: Keys) -> None:
    """A console on this machine, or behind a proxy that does not say so, has no https."""
    async with client_of(keys.app, "http://127.0.0.1:8700") as client:
        answer = await client.post(SESSION, json={"key": await keys.operator()})
    assert not cookie_of(answer)["secure"]


async def test_whoever_is_signed_in_acts_as_the_operator(keys: Keys, browser: httpx.AsyncClient) -> None:
    """SEC-2: operators sign in to the console."""
    business = await keys.business()
    assert (await browser.get("/api/keys")).status_code == 401
    await browser.post(SESSION, json={"key": await keys.operator(Role.ADMIN, business)})
    assert (await browser.get("/api/keys")).json()["items"] == []
    assert (await browser.post("/api/keys", json={"name": "web"})).status_code == 201
    assert [key["business"] for key in (await browser.get("/api/keys")).json()["items"]] == [business]
    assert (await browser.get("/api/operators")).status_code == 403


async def test_the_cookie_serves_no_other_origin(keys: Keys, browser: httpx.AsyncClient) -> None:
    """SEC-2: a page elsewhere cannot act with it."""
    await browser.post(SESSION, json={"key": await keys.operator()})
    elsewhere = {"origin": "https://evil.example"}
    assert (await browser.post("/api/keys", json={"name": "x"}, headers=elsewhere)).status_code == 403
    assert (await browser.delete(SESSION, headers=elsewhere)).status_code == 403


async def test_who_signs_out_is_out(keys: Keys, browser: httpx.AsyncClient) -> None:
    """SEC-2: the session ends in the database, not only in the browser."""
    answer = await browser.post(SESSION, json={"key": await keys.operator()})
    kept = {"cookie": f"weft_operator={answer.cookies['weft_operator']}"}
    assert (await browser.get("/api/keys")).status_code == 200
    out = await browser.delete(SESSION)
    assert (out.status_code, int(cookie_of(out)["max-age"])) == (204, 0)
    assert (await browser.get("/api/keys")).status_code == 401
    assert (await browser.get("/api/keys", headers=kept)).status_code == 401
    assert (await browser.delete(SESSION)).status_code == 204


async def test_a_session_ends_with_its_operator(keys: Keys, browser: httpx.AsyncClient) -> None:
    """SEC-2: a revoked operator's console sessions end on the next call."""
    owner = bearer(await keys.operator())
    await browser.post(SESSION, json={"key": await keys.operator(Role.ADMIN)})
    assert (await browser.get("/api/keys")).status_code == 200
    admin = (await browser.get("/api/operators", headers=owner)).json()["items"][0]
    assert admin["role"] == "admin"
    assert (await browser.delete(f"/api/operators/{admin['id']}", headers=owner)).status_code == 204
    assert (await browser.get("/api/keys")).status_code == 401


async def test_a_session_expires_by_the_servers_clock(
    keys: Keys, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SEC-2: short-lived, whatever the browser keeps; and what has ended is cleared away."""
    key, past = await keys.operator(), clock.now() - timedelta(hours=SESSION_HOURS, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: past)
    answer = await browser.post(SESSION, json={"key": key})
    monkeypatch.undo()
    kept = {"cookie": f"weft_operator={answer.cookies['weft_operator']}"}
    assert (await browser.get("/api/keys", headers=kept)).status_code == 401
    await browser.post(SESSION, json={"key": key})
    async with keys.database.system() as tx:
        ended = text("SELECT count(*) FROM operator_sessions WHERE expires_at < now()")
        assert await tx.connection.scalar(ended) == 0


async def test_only_an_operators_key_signs_in(keys: Keys, browser: httpx.AsyncClient) -> None:
    """SEC-2: neither a business's key, nor a cookie, nor a guess."""
    signed_in = await browser.post(SESSION, json={"key": await keys.operator()})
    for key in (await keys.key(), signed_in.cookies["weft_operator"], "weft_op_00000000_guess", "\ud800", "\x00"):
        content = (
            {"content": f'{{"key":"{key}"}}'.encode("utf-8", "surrogatepass")}
            if key == "\ud800"
            else {"json": {"key": key}}
        )
        answer = await browser.post(SESSION, headers={"content-type": "application/json"}, **content)
        assert answer.status_code in (401, 422)
        assert "set-cookie" not in answer.headers


async def test_a_cookie_is_no_key(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-2: what a browser holds opens the console only."""
    signed_in = await anyone.post(SESSION, json={"key": await keys.operator()})
    anyone.cookies.clear()
    headers = bearer(signed_in.cookies["weft_operator"], "ann")
    assert (await anyone.get("/api/keys", headers=headers)).status_code == 401


async def test_a_local_installation_has_no_sign_in(local: httpx.AsyncClient) -> None:
    """DESIGN 7: WEFT_AUTH=local: one user, who is the operator too."""
    for answer in (await local.post(SESSION, json={"key": "x"}), await local.delete(SESSION)):
        assert (answer.status_code, answer.json()["code"]) == (409, "conflict")


async def test_the_local_user_is_user_and_operator_at_once(local: httpx.AsyncClient) -> None:
    """DESIGN 7, SEC-2: the local single-user default needs no key."""
    first, second = (await local.get("/api/profile")).json(), (await local.get("/api/profile")).json()
    assert first["user_id"] == second["user_id"]
    for path in ("/api/sessions", "/api/usage", "/api/keys", "/api/operators", "/api/businesses"):
        assert (await local.get(path)).status_code == 200
