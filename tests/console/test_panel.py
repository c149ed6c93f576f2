"""Beside the chat: what the run did over time, what each call was sent, what only operators see (SURF-4)."""

from playwright.async_api import expect

from tests.console.browser import Visitor
from tests.turns import calls
from weft.llm.scripted import Answer, ScriptedVendor

ROUTED = '{"route":"NEEDS_EXECUTION","intent_summary":"look","execution_brief":"list the files"}'


async def _with_a_tool(bo: Visitor, script: ScriptedVendor) -> None:
    script.enqueue(Answer(tool_calls=(calls("list_dir", path="."),)), Answer("Nothing there.", first_delay=0.1))
    await bo.go()
    await bo.say("Look around")
    await bo.answered("Nothing there.")


async def _open_panel(bo: Visitor) -> None:
    """Open beside the chat on a wide screen already, and over it on a phone."""
    if bo.case.endswith("phone"):
        await bo.button("Run", "运行").click()


async def test_the_timeline_shows_stages_tools_and_calls_with_their_figures(
    bo: Visitor, script: ScriptedVendor
) -> None:
    """SURF-4: tokens, cost, cached share and first-token time; live, and the same after a reload."""
    await _with_a_tool(bo, script)
    await _open_panel(bo)
    rows = bo.page.locator(".timeline-row")
    await expect(rows.filter(has_text="list_dir").first).to_be_visible()
    await expect(bo.page.locator(".of-call")).to_have_count(2)
    await expect(bo.page.locator(".of-stage").first).to_contain_text(bo.of("Intent", "意图"))
    figures = bo.page.locator(".figures")
    await expect(figures).to_contain_text(bo.of("First token", "首个 token"))
    await expect(figures.locator("dd").nth(1)).to_contain_text("s")
    await expect(bo.page.locator(".of-call").first).to_contain_text(bo.of("cached", "缓存"))
    await expect(figures.locator("dd").nth(1)).not_to_have_text("–")
    await bo.shot("timeline")
    before = await rows.count()
    await bo.page.reload()
    await _open_panel(bo)
    await expect(rows).to_have_count(before)


async def test_the_timeline_grows_while_the_run_goes_on(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: what has begun is there at once, open until it has ended, and exact when the run is over."""
    script.enqueue(Answer(tool_calls=(calls("list_dir", path="."),)), Answer("word " * 60, gap=0.05))
    await ann.go()
    await ann.say("Look around slowly")
    await expect(ann.page.locator(".entry.answer.open")).to_contain_text("word")
    await expect(ann.page.locator(".of-tool")).to_contain_text("list_dir")
    last = ann.page.locator(".of-stage").last
    await expect(last).to_contain_text("under way")
    await ann.shot("timeline-live")
    await ann.settled()
    await expect(last).not_to_contain_text("under way")
    await expect(ann.page.locator(".of-call")).to_have_count(2)


async def test_the_inspector_shows_every_block_of_a_call(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, SKILL-11: source, trust, scope, tokens, cached or not, as a picture and as text."""
    await _with_a_tool(bo, script)
    await bo.page.locator(".answer .usage-line").click()
    await expect(bo.page.locator(".proportion-bar span").first).to_be_visible()
    bar = bo.page.locator(".proportion-bar")
    assert bo.of("Policy", "系统策略") in (await bar.get_attribute("aria-label") or "")
    persona = bo.page.locator(".block", has_text="persona").first
    await persona.locator("summary").click()
    await expect(persona.locator(".block-facts")).to_contain_text(bo.of("Operator", "运营者"))
    await expect(persona.locator(".block-facts")).to_contain_text("skills:")
    await expect(persona.locator("pre")).not_to_be_empty()
    await expect(bo.page.locator(".blocks").first).to_contain_text(bo.of("cached", "已缓存"))
    await bo.shot("inspector")


async def test_a_call_is_compared_with_the_one_before_it(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: the difference names the block that broke the prefix."""
    script.enqueue(Answer(tool_calls=(calls("use_skill", skill="career"),)), Answer("Tell me about your work."))
    await bo.go()
    await bo.say("About my job")
    await bo.answered("your work.")
    await bo.page.locator(".answer .usage-line").click()
    difference = bo.page.get_by_role("region", name=bo.of("Against the call before", "与上一次调用相比"))
    await expect(difference).to_contain_text(bo.of("The prefix breaks at", "前缀断在"))
    await expect(difference.locator("code").first).not_to_be_empty()
    changed = difference.locator(".block", has_text="persona").first
    await changed.scroll_into_view_if_needed()
    await changed.locator("summary").click()
    await expect(changed.locator(".diff .added").first).to_be_visible()
    await bo.shot("inspector-diff")


async def test_operators_see_the_audit_rows(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, LED-4: the rows below zero, here a routed intent, which the conversation itself never shows."""
    script.enqueue(Answer(ROUTED), Answer(tool_calls=(calls("list_dir", path="."),)), Answer("Nothing there."))
    await bo.go()
    await bo.say("Look around")
    await bo.answered("Nothing there.")
    assert "list the files" not in " ".join(await bo.transcript())
    await _open_panel(bo)
    await bo.page.get_by_role("tab", name=bo.of("Audit", "审计")).click()
    row = bo.page.locator(".audit li").first
    await expect(row.locator(".tag")).to_have_text("-1")
    await row.locator("summary").click()
    await expect(row.locator("pre").first).to_contain_text("list the files")
    await bo.shot("audit")


async def test_a_turn_without_audit_rows_says_what_they_are(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, LED-4: a direct answer leaves none."""
    script.enqueue(Answer("Hello."))
    await ann.go()
    await ann.say("hi")
    await ann.answered("Hello.")
    await ann.page.get_by_role("tab", name="Audit").click()
    await expect(ann.page.locator(".run-panel .nothing")).to_contain_text("routed intent")
