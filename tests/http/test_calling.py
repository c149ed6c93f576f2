"""Who calls, what they may reach, and the one transaction that is over before the answer leaves."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.clients import LOCAL_URL, Keys, application, bearer, client_of
from weft.kit.db import Database

SESSION_CALLS = [
    ("GET", "/api/sessions/{id}"),
    ("GET", "/api/sessions/{id}/messages"),
    ("GET", "/api/sessions/{id}/usage"),
    ("DELETE", "/api/sessions/{id}"),
]


async def begin(client: httpx.AsyncClient, headers: dict[str, Any]) -> str:
    answer = await client.post("/api/sessions", headers=headers)
    assert answer.status_code == 201
    return str(answer.json()["id"])


def told(answer: httpx.Response, session_id: str) -> tuple[int, dict[str, Any], dict[str, str]]:
    """All that a caller can see of an answer, but for the ids they have themselves."""
    body = answer.json()
    body["detail"] = body["detail"].replace(session_id, "ID")
    del body["request_id"]
    headers = {name: value for name, value in answer.headers.items() if name != "x-request-id"}
    return answer.status_code, body, headers


@pytest.mark.parametrize(("method", "path"), SESSION_CALLS)
@pytest.mark.parametrize("same_business", [True, False])
async def test_somebody_elses_session_answers_like_one_that_does_not_exist(
    keys: Keys, anyone: httpx.AsyncClient, method: str, path: str, same_business: bool
) -> None:
    """SEC-1: the same id in another tenant, or another user's, answers exactly like an id that does not exist."""
    anns = await keys.key()
    bobs = anns if same_business else await keys.key()
    theirs, nobodys = await begin(anyone, bearer(anns, "ann")), str(uuid4())
    found = await anyone.request(method, path.format(id=theirs), headers=bearer(bobs, "bob"))
    missing = await anyone.request(method, path.format(id=nobodys), headers=bearer(bobs, "bob"))
    assert found.status_code == 404
    assert told(found, theirs) == told(missing, nobodys)
    assert (await anyone.get(f"/api/sessions/{theirs}", headers=bearer(anns, "ann"))).status_code == 200


async def test_lists_and_sums_hold_the_callers_own_only(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-1: every service call is scoped by its actor."""
    key = await keys.key()
    own = await begin(anyone, bearer(key, "ann"))
    await begin(anyone, bearer(key, "bob"))
    page = (await anyone.get("/api/sessions", headers=bearer(key, "ann"))).json()
    assert [session["id"] for session in page["items"]] == [own]


async def test_an_operator_reads_what_the_business_has_and_nothing_beyond(
    keys: Keys, anyone: httpx.AsyncClient
) -> None:
    """SEC-1, SEC-2: an operator's reach is the business's, or the installation's."""
    ours, theirs = await keys.business(), await keys.business()
    mine = await begin(anyone, bearer(await keys.key(ours), "ann"))
    other = await begin(anyone, bearer(await keys.key(theirs), "ann"))
    of_ours, of_all = bearer(await keys.operator(business=ours)), bearer(await keys.operator())
    listed = (await anyone.get("/api/sessions", headers=of_ours)).json()["items"]
    assert [session["id"] for session in listed] == [mine]
    assert (await anyone.get(f"/api/sessions/{other}", headers=of_ours)).status_code == 404
    assert {(await anyone.get(f"/api/sessions/{id_}", headers=of_all)).status_code for id_ in (mine, other)} == {200}


async def test_an_operator_changes_no_users_rows(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """SEC-2: operators read; a session is begun and deleted on behalf of its user."""
    business = await keys.business()
    session = await begin(anyone, bearer(await keys.key(business), "ann"))
    operator = bearer(await keys.operator(business=business))
    assert (await anyone.delete(f"/api/sessions/{session}", headers=operator)).status_code == 403
    assert (await anyone.post("/api/sessions", headers=operator)).status_code == 403
    assert (await anyone.get("/api/profile", headers=operator)).status_code == 403


@pytest.mark.parametrize("path", ["/api/profile", "/api/sessions", "/api/usage"])
async def test_a_business_key_without_a_user_reads_nothing(keys: Keys, anyone: httpx.AsyncClient, path: str) -> None:
    """SEC-2: business keys act for their users; forgetting to name one is an error and not an empty list."""
    answer = await anyone.get(path, headers=bearer(await keys.key()))
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert "X-Weft-User" in answer.json()["detail"]


async def test_audit_rows_are_for_operators(keys: Keys, anyone: httpx.AsyncClient) -> None:
    """LED-4: audit rows are never shown to the user."""
    business = await keys.business()
    user = bearer(await keys.key(business), "ann")
    path = f"/api/sessions/{await begin(anyone, user)}/messages?audit=true"
    assert (await anyone.get(path, headers=user)).status_code == 403
    assert (await anyone.get(path, headers=bearer(await keys.operator(business=business)))).status_code == 200


async def test_the_transaction_is_committed_before_the_answer_leaves(database: Database) -> None:
    """Issue 1: one transaction per unit of work; who has an answer finds what it says."""
    app = await application(database)
    seen: list[int] = []

    async def watched(scope: Any, receive: Any, send: Any) -> None:
        async def look_then_send(message: Any) -> None:
            if message["type"] == "http.response.start" and scope["method"] == "PATCH":
                async with client_of(app, LOCAL_URL) as other:
                    seen.append((await other.get("/api/profile")).json()["bio"])
            await send(message)

        await app(scope, receive, look_then_send)

    async with client_of(watched, LOCAL_URL) as client:
        words = f"committed {uuid4()}"
        assert (await client.patch("/api/profile", json={"bio": words})).status_code == 200
    assert seen == [words]


async def test_an_error_leaves_the_database_as_it_was(local: httpx.AsyncClient) -> None:
    """Issue 1, bad input: a clear error and an unchanged database."""
    before = (await local.get("/api/profile")).json()
    wrong = {"bio": f"new {uuid4()}", "settings": {"preferences": {"timezone": "CST"}}}
    answer = await local.patch("/api/profile", json=wrong)
    assert (answer.status_code, answer.json()["field"]) == (422, "settings.preferences.timezone")
    assert (await local.get("/api/profile")).json() == before


async def test_an_error_after_the_work_rolls_it_back(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 1: an answer that cannot be made takes its work with it."""
    app = await application(database)
    async with client_of(app, LOCAL_URL) as client:
        before = [session["id"] for session in (await client.get("/api/sessions")).json()["items"]]
        monkeypatch.setattr("weft.sessions.endpoints.SessionService.create", _create_and_fail)
        assert (await client.post("/api/sessions")).status_code == 500
        assert [session["id"] for session in (await client.get("/api/sessions")).json()["items"]] == before


async def _create_and_fail(service: Any) -> Any:
    row = {"id": uuid4(), "business_id": service._tx.actor.business_id, "user_id": service._tx.actor.owner_id}
    billing = {"billing_currency": "CNY", "billing_country_snapshot": "CN"}
    await service._sessions.add(row | billing | {"state_snapshot": {"status": "pending"}})
    raise RuntimeError("after the work")


@pytest.mark.parametrize(
    "patch",
    [
        b'{"username":"\\ud800"}',
        b'{"bio":"a\\u0000"}',
        b'{"settings":{"privacy":{"\\udfff":1}}}',
        b'{"settings":{"privacy":{"a":NaN}}}',
        b'{"settings":{"privacy":{"a":1e400}}}',
        b'{"settings":{"privacy":{"a":' + b"[" * 40 + b"]" * 40 + b"}}}",
        b'{"birth_info":{"\\ud800":1}}',
        b'{"skill_data":{"bazi":NaN}}',
        b'{"extracted":[{"fact":"a","source":"b","confidence":NaN}]}',
        b'{"\\ud800":1}',
        b'{"username":["a"]}',
        b'{"settings":{"version":9}}',
    ],
)
async def test_text_and_numbers_that_cannot_be_kept_are_refused(local: httpx.AsyncClient, patch: bytes) -> None:
    """Issue 1, bad input: lone surrogates, NUL characters, what JSON has no number for."""
    before = (await local.get("/api/profile")).json()
    answer = await local.patch("/api/profile", content=patch, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["field"]
    assert (await local.get("/api/profile")).json() == before


async def test_a_number_past_64_bits_is_no_servers_error(local: httpx.AsyncClient) -> None:
    """SEC-4: past a limit, a clear error; never a crash."""
    answer = await local.patch("/api/profile", json={"settings": {"privacy": {"big": 2**70}}})
    assert (answer.status_code, answer.json()["field"]) == (422, "settings.privacy.big")
