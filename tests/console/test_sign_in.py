"""With keys: an operator signs in with theirs, and sees what is an operator's to see (SURF-4, SEC-2)."""

import json
import subprocess

import pytest
from playwright.async_api import expect

from tests.cli.conftest import environment, program
from tests.console.browser import Visitor, Visits
from tests.console.server import Server


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    """A Weft that asks for keys."""
    return {"WEFT_AUTH": "keys"}


@pytest.fixture(scope="module")
def operator_key(server: Server) -> str:
    """An owner's key, made where the server stands."""
    variables = environment(WEFT_HOME=str(server.home), **server.variables)
    command = program("keys", "operators", "create", "Op", "--role", "owner", "--json")
    ran = subprocess.run(command, env=variables, capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stderr
    key: str = json.loads(ran.stdout)["key"]
    return key


async def test_an_operator_signs_in_looks_around_and_signs_out(ann: Visitor, operator_key: str) -> None:
    """SEC-2: a wrong key is refused at its field; the cookie is none that a script can read."""
    await ann.page.goto(ann.url)
    key = ann.page.get_by_label("Operator key")
    await key.fill("weft_op_wrong")
    await ann.page.get_by_role("button", name="Sign in").click()
    await expect(ann.page.locator(".wrong")).to_contain_text("no operator has this key")
    await ann.shot("sign-in")
    await key.fill(operator_key)
    await ann.page.get_by_role("button", name="Sign in").click()
    await expect(ann.page.locator(".welcome")).to_contain_text("look on as an operator")
    assert await ann.page.evaluate("document.cookie") == ""
    await expect(ann.page.locator(".composer")).to_have_count(0)
    await expect(ann.page.get_by_role("link", name="Profile")).to_have_count(0)
    await ann.shot("operator")
    for place in ("ledger", "skills", "infra/vendors"):
        await ann.go(place)
        await expect(ann.page.locator("h1")).to_be_visible()
        await expect(ann.page.get_by_role("alert")).to_have_count(0)
    await ann.page.get_by_role("button", name="Sign out").click()
    await expect(key).to_be_visible()


async def test_the_sign_in_speaks_chinese(visits: Visits, server: Server) -> None:
    """SURF-4: to a browser that does."""
    async with visits.visit(server.url, "zh-CN") as visitor:
        await visitor.page.goto(server.url)
        await expect(visitor.page.get_by_role("heading")).to_have_text("登录 Weft")
