"""Everybody gets everywhere: by keyboard alone, with a screen reader, in any language, size and light (SURF-4)."""

import pytest
from playwright.async_api import Locator, expect

from tests.console.browser import SPEAKERS, Visitor, Visits
from tests.console.server import Server
from tests.turns import calls
from weft.llm.scripted import Answer, ScriptedVendor

PLACES = (
    "",
    "ledger",
    "ledger?by=model&of=scripted",
    "skills",
    "skills/tarot",
    "skills/proposals",
    "profile",
    "infra/connect",
    "infra/vendors",
    "infra/endpoints",
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
# What fades in is judged as it stands in the end; what moves for as long as it is shown, as it would stand still.
STAND_STILL = """() => document.getAnimations().forEach(each =>
  each.effect.getComputedTiming().endTime === Infinity ? each.cancel() : each.finish())"""
AT_IT = "each => each === document.activeElement"


async def _barriers(visitor: Visitor, axe: str) -> list[str]:
    await visitor.loaded()
    await visitor.page.evaluate(STAND_STILL)
    await visitor.page.evaluate(axe)
    found: list[str] = await visitor.page.evaluate(LOOK)
    return found


@pytest.mark.parametrize("case", SPEAKERS)
async def test_axe_finds_nothing_serious_on_any_page(
    visits: Visits, server: Server, script: ScriptedVendor, axe: str, case: str
) -> None:
    """SURF-4: each page, as it is when all of it is there; and a dialog."""
    async with visits.speaker(case, server.url) as visitor:
        for place in PLACES:
            await visitor.go(place)
            assert await _barriers(visitor, axe) == [], place or "welcome"
        await visitor.go("infra/models")
        await visitor.button("Add", "添加").click()
        await expect(visitor.page.get_by_role("dialog")).to_be_visible()
        assert await _barriers(visitor, axe) == [], "dialog"


@pytest.mark.parametrize("case", SPEAKERS)
async def test_axe_finds_nothing_serious_in_a_conversation(
    visits: Visits, server: Server, script: ScriptedVendor, axe: str, case: str
) -> None:
    """SURF-4: with a skill, tools, an approval, and each part of the panel beside it."""
    async with visits.speaker(case, server.url) as visitor:
        script.enqueue(Answer(tool_calls=(calls("use_skill", skill="tarot"),)), Answer(RICH))
        await visitor.go()
        await visitor.say("Hello")
        await visitor.answered("One")
        script.enqueue(Answer(tool_calls=(calls("write_file", path="x.md", content="x"),)))
        await visitor.say("Write")
        await expect(visitor.page.locator(".entry.approval")).to_be_visible()
        assert await _barriers(visitor, axe) == [], "conversation"
        if case.endswith("phone"):
            await visitor.button("Run", "运行").click()
        for tab in ("Timeline", "Context", "Audit"):
            await visitor.page.get_by_role("tab").nth(("Timeline", "Context", "Audit").index(tab)).click()
            assert await _barriers(visitor, axe) == [], tab


async def test_the_keyboard_alone_is_enough(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: past the navigation, through a conversation, an approval, the panel and its tabs."""
    press = ann.page.keyboard.press
    await ann.go("ledger")
    await press("Tab")
    await expect(ann.page.locator(".skip")).to_be_focused()
    await press("Enter")
    await expect(ann.page.locator("#main")).to_be_focused()
    await _reach(ann, ann.page.get_by_role("link", name="New conversation").first, "Shift+Tab")
    await press("Enter")
    await expect(ann.composer).to_be_focused()  # at once: this is what one comes for
    script.enqueue(Answer(tool_calls=(calls("write_file", path="k.md", content="k"),)))
    await ann.page.keyboard.type("Keys only")
    await press("Enter")
    approve = ann.button("Approve", "")
    await expect(approve).to_be_visible(timeout=20_000)
    script.enqueue(Answer("Done by keys."))
    await _reach(ann, approve, "Shift+Tab")
    await press("Enter")
    await ann.answered("Done by keys.")
    await _reach(ann, ann.page.get_by_role("tab", name="Timeline"), "Tab")
    await press("ArrowRight")
    await expect(ann.page.get_by_role("tab", name="Context")).to_be_focused()
    await expect(ann.page.locator(".proportion-bar")).to_be_visible()


async def test_a_dialog_is_worked_by_keys_and_given_back_what_had_the_focus(ann: Visitor) -> None:
    """SURF-4: opened, left by Escape, opened again, filled in and saved, without a pointer."""
    press = ann.page.keyboard.press
    await ann.go("infra/aliases")
    add = ann.button("Add", "")
    await expect(add).to_be_visible()
    await _reach(ann, add, "Tab")
    await press("Enter")
    await expect(ann.page.get_by_label("Alias", exact=True)).to_be_focused()
    await press("Escape")
    await expect(ann.page.get_by_role("dialog")).to_have_count(0)
    await expect(add).to_be_focused()
    await press("Enter")
    await ann.page.keyboard.type("by-keys")
    await press("Tab")
    await ann.page.keyboard.type("weft/offline")
    await press("Tab")
    await press("Enter")
    await expect(ann.page.locator("tbody tr", has_text="by-keys")).to_contain_text("weft/offline")


async def test_every_control_of_every_page_is_reached_by_tab(ann: Visitor) -> None:
    """SURF-4: a walk through the page by Tab alone comes by all that can be pressed, followed or filled in."""
    for place in PLACES:
        await ann.go(place)
        await ann.page.reload()
        await ann.loaded()
        missed = await ann.page.evaluate(CONTROLS)
        reached: set[str] = set()
        for _ in range(3 * len(missed) + 40):  # what scrolls is stopped at too, and a date at each of its parts
            if set(missed) <= reached:
                break
            await ann.page.keyboard.press("Tab")
            reached.add(await ann.page.evaluate("() => document.activeElement.dataset.walk ?? ''"))
        assert set(missed) - reached == set(), place


# A tab that is not chosen is reached by the arrow keys from the one that is.
CONTROLS = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
  .filter(each => each.checkVisibility({visibilityProperty: true}) && !each.disabled)
  .filter(each => each.getAttribute("role") !== "tab" || each.getAttribute("aria-selected") === "true")
  .map((each, index) => each.dataset.walk = `${index} ${each.outerHTML.slice(0, 80)}`)"""


async def _reach(ann: Visitor, what: Locator, key: str) -> None:
    for _ in range(60):
        if await what.evaluate(AT_IT):
            return
        await ann.page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {what}")


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
    """SURF-4: no page scrolls sideways, and the menu opens and closes."""
    for case in ("zh-phone", "en-phone"):
        async with visits.speaker(case, server.url) as visitor:
            for place in PLACES:
                await visitor.go(place)
                await visitor.loaded()
                assert (place, await visitor.page.evaluate(WIDER)) == (place, [0, 0])
            await visitor.go()
            await visitor.button("Menu", "菜单").click()
            await expect(visitor.page.locator(".places")).to_be_visible()
            await visitor.shot("menu")
            await visitor.page.keyboard.press("Escape")
            await expect(visitor.page.locator(".places")).to_be_hidden()


async def test_a_small_phone_and_a_zoomed_page_hold_everything(visits: Visits, server: Server) -> None:
    """SURF-4: 320 pixels, which is also a laptop at four hundred percent."""
    async with visits.visit(server.url, "en-US", {"width": 320, "height": 640}) as visitor:
        for place in PLACES:
            await visitor.go(place)
            await visitor.loaded()
            assert (place, await visitor.page.evaluate(WIDER)) == (place, [0, 0])
