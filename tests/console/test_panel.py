"""Beside the chat: what the run did over time, what each call was sent, what only operators see (SURF-4)."""

from playwright.async_api import expect

from tests.console.browser import Visitor
from tests.turns import calls
from weft.llm.scripted import Answer, ScriptedVendor


async def _with_a_tool(ann: Visitor, script: ScriptedVendor) -> None:
    script.enqueue(Answer(tool_calls=(calls("list_dir", path="."),)), Answer("Nothing there.", first_delay=0.1))
    await ann.go()
    await ann.say("Look around")
    await ann.answered("Nothing there.")


async def test_the_timeline_shows_stages_tools_and_calls_with_their_figures(
    ann: Visitor, script: ScriptedVendor
) -> None:
    """SURF-4: tokens, cost, cached share and first-token time; live, and the same after a reload."""
    await _with_a_tool(ann, script)
    rows = ann.page.locator(".timeline-row")
    await expect(rows.filter(has_text="list_dir").first).to_be_visible()
    await expect(ann.page.locator(".of-call")).to_have_count(2)
    await expect(ann.page.locator(".of-stage").first).to_contain_text("Intent")
    figures = ann.page.locator(".figures")
    await expect(figures).to_contain_text("First token")
    await expect(figures.locator("dd").nth(1)).to_contain_text("s")
    await expect(ann.page.locator(".of-call").first).to_contain_text("cached")
    await ann.shot("timeline")
    before = await rows.count()
    await ann.page.reload()
    await expect(rows).to_have_count(before)


async def test_the_inspector_shows_every_block_of_a_call(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, SKILL-11: source, trust, scope, tokens, cached or not, as a picture and as text."""
    await _with_a_tool(ann, script)
    await ann.page.locator(".usage-line").click()
    await expect(ann.page.locator(".proportion-bar span").first).to_be_visible()
    bar = ann.page.locator(".proportion-bar")
    assert "Policy" in (await bar.get_attribute("aria-label") or "")
    persona = ann.page.locator(".block", has_text="persona").first
    await persona.locator("summary").click()
    await expect(persona.locator(".block-facts")).to_contain_text("Operator")
    await expect(persona.locator(".block-facts")).to_contain_text("skill")
    await expect(persona.locator("pre")).not_to_be_empty()
    await expect(ann.page.locator(".blocks").first).to_contain_text("cached")
    await ann.shot("inspector")


async def test_a_call_is_compared_with_the_one_before_it(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: the difference names the block that broke the prefix."""
    script.enqueue(Answer(tool_calls=(calls("use_skill", skill="career"),)), Answer("Tell me about your work."))
    await ann.go()
    await ann.say("About my job")
    await ann.answered("your work.")
    await ann.page.locator(".usage-line").click()
    difference = ann.page.get_by_role("region", name="Against the call before")
    await expect(difference).to_contain_text("The prefix breaks at")
    await expect(difference.locator("code").first).not_to_be_empty()
    changed = difference.locator(".block", has_text="persona").first
    await changed.scroll_into_view_if_needed()
    await changed.locator("summary").click()
    await expect(changed.locator(".diff .added").first).to_be_visible()
    await ann.shot("inspector-diff")


async def test_operators_see_the_audit_rows(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, LED-4: the rows below zero, which the conversation itself never shows."""
    await _with_a_tool(ann, script)
    await ann.page.get_by_role("tab", name="Audit").click()
    row = ann.page.locator(".audit li").first
    await expect(row.locator(".tag")).to_contain_text("-")
    await row.locator("summary").click()
    await expect(row.locator("pre").first).to_be_visible()
    await ann.shot("audit")
