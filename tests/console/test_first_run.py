"""The first minute: it works offline at once, says so, and connects a real vendor in one form (SURF-4, INFRA-4)."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import expect

from tests.console.browser import Visitor
from weft.llm.scripted import Answer, ScriptedVendor


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    """A Weft as it is after `make run`: no vendor is named."""
    return {"WEFT_LLM_BASE_URL": "", "WEFT_LLM_MODEL": ""}


@pytest.fixture
async def newcomer(bo: Visitor) -> AsyncIterator[Visitor]:
    """Somebody whose Weft is as it was made, and is so again for the next one."""
    aliases = (await bo.api("GET", "/api/infra/aliases"))["items"]
    default = next(each for each in aliases if each["name"] == "default")
    yield bo
    await bo.api("PUT", "/api/infra/aliases/default", data={"models": default["models"]})


async def test_it_works_offline_at_once_and_then_with_a_real_vendor(newcomer: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: one press for the first answer, one form for the vendor; what it says from then on is the vendor's."""
    await newcomer.go()
    note = newcomer.page.locator(".offline-note")
    await expect(note).to_contain_text(newcomer.of("offline model", "离线模型"))
    await newcomer.shot("first-run")
    await newcomer.button("What can you do for me?", "你能为我做什么？").click()
    await expect(newcomer.answers.first).to_contain_text(newcomer.of("offline model", "离线模型"), timeout=60_000)
    await newcomer.settled()
    assert not {"USER_MESSAGE", "JSON"} & set((await newcomer.answers.first.inner_text()).split())
    await newcomer.shot("first-answer")
    await newcomer.go()
    await note.get_by_role("link").click()
    await _connect(newcomer, f"here-{newcomer.case}", script.base_url)
    script.enqueue(Answer("I am here."))
    await newcomer.button("Connect and test", "接入并测试").click()
    await expect(newcomer.page.get_by_text("I am here.")).to_be_visible()
    await newcomer.shot("connected")
    await newcomer.go()
    await expect(newcomer.page.locator(".welcome")).to_be_visible()
    script.enqueue(Answer("The vendor speaks."))
    await newcomer.say("Who is there?")
    await newcomer.answered("The vendor speaks.")
    await newcomer.go()
    await newcomer.page.reload()
    await newcomer.loaded()
    await expect(note).to_have_count(0)


async def test_a_vendor_that_does_not_answer_is_told_of_and_not_made_the_default(newcomer: Visitor) -> None:
    """SURF-4: the reason stands in the form, and conversations go on as before."""
    await newcomer.go("infra/connect")
    await _connect(newcomer, f"nowhere-{newcomer.case}", "http://127.0.0.1:9/v1")
    await newcomer.button("Connect and test", "接入并测试").click()
    await expect(newcomer.page.get_by_role("alert")).to_be_visible(timeout=30_000)
    await newcomer.shot("not-connected")
    assert "nowhere" not in str(await newcomer.api("GET", "/api/infra/aliases"))


async def _connect(newcomer: Visitor, name: str, address: str) -> None:
    """Fill in the form; the vendor needs no key."""
    fields = {("Vendor", "厂商"): name, ("Address", "地址"): address, ("Model", "模型"): "scripted"}
    for (english, chinese), value in fields.items():
        await newcomer.page.get_by_role("textbox", name=newcomer.of(english, chinese), exact=True).fill(value)
