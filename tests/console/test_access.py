"""Everybody gets everywhere: by keyboard alone, with a screen reader, in any language, size and light (SURF-4)."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.console.browser import DESKTOP, PHONE, Visitor, Visits
from tests.console.server import Server
from tests.turns import calls
from weft.llm.scripted import Answer, ScriptedVendor

PLACES = (
    "",
    "ledger",
    "skills",
    "skills/tarot",
    "skills/proposals",
    "profile",
    "infra/connect",
    "infra/vendors",
    "infra/keys",
    "infra/models",
    "infra/prices",
    "infra/aliases",
    "infra/test",
)
RICH = "# One\n\n- [link](https://weft.example)\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"
WIDER = """() => {
  const page = document.querySelector(".page");
  return [document.scrollingElement.scrollWidth - innerWidth, page ? page.scrollWidth - page.clientWidth : 0];
}"""
LOOK = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
  .filter(each => ["serious", "critical"].includes(each.impact))
  .map(each => `${each.id}: ${each.nodes.map(node => node.target.join(" ")).slice(0, 4).join(" | ")}`)"""


async def _barriers(visitor: Visitor, axe: str) -> list[str]:
    await visitor.page.evaluate("() => Promise.all(document.getAnimations().map(each => each.finish?.()))")
    await visitor.page.evaluate(axe)
    found: list[str] = await visitor.page.evaluate(LOOK)
    return found


@pytest.mark.parametrize(
    ("language", "size", "scheme"),
    [("en-US", DESKTOP, "light"), ("zh-CN", DESKTOP, "dark"), ("en-US", PHONE, "dark"), ("zh-CN", PHONE, "light")],
)
async def test_axe_finds_nothing_serious(
    visits: Visits, server: Server, script: ScriptedVendor, axe: str, language: str, size: Any, scheme: str
) -> None:
    """SURF-4: on every page, and in a conversation with tools, a skill and an approval."""
    async with visits.visit(server.url, language, size, color_scheme=scheme) as visitor:
        for place in PLACES:
            await visitor.go(place)
            await visitor.page.wait_for_load_state("networkidle")
            assert await _barriers(visitor, axe) == [], place or "welcome"
        script.enqueue(Answer(tool_calls=(calls("use_skill", skill="tarot"),)))
        script.enqueue(
            Answer("# One\n\n- [link](https://weft.example)\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |")
        )
        script.enqueue(Answer(tool_calls=(calls("write_file", path="x.md", content="x"),)))
        await visitor.go()
        await visitor.say("Hello")
        await visitor.answered("One")
        await visitor.say("Write")
        await expect(visitor.page.locator(".entry.approval")).to_be_visible()
        assert await _barriers(visitor, axe) == [], "conversation"


async def test_the_keyboard_alone_is_enough(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: past the navigation, through a conversation, an approval, the panel and its tabs."""
    await ann.go()
    await ann.page.evaluate("document.activeElement.blur()")
    press = ann.page.keyboard.press
    await press("Tab")
    await expect(ann.page.locator(".skip")).to_be_focused()
    await press("Enter")
    await expect(ann.page.locator("#main")).to_be_focused()
    for _ in range(12):
        await press("Tab")
        if await ann.composer.evaluate("each => each === document.activeElement"):
            break
    script.enqueue(Answer(tool_calls=(calls("write_file", path="k.md", content="k"),)))
    await ann.page.keyboard.type("Keys only")
    await press("Enter")
    approve = ann.page.get_by_role("button", name="Approve")
    await expect(approve).to_be_visible(timeout=20_000)
    script.enqueue(Answer("Done by keys."))
    assert await _reached(ann, approve, "Shift+Tab")
    await press("Enter")
    await ann.answered("Done by keys.")
    tab = ann.page.get_by_role("tab", name="Timeline")
    assert await _reached(ann, tab, "Tab")
    await press("ArrowRight")
    await expect(ann.page.get_by_role("tab", name="Context")).to_be_focused()
    await expect(ann.page.locator(".proportion-bar")).to_be_visible()


async def _reached(ann: Visitor, what: Any, key: str) -> bool:
    for _ in range(40):
        if await what.evaluate("each => each === document.activeElement"):
            return True
        await ann.page.keyboard.press(key)
    return False


async def test_language_and_brightness_are_switched_and_kept(ann: Visitor) -> None:
    """SURF-4: the browser's language first, the reader's choice from then on."""
    await ann.go()
    await expect(ann.page.get_by_role("heading", name="What shall we talk about?")).to_be_visible()
    await ann.page.get_by_role("button", name="中文").click()
    await expect(ann.page.get_by_role("heading", name="想聊点什么？")).to_be_visible()
    await ann.page.get_by_role("button", name="亮度").click()
    await ann.page.get_by_role("button", name="亮度").click()
    await ann.page.reload()
    await expect(ann.page.get_by_role("heading", name="想聊点什么？")).to_be_visible()
    assert await ann.page.evaluate("document.documentElement.lang") == "zh-CN"
    assert await ann.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 22, 26)"


async def test_nothing_is_wider_than_a_phone(visits: Visits, server: Server, script: ScriptedVendor) -> None:
    """SURF-4: no page scrolls sideways."""
    async with visits.visit(server.url, "zh-CN", PHONE) as visitor:
        for place in PLACES:
            await visitor.go(place)
            await visitor.page.wait_for_load_state("networkidle")
            assert (place, await visitor.page.evaluate(WIDER)) == (place, [0, 0])
        await visitor.go()
        await visitor.page.get_by_role("button", name="菜单").click()
        await expect(visitor.page.locator(".places")).to_be_visible()
        await visitor.shot("phone-menu")
        await visitor.page.keyboard.press("Escape")
        await expect(visitor.page.locator(".places")).to_be_hidden()
