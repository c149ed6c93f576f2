"""What wraps every request: ids, log lines, figures, and the pages of other origins kept out."""

import uuid
from typing import Any

import httpx
import pytest

from tests.clients import Keys, bearer
from tests.http.conftest import Logged
from tests.http.probe import ask, probe

GIVEN = "0199f3c0-7e1d-7c55-9a43-0f6f1b2d3c4e"


@pytest.mark.parametrize("path", ["/work/1", "/nowhere"])
async def test_a_callers_own_request_id_is_kept(path: str) -> None:
    """Issue 1: request ids."""
    answer = await ask(probe(), "GET", path, headers={"x-request-id": GIVEN.upper()})
    assert answer.headers["x-request-id"] == GIVEN


@pytest.mark.parametrize("given", [None, "", "1", "x" * 5000, "a\tb", b"\xff\xfe", f"{GIVEN} {GIVEN}"])
async def test_what_is_no_request_id_is_replaced_by_one(given: Any) -> None:
    """Issue 1: request ids; nothing a caller writes gets into the logs as one."""
    answer = await ask(probe(), "GET", "/work/1", headers={} if given is None else {"x-request-id": given})
    assert uuid.UUID(answer.headers["x-request-id"]).version == 7


async def test_each_request_leaves_one_line_with_its_route_and_no_ids(logged: Logged) -> None:
    """Issue 1: structured logs; what is looked at stays between the caller and the database."""
    await ask(probe(), "POST", "/work/somebody's-id?q=private", headers={"x-request-id": GIVEN})
    (line,) = logged()
    assert line.pop("ms") >= 0
    assert line.pop("timestamp")
    assert line == {
        "event": "request",
        "level": "info",
        "logger": "weft.http",
        "method": "POST",
        "route": "/work/{item}",
        "status": 200,
        "request_id": GIVEN,
    }


async def test_figures_are_kept_by_route_and_labels_are_never_the_callers() -> None:
    """Issue 1: /metrics; a label for each id, address or method would grow without an end."""
    app = probe()
    for item in range(3):
        await ask(app, "GET", f"/work/{item}")
    await ask(app, "GET", "/.env")
    await ask(app, "GET", "/wp-login.php")
    await ask(app, "BREW", "/work/1")
    count = app.state.metrics.get_sample_value
    name = "weft_http_requests_total"
    assert count(name, {"method": "GET", "route": "/work/{item}", "status": "200"}) == 3
    assert count(name, {"method": "GET", "route": "unmatched", "status": "404"}) == 2
    assert count(name, {"method": "other", "route": "/work/{item}", "status": "405"}) == 1
    assert count("weft_http_seconds_count", {"method": "GET", "route": "/work/{item}"}) == 3


async def test_a_crash_is_counted_as_one() -> None:
    def crash() -> None:
        raise RuntimeError

    app = probe(crash)
    await ask(app, "GET", "/work/1")
    labels = {"method": "GET", "route": "/work/{item}", "status": "500"}
    assert app.state.metrics.get_sample_value("weft_http_requests_total", labels) == 1


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:9999", "http://127.0.0.1"])
async def test_a_page_of_another_origin_changes_nothing(method: str, origin: str) -> None:
    """SEC-2: the console's cookie, and a local installation, serve their own pages only."""
    answer = await ask(probe(), method, "/work/1", headers={"origin": origin})
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("POST", {}),
        ("POST", {"origin": "http://127.0.0.1:8700"}),
        ("POST", {"origin": "http://LOCALHOST:8700", "host": "localhost:8700"}),
        ("POST", {"origin": "https://shop.example", "authorization": "Bearer a-key-no-browser-adds-by-itself"}),
        ("GET", {"origin": "https://evil.example"}),
    ],
)
async def test_what_no_foreign_page_can_send_is_let_in(method: str, headers: dict[str, str]) -> None:
    assert (await ask(probe(only_local=True), method, "/work/1", headers=headers)).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8700", "127.0.0.1.evil.example", "10.0.0.1", "", "[::2]"]
)
async def test_a_local_installation_answers_to_its_own_names_only(host: str) -> None:
    """SEC-2: a name that an attacker's DNS points at this machine (rebinding) is not its name."""
    answer = await ask(probe(only_local=True), "GET", "/work/1", headers={"host": host})
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert answer.headers["x-request-id"] == answer.json()["request_id"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8700", "localhost:1", "LocalHost", "[::1]:8700", "127.8.8.8"])
async def test_the_names_of_this_machine_are_its_own(host: str) -> None:
    assert (await ask(probe(only_local=True), "GET", "/work/1", headers={"host": host})).status_code == 200


async def test_the_local_application_refuses_foreign_hosts(local: httpx.AsyncClient) -> None:
    """SEC-2: the same, in the application as it is put together."""
    assert (await local.get("/api/profile", headers={"host": "evil.example"})).status_code == 403
    assert (await local.get("/api/profile")).status_code == 200


async def test_with_keys_any_host_name_will_do(anyone: httpx.AsyncClient) -> None:
    assert (await anyone.get("/healthz", headers={"host": "weft.acme.example"})).status_code == 200


async def test_no_log_line_and_no_answer_carries_a_secret(
    keys: Keys, anyone: httpx.AsyncClient, logged: Logged
) -> None:
    """SEC-3, issue 1: structured logs without secrets, wherever a caller puts them."""
    key, operator = await keys.key(), await keys.operator()
    secrets = [key, operator, "weft_bk_00000000_unknownunknownunknown"]
    answers = []
    for secret in secrets:
        answers += [
            await anyone.get("/api/profile", headers=bearer(secret, "ann")),
            await anyone.get("/api/profile", params={"key": secret}),
            await anyone.get(f"/api/{secret}"),
            await anyone.get("/api/sessions", params={"cursor": secret}, headers=bearer(key, "ann")),
            await anyone.patch("/api/profile", json={secret: 1}, headers=bearer(key, "ann")),
            await anyone.get("/api/profile", headers=bearer(key, "ann") | {"x-request-id": secret}),
            await anyone.post("/api/operator/session", json={"key": secret}),
            await anyone.get("/api/keys", headers={"cookie": f"weft_operator={secret}"}),
        ]
    assert {answer.status_code for answer in answers} >= {200, 401, 404, 422}
    written = repr(logged()) + anyone.cookies.get("weft_operator", "")
    assert len(logged()) == len(answers)
    for secret in secrets:
        assert secret not in written
        assert secret.rpartition("_")[2] not in written
