"""The application as it is put together: health, figures, and nothing that runs scripts from elsewhere."""

import asyncio

import httpx
import pytest

from tests.clients import LOCAL_URL, application, client_of
from weft import __version__
from weft.kit.db import Database


async def test_a_process_that_answers_is_alive(local: httpx.AsyncClient) -> None:
    """DESIGN 7: /healthz."""
    answer = await local.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "version": __version__})


async def test_it_is_ready_when_its_database_answers(local: httpx.AsyncClient) -> None:
    """DESIGN 7: /readyz."""
    answer = await local.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")


@pytest.mark.parametrize("broken", ["postgresql://127.0.0.1:1/nothing", "a database that is gone"])
async def test_it_is_alive_but_not_ready_when_its_database_does_not_answer(
    database: Database, database_url: str, broken: str
) -> None:
    """DESIGN 7: who starts or balances servers can tell the two apart, and strangers learn no addresses."""
    app = await application(database)
    gone = Database(broken if "://" in broken else database_url.replace("_shared", "_gone"))
    app.state.weft = type(app.state.weft)(app.state.weft.settings, gone)
    async with client_of(app, LOCAL_URL) as client:
        assert (await client.get("/healthz")).status_code == 200
        answer = await client.get("/readyz")
    await gone.close()
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.json()["detail"] == "the database does not answer; the log says why"


async def test_figures_are_there_for_prometheus(local: httpx.AsyncClient) -> None:
    """DESIGN 7: /metrics."""
    await asyncio.gather(*(local.get("/api/profile") for _ in range(3)))
    answer = await local.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert 'weft_http_requests_total{method="GET",route="/api/profile",status="200"} 3.0' in answer.text


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/docs/oauth2-redirect"])
async def test_no_page_runs_scripts_from_elsewhere(local: httpx.AsyncClient, path: str) -> None:
    """SEC-2: such a page would stand on the origin of the console's cookie."""
    assert (await local.get(path)).status_code == 404
