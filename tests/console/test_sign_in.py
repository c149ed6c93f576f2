"""With keys: an operator signs in with theirs, and sees what is an operator's to see (SURF-4, SEC-2)."""

import json
import subprocess

import httpx
import pytest
from playwright.async_api import expect

from tests.cli.conftest import environment, program
from tests.console.browser import Visitor, Visits
from tests.console.server import Server
from tests.turns import calls
from weft.llm.scripted import Answer, ScriptedVendor


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    """A Weft that asks for keys."""
    return {"WEFT_AUTH": "keys"}


@pytest.fixture(scope="module")
def operator_key(server: Server) -> str:
    """An owner's key, made where the server stands."""
    return _made(server, "operators", "create", "Op", "--role", "owner")


@pytest.fixture(scope="module")
def conversation(server: Server, vendor: ScriptedVendor) -> str:
    """What a user of a business has talked about, through the business's own front end."""
    _made(server, "businesses", "create", "shop")
    key = _made(server, "create", "--business", "shop", "--name", "main")
    vendor.enqueue(Answer('{"route":"NEEDS_EXECUTION","intent_summary":"look","execution_brief":"list the files"}'))
    vendor.enqueue(Answer(tool_calls=(calls("list_dir", path="."),)), Answer("Your shelf is empty."))
    who = {"Authorization": f"Bearer {key}", "X-Weft-User": "customer-42"}
    asked = {"message": "What is on my shelf?"}
    answer = httpx.post(f"{server.url}/api/chat", json=asked, headers=who, timeout=60)
    assert "Your shelf is empty." in answer.text
    session: str = answer.json()["conversation_id"]
    return session


def _made(server: Server, *words: str) -> str:
    """Make something with `weft keys`: the key that is told once, if it is one."""
    variables = environment(WEFT_HOME=str(server.home), **server.variables)
    ran = subprocess.run(
        program("keys", *words, "--json"), env=variables, capture_output=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stderr
    return str(json.loads(ran.stdout).get("key", ""))


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


async def test_an_operator_looks_into_a_conversation(bo: Visitor, operator_key: str, conversation: str) -> None:
    """SURF-4, SEC-2: all of it, with its run, what was sent and the audit rows; nothing can be said in it."""
    await bo.page.goto(bo.url)
    await bo.page.get_by_label(bo.of("Operator key", "运营者密钥")).fill(operator_key)
    await bo.button("Sign in", "登录").click()
    await expect(bo.page.locator(".welcome")).to_be_visible()
    await bo.go(f"chat/{conversation}")
    await expect(bo.answers.last).to_contain_text("Your shelf is empty.")
    await expect(bo.page.locator(".composer")).to_have_count(0)
    if bo.case.endswith("phone"):
        await bo.button("Run", "运行").click()
    await expect(bo.page.locator(".of-call").first).to_be_visible()
    await bo.page.get_by_role("tab", name=bo.of("Context", "上下文")).click()
    await expect(bo.page.locator(".proportion-bar")).to_be_visible()
    await bo.page.get_by_role("tab", name=bo.of("Audit", "审计")).click()
    await expect(bo.page.locator(".audit li")).not_to_have_count(0)
    await bo.shot("operator-conversation")
    await bo.go("ledger")
    await bo.page.get_by_role("link", name="What is on my shelf?").first.click()
    await expect(bo.page.locator("tbody tr").first).to_be_visible()


async def test_the_sign_in_speaks_chinese(visits: Visits, server: Server) -> None:
    """SURF-4: to a browser that does."""
    async with visits.visit(server.url, "zh-CN") as visitor:
        await visitor.page.goto(server.url)
        await expect(visitor.page.get_by_role("heading")).to_have_text("登录 Weft")
