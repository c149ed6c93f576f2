"""The console in a real Chromium, in front of a real server, a real database and a vendor that says what it is told."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.console import chromium
from tests.console.server import Server
from weft.llm.scripted import Answer, ScriptedVendor

try:
    from playwright.async_api import Browser, async_playwright, expect

    from tests.console.browser import Visitor, Visits
except ImportError:
    async_playwright = None  # type: ignore[assignment]

ROOT = Path(__file__).parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All in one process: they share a server."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("console"))


@pytest.fixture(autouse=True)
def blocking_is_an_error() -> None:
    """Here it is none: the server that must not block is another process."""


@pytest.fixture(scope="session")
def bundle() -> Path:
    """The console as it is shipped, built of the sources as they are."""
    tool = ROOT / "tools" / "build_console.py"
    ran = subprocess.run(
        [sys.executable, str(tool), "--dev", "--required"], capture_output=True, encoding="utf-8", check=False
    )
    if ran.returncode != 0:
        chromium.give_up(ran.stderr[-1500:])
    return ROOT / "src" / "weft" / "console" / "static"


@pytest.fixture(scope="session")
def axe(bundle: Path) -> str:
    """The script that finds what keeps people out."""
    return (ROOT / "console" / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots go: WEFT_SCREENSHOTS, or a folder of this run."""
    named = os.environ.get("WEFT_SCREENSHOTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
async def visits(bundle: Path, shots: Path, run_folder: Path) -> AsyncIterator["Visits"]:
    """A browser."""
    if async_playwright is None:
        chromium.give_up("the package playwright is not installed; `make test` installs it")
    expect.set_options(timeout=15_000)  # a machine may be busy with other things
    path = await asyncio.to_thread(chromium.executable, run_folder / "chromium.lock")
    async with async_playwright() as playwright:
        browser: Browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield Visits(browser, shots)
        await browser.close()


@pytest.fixture(scope="module")
def vendor() -> Iterator[ScriptedVendor]:
    """A vendor that says what it is told, and keeps saying it while the server is away."""
    with ScriptedVendor() as vendor:
        yield vendor


@pytest.fixture
def script(vendor: ScriptedVendor, server: Server) -> ScriptedVendor:
    """The vendor with nothing left over from what was before."""
    vendor._script._queue.clear()
    return vendor


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    """What a file's server is started with, besides; a file may have its own."""
    return {"WEFT_TOOL_APPROVALS": "write_file=always"}


@pytest.fixture(scope="module")
async def server(
    new_database: Any,
    vendor: ScriptedVendor,
    settings: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> AsyncIterator[Server]:
    """A server for the tests of one file."""
    name = request.module.__name__.rpartition(".")[2]
    home = tmp_path_factory.mktemp(name)
    variables = {
        "WEFT_DATABASE_URL": await new_database(name),
        "WEFT_LLM_BASE_URL": vendor.base_url,
        "WEFT_LLM_MODEL": "scripted",
    }
    server = Server(home / "home", home / "log.txt", variables | settings)
    await asyncio.to_thread(server.start)
    try:
        if "WEFT_AUTH" not in settings:
            vendor.enqueue(Answer("Hello."))
            await asyncio.to_thread(server.first_turn)
        yield server
    finally:
        await asyncio.to_thread(server.stop)


@pytest.fixture
async def ann(visits: "Visits", server: Server, script: ScriptedVendor) -> AsyncIterator["Visitor"]:
    """Somebody at a laptop, who reads English."""
    async with visits.visit(server.url) as visitor:
        yield visitor


@pytest.fixture(params=["en-desktop", "zh-phone"])
async def bo(
    visits: "Visits", server: Server, script: ScriptedVendor, request: pytest.FixtureRequest
) -> AsyncIterator["Visitor"]:
    """Somebody who reads English at a laptop, then somebody who reads Chinese on a phone at night."""
    async with visits.speaker(request.param, server.url) as visitor:
        yield visitor
