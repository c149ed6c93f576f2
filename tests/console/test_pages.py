"""Ledger, skills, profile: everything on them works, on a laptop and on a phone, in both languages (SURF-4)."""

from urllib.parse import quote

from playwright.async_api import expect

from tests.console.browser import Visitor
from tests.turns import calls
from weft.llm.scripted import Answer, ScriptedVendor

MEMORY = "/api/workspace/files/memory/MEMORY.md"
SKILL = (
    "---\nname: {name}\ndescription: Helps to brew tea. Use when somebody asks for tea.\n---\n\nWarm the pot first.\n"
)


async def test_the_chat_in_both_languages(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: the whole walk of a turn, with a skill, a tool, and the run beside it."""
    script.enqueue(Answer(tool_calls=(calls("use_skill", skill="lifecoach"),)))
    script.enqueue(Answer("慢慢来，先说说今天。\n\n1. 停一停\n2. 看一看\n3. 走一步"))
    await bo.go()
    await bo.shot("welcome")
    await bo.say(bo.of("I feel stuck", "我有点卡住了"))
    await bo.answered("走一步")
    await expect(bo.page.locator(".skill-chip")).to_contain_text("lifecoach")
    await bo.shot("chat")
    if bo.case == "zh-phone":
        await bo.page.get_by_role("button", name="运行").click()
    await expect(bo.page.locator(".timeline-row").first).to_be_visible()
    await bo.shot("timeline")
    await bo.page.get_by_role("tab", name=bo.of("Context", "上下文")).click()
    await expect(bo.page.locator(".blocks .block").first).to_be_visible()
    await bo.shot("context")


async def test_the_ledger_adds_up_and_leads_to_messages(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, LED-7: sums as the API has them; by day, conversation, model and key; each figure leads on."""
    script.enqueue(Answer("Booked."))
    await bo.go()
    await bo.say("What does this cost?")
    await bo.answered("Booked.")
    await bo.go("ledger")
    await bo.loaded()
    total = (await bo.api("GET", "/api/usage"))["totals"][0]
    await expect(bo.page.locator(".ledger-sums")).to_contain_text(f"{total['calls']:,}")
    await expect(bo.page.locator(".ledger-sums")).to_contain_text(f"{total['input_tokens']:,}")
    await expect(bo.page.locator(".plot-bar")).to_have_count(1)
    tables = bo.page.locator("table")
    await expect(tables).to_have_count(3)
    await bo.shot("ledger")
    await bo.page.locator(".plot a").press("Enter")
    await expect(bo.page.locator("tbody tr").first).to_be_visible()
    await bo.shot("ledger-day")
    await bo.page.get_by_role("link", name="What does this cost?").first.click()
    await expect(bo.page.locator(".entry.answer.pointed")).to_contain_text("Booked.")
    await expect(bo.page.locator(".proportion-bar")).to_be_visible()


async def test_every_group_of_the_ledger_leads_to_its_calls(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, LED-7: by conversation, model and key, as many calls behind the figure as it says."""
    script.enqueue(Answer("Booked again."))
    await bo.go()
    await bo.say("And this?")
    await bo.answered("Booked again.")
    await bo.go("ledger")
    for by in ("session", "model", "key"):
        total = (await bo.api("GET", f"/api/usage?by={by}"))["totals"][0]
        await bo.page.locator(f"table a[href*='by={by}&of={quote(total['group'], safe='')}']").first.click()
        await expect(bo.page.locator("tbody tr")).to_have_count(total["calls"])
        await bo.page.get_by_role("link", name=bo.of("Back to the ledger", "返回账本")).click()
    await bo.page.locator("table a[href*='by=model']").last.click()  # the figure itself, not its name
    await expect(bo.page.locator("tbody tr").first).to_be_visible()


async def test_skills_are_looked_at_proposed_and_reviewed(bo: Visitor) -> None:
    """SURF-4, SKILL-9: catalogue, a page, a proposal with its difference, accepted and rejected."""
    name = f"tea-{bo.case}"
    await bo.go("skills")
    await expect(bo.page.locator(".skill-card").first).to_be_visible()
    await bo.shot("skills")
    await bo.page.get_by_role("link", name="tarot").click()
    await expect(bo.page.locator(".markdown li").first).to_be_visible()
    await bo.shot("skill")
    await bo.go("skills/proposals")
    await bo.loaded()
    await bo.shot("proposals")
    await _propose(bo, name)
    await expect(bo.page.locator(".diff .added", has_text="Warm the pot first.")).to_be_visible()
    await bo.shot("proposal")
    await bo.page.get_by_role("button", name=bo.of("Accept and put in place", "接受并生效")).click()
    await expect(bo.page.locator(".tag", has_text=bo.of("active", "已生效"))).to_be_visible()
    await bo.go(f"skills/{name}")
    await expect(bo.page.locator(".markdown")).to_contain_text("Warm the pot first.")
    await bo.go("skills/proposals")
    await _propose(bo, f"no-{name}")
    reject = bo.page.get_by_role("button", name=bo.of("Reject", "拒绝"))
    await expect(reject).to_be_disabled()
    await bo.page.get_by_label(bo.of("Reason", "理由")).fill("one is enough")
    await reject.click()
    await expect(bo.page.locator(".tag.bad")).to_be_visible()
    assert await bo.api("GET", f"/api/skills/no-{name}") == 404


async def test_a_proposal_is_taken_back(bo: Visitor) -> None:
    """SURF-4, SKILL-9: by whoever made it; nothing of it is left."""
    await bo.go("skills/proposals")
    await _propose(bo, f"second-thoughts-{bo.case}")
    await bo.button("Withdraw", "撤回").click()
    await expect(bo.button("Propose a skill", "提出新技能")).to_be_visible()
    await bo.loaded()
    await expect(bo.page.get_by_text(f"second-thoughts-{bo.case}")).to_have_count(0)


async def test_a_conversation_begins_in_a_skill(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, SKILL-3: from the skill's page; the vendor is sent the skill with the first call."""
    script.enqueue(Answer("Shuffled."))
    await bo.go("skills/tarot")
    await bo.page.get_by_role("link", name=bo.of("Talk in this skill", "用这个技能对话")).click()
    await bo.say("A card")
    await bo.answered("Shuffled.")
    await expect(bo.page.locator(".chat-head .tag")).to_contain_text("tarot")
    session = await bo.api("GET", f"/api/sessions/{bo.thread}")
    assert session["skill"] == "tarot"


async def _propose(bo: Visitor, name: str) -> None:
    await bo.page.get_by_role("button", name=bo.of("Propose a skill", "提出新技能")).click()
    dialog = bo.page.get_by_role("dialog")
    await dialog.get_by_label("SKILL.md").fill(SKILL.format(name=name))
    await dialog.get_by_role("button", name=bo.of("Send to review", "提交审核")).click()
    await expect(bo.page.locator("h1")).to_have_text(name)


async def test_the_profile_is_changed_and_what_is_wrong_stands_at_its_field(bo: Visitor) -> None:
    """SURF-4, PRO-3: refused with the reason at the field and nothing stored; then saved."""
    await bo.go("profile")
    zone = bo.page.get_by_label(bo.of("Time zone", "时区")).first
    before = (await bo.api("GET", "/api/profile"))["settings"]
    await zone.fill("GMT+8")
    settings = bo.page.get_by_role("form", name=bo.of("Settings", "设置"))
    save = settings.get_by_role("button", name=bo.of("Save", "保存"))
    await save.click()
    await expect(settings.locator(".wrong")).to_contain_text("GMT+8")
    await expect(zone).to_have_attribute("aria-invalid", "true")
    assert (await bo.api("GET", "/api/profile"))["settings"] == before
    await zone.scroll_into_view_if_needed()
    await bo.shot("profile")
    await zone.fill("Asia/Tokyo")
    await settings.get_by_label(bo.of("Name", "名字")).fill("小雨")
    await save.click()
    await expect(settings.get_by_role("status")).to_be_visible()
    stored = await bo.api("GET", "/api/profile")
    assert (stored["username"], stored["settings"]["preferences"]["timezone"]) == ("小雨", "Asia/Tokyo")


async def test_where_somebody_stands_in_life_and_the_memory_are_edited(bo: Visitor) -> None:
    """SURF-4, PRO-1, WORK-6: saved as they are written, and there after a reload."""
    await bo.go("profile")
    life = bo.page.get_by_role("form", name=bo.of("Life", "生活"))
    await life.get_by_label(bo.of("Occupation", "职业")).fill("baker")
    await life.get_by_label(bo.of("Goals", "目标")).fill("rise early\nsleep well")
    await life.get_by_role("button", name=bo.of("Save", "保存")).click()
    await expect(life.get_by_role("status")).to_be_visible()
    memory, text = bo.page.get_by_role("region", name=bo.of("Memory", "记忆")), f"- bakes rye, {bo.case}\n"
    await memory.locator("textarea").fill(text)
    await memory.get_by_role("button", name=bo.of("Save", "保存")).click()
    await bo.loaded()
    await expect(memory.get_by_role("button", name=bo.of("Save", "保存"))).to_be_disabled()
    assert await bo.api("GET", MEMORY) == text
    stored = (await bo.api("GET", "/api/profile"))["life_context"]
    assert (stored["occupation"], stored["goals"]) == ("baker", ["rise early", "sleep well"])
    await bo.page.reload()
    await expect(memory.locator("textarea")).to_have_value(text)
    await expect(life.get_by_label(bo.of("Goals", "目标"))).to_have_value("rise early\nsleep well")


async def test_birth_data_facts_and_memory_are_seen_changed_and_deleted(bo: Visitor) -> None:
    """SURF-4, PRO-8, WORK-6: what was learned is the user's to delete."""
    fact = {"fact": "likes short answers", "source": "conversation", "confidence": 0.9}
    await bo.api("PATCH", "/api/profile", data={"extracted": [fact], "birth_info": None})
    await bo.api("PUT", MEMORY, data="- walks at dawn\n")
    await bo.go("profile")
    birth = bo.page.get_by_role("form", name=bo.of("Birth", "出生信息"))
    await birth.get_by_label(bo.of("Date", "日期")).fill("1990-05-17")
    await birth.get_by_role("button", name=bo.of("Save", "保存")).click()
    await expect(birth.get_by_role("status")).to_be_visible()
    forget = bo.of("Forget “likes short answers”", "忘掉“likes short answers”")
    await bo.page.get_by_role("button", name=forget).click()
    await expect(bo.page.get_by_text("likes short answers")).to_have_count(0)
    memory = bo.page.get_by_role("region", name=bo.of("Memory", "记忆"))
    await expect(memory.locator("textarea")).to_have_value("- walks at dawn\n")
    await memory.scroll_into_view_if_needed()
    await bo.shot("memory")
    await memory.get_by_role("button", name=bo.of("Delete the memory", "删除记忆")).click()
    await bo.page.get_by_role("dialog").get_by_role("button", name=bo.of("Delete", "删除"), exact=True).click()
    await expect(memory.locator("textarea")).to_have_value("")
    stored = await bo.api("GET", "/api/profile")
    assert (stored["extracted"], stored["birth_info"]["date"]) == ([], "1990-05-17")
    assert await bo.api("GET", MEMORY) == 404
