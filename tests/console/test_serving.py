"""The console's files as the server hands them out; no browser is needed to see that (SURF-4)."""

from pathlib import Path

import httpx
import pytest

from weft.console import endpoints
from weft.console.bundle import Bundle


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small bundle."""
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "index.html").write_text("<!doctype html>the console")
    (folder / "index-a1B2c3D4.js").write_text("hello()")
    (folder / "index-a1B2c3D4.js.gz").write_bytes(b"packed")
    (folder / "weft.svg").write_text("<svg/>")
    (folder / "secret.env").write_text("no")
    (tmp_path / "outside.js").write_text("no")
    monkeypatch.setattr(endpoints, "bundle", Bundle(folder))
    return folder


async def test_the_page_and_its_files(local: httpx.AsyncClient, built: Path) -> None:
    """SURF-4: the page is asked for anew, files with a hash in their name never."""
    page = await local.get("/", headers={"accept-encoding": "identity"})
    assert (page.status_code, page.text) == (200, "<!doctype html>the console")
    assert page.headers["cache-control"] == "no-cache"
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    script = await local.get("/console/index-a1B2c3D4.js", headers={"accept-encoding": "identity"})
    assert script.text == "hello()"
    assert "immutable" in script.headers["cache-control"]
    assert script.headers["x-content-type-options"] == "nosniff"
    assert (await local.head("/console/weft.svg")).headers["content-type"] == "image/svg+xml"


async def test_packed_for_those_who_take_it(local: httpx.AsyncClient, built: Path) -> None:
    """SURF-4: gzipped once, when it is built."""
    async with local.stream("GET", "/console/index-a1B2c3D4.js", headers={"accept-encoding": "gzip"}) as answer:
        raw = b"".join([piece async for piece in answer.aiter_raw()])
    assert (answer.headers["content-encoding"], raw) == ("gzip", b"packed")
    assert answer.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    "name", ["secret.env", "..%2Foutside.js", "%2e%2e/outside.js", "none.js", ".stamp", "index", "a%00.js", "x.js.gz"]
)
async def test_nothing_else_is_handed_out(local: httpx.AsyncClient, built: Path, name: str) -> None:
    """SEC-4: no way out of the folder, and no file that is none of the console's."""
    answer = await local.get(f"/console/{name}")
    assert answer.status_code == 404
    assert answer.text != "no"


async def test_where_it_is_not_built_the_page_says_how(
    local: httpx.AsyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SURF-4: the server works without it, and tells what to do, in both languages."""
    monkeypatch.setattr(endpoints, "bundle", Bundle(tmp_path / "none"))
    page = await local.get("/")
    assert page.status_code == 200
    assert "make console" in page.text
    assert "构建" in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


async def test_the_console_is_no_part_of_the_described_surface(local: httpx.AsyncClient) -> None:
    """SURF-4: what it can do, any front end can do by the same addresses as everybody."""
    described = (await local.get("/openapi.json")).json()["paths"]
    assert not [path for path in described if path == "/" or path.startswith("/console")]
