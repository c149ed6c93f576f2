"""Ledger, skills, profile, AI infrastructure: everything on them works, on a laptop and on a phone (SURF-4)."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import expect

from tests.console.browser import DESKTOP, PHONE, Visitor, Visits
from tests.console.server import Server
from tests.turns import calls
from weft.llm.scripted import Answer, ScriptedVendor

MEMORY = "/api/workspace/files/memory/MEMORY.md"
SKILL = (
    "---\nname: {name}\ndescription: Helps to brew tea. Use when somebody asks for tea.\n---\n\nWarm the pot first.\n"
)


@pytest.fixture(params=["en-desktop", "zh-phone"])
async def bo(
    visits: Visits, server: Server, script: ScriptedVendor, request: pytest.FixtureRequest
) -> AsyncIterator[Visitor]:
    """Somebody who reads English at a laptop, then somebody who reads Chinese on a phone at night."""
    english = request.param == "en-desktop"
    language, size = ("en-US", DESKTOP) if english else ("zh-CN", PHONE)
    scheme = "light" if english else "dark"
    async with visits.visit(server.url, language, size, color_scheme=scheme, has_touch=not english) as visitor:
        visitor.case = request.param
        yield visitor


def _of(bo: Visitor, english: str, chinese: str) -> str:
    return english if bo.case.startswith("en") else chinese


async def test_the_chat_in_both_languages(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: the whole walk of a turn, with a skill, a tool, and the run beside it."""
    script.enqueue(Answer(tool_calls=(calls("use_skill", skill="lifecoach"),)))
    script.enqueue(Answer("慢慢来，先说说今天。\n\n1. 停一停\n2. 看一看\n3. 走一步"))
    await bo.go()
    await bo.shot(f"{bo.case}-welcome")
    await bo.say(_of(bo, "I feel stuck", "我有点卡住了"))
    await bo.answered("走一步")
    await expect(bo.page.locator(".skill-chip")).to_contain_text("lifecoach")
    await bo.shot(f"{bo.case}-chat")
    if bo.case == "zh-phone":
        await bo.page.get_by_role("button", name="运行").click()
    await expect(bo.page.locator(".timeline-row").first).to_be_visible()
    await bo.shot(f"{bo.case}-timeline")
    await bo.page.get_by_role("tab", name=_of(bo, "Context", "上下文")).click()
    await expect(bo.page.locator(".blocks .block").first).to_be_visible()
    await bo.shot(f"{bo.case}-context")


async def test_the_ledger_adds_up_and_leads_to_messages(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, LED-7: sums as the API has them; by day, conversation, model and key; each figure leads on."""
    script.enqueue(Answer("Booked."))
    await bo.go()
    await bo.say("What does this cost?")
    await bo.answered("Booked.")
    await bo.go("ledger")
    total = (await bo.api("GET", "/api/usage"))["totals"][0]
    await expect(bo.page.locator(".ledger-sums")).to_contain_text(f"{total['calls']:,}")
    await expect(bo.page.locator(".ledger-sums")).to_contain_text(f"{total['input_tokens']:,}")
    await expect(bo.page.locator(".plot-bar")).to_have_count(1)
    tables = bo.page.locator("table")
    await expect(tables).to_have_count(3)
    await bo.shot(f"{bo.case}-ledger")
    await bo.page.locator(".plot a").press("Enter")
    await expect(bo.page.locator("tbody tr").first).to_be_visible()
    await bo.shot(f"{bo.case}-ledger-day")
    await bo.page.get_by_role("link", name="What does this cost?").first.click()
    await expect(bo.answers.first).to_contain_text("Booked.")
    await expect(bo.page.locator(".proportion-bar")).to_be_visible()


async def test_skills_are_looked_at_proposed_and_reviewed(bo: Visitor) -> None:
    """SURF-4, SKILL-9: catalogue, a page, a proposal with its difference, accepted and rejected."""
    name = f"tea-{bo.case}"
    await bo.go("skills")
    await bo.shot(f"{bo.case}-skills")
    await bo.page.get_by_role("link", name="tarot").click()
    await expect(bo.page.locator(".markdown li").first).to_be_visible()
    await bo.go("skills/proposals")
    await _propose(bo, name)
    await expect(bo.page.locator(".diff .added", has_text="Warm the pot first.")).to_be_visible()
    await bo.shot(f"{bo.case}-proposal")
    await bo.page.get_by_role("button", name=_of(bo, "Accept and put in place", "接受并生效")).click()
    await expect(bo.page.locator(".tag", has_text=_of(bo, "active", "已生效"))).to_be_visible()
    await bo.go(f"skills/{name}")
    await expect(bo.page.locator(".markdown")).to_contain_text("Warm the pot first.")
    await bo.go("skills/proposals")
    await _propose(bo, f"no-{name}")
    reject = bo.page.get_by_role("button", name=_of(bo, "Reject", "拒绝"))
    await expect(reject).to_be_disabled()
    await bo.page.get_by_label(_of(bo, "Reason", "理由")).fill("one is enough")
    await reject.click()
    await expect(bo.page.locator(".tag.bad")).to_be_visible()
    assert await bo.api("GET", f"/api/skills/no-{name}") == 404


async def _propose(bo: Visitor, name: str) -> None:
    await bo.page.get_by_role("button", name=_of(bo, "Propose a skill", "提出新技能")).click()
    dialog = bo.page.get_by_role("dialog")
    await dialog.get_by_label("SKILL.md").fill(SKILL.format(name=name))
    await dialog.get_by_role("button", name=_of(bo, "Send to review", "提交审核")).click()
    await expect(bo.page.locator("h1")).to_have_text(name)


async def test_the_profile_is_changed_and_what_is_wrong_stands_at_its_field(bo: Visitor) -> None:
    """SURF-4, PRO-3: refused with the reason at the field and nothing stored; then saved."""
    await bo.go("profile")
    zone = bo.page.get_by_label(_of(bo, "Time zone", "时区")).first
    before = (await bo.api("GET", "/api/profile"))["settings"]
    await zone.fill("GMT+8")
    settings = bo.page.get_by_role("form", name=_of(bo, "Settings", "设置"))
    save = settings.get_by_role("button", name=_of(bo, "Save", "保存"))
    await save.click()
    await expect(settings.locator(".wrong")).to_contain_text("GMT+8")
    await expect(zone).to_have_attribute("aria-invalid", "true")
    assert (await bo.api("GET", "/api/profile"))["settings"] == before
    await bo.shot(f"{bo.case}-profile")
    await zone.fill("Asia/Tokyo")
    await settings.get_by_label(_of(bo, "Name", "名字")).fill("小雨")
    await save.click()
    await expect(settings.get_by_role("status")).to_be_visible()
    stored = await bo.api("GET", "/api/profile")
    assert (stored["username"], stored["settings"]["preferences"]["timezone"]) == ("小雨", "Asia/Tokyo")


async def test_birth_data_facts_and_memory_are_seen_changed_and_deleted(bo: Visitor) -> None:
    """SURF-4, PRO-8, WORK-6: what was learned is the user's to delete."""
    fact = {"fact": "likes short answers", "source": "conversation", "confidence": 0.9}
    await bo.api("PATCH", "/api/profile", data={"extracted": [fact], "birth_info": None})
    await bo.api("PUT", MEMORY, data="- walks at dawn\n")
    await bo.go("profile")
    birth = bo.page.get_by_role("form", name=_of(bo, "Birth", "出生信息"))
    await birth.get_by_label(_of(bo, "Date", "日期")).fill("1990-05-17")
    await birth.get_by_role("button", name=_of(bo, "Save", "保存")).click()
    await expect(birth.get_by_role("status")).to_be_visible()
    forget = _of(bo, "Forget “likes short answers”", "忘掉“likes short answers”")
    await bo.page.get_by_role("button", name=forget).click()
    await expect(bo.page.get_by_text("likes short answers")).to_have_count(0)
    memory = bo.page.get_by_role("region", name=_of(bo, "Memory", "记忆"))
    await expect(memory.locator("textarea")).to_have_value("- walks at dawn\n")
    await memory.scroll_into_view_if_needed()
    await bo.shot(f"{bo.case}-memory")
    await memory.get_by_role("button", name=_of(bo, "Delete the memory", "删除记忆")).click()
    await bo.page.get_by_role("dialog").get_by_role("button", name=_of(bo, "Delete", "删除"), exact=True).click()
    await expect(memory.locator("textarea")).to_have_value("")
    stored = await bo.api("GET", "/api/profile")
    assert (stored["extracted"], stored["birth_info"]["date"]) == ([], "1990-05-17")
    assert await bo.api("GET", MEMORY) == 404


async def test_the_infrastructure_is_shown_changed_and_tested(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, INFRA-1: vendors, keys that are written and never read, endpoints, models, prices, a test call."""
    name = f"shop-{bo.case}"
    await bo.go("infra/vendors")
    await _add(bo, **{_of(bo, "Name", "名称"): name})
    await bo.shot(f"{bo.case}-vendors")
    await bo.go("infra/endpoints")
    await _add(bo, vendor=name, **{_of(bo, "Address", "地址"): script.base_url})
    await bo.go("infra/models")
    await _add(bo, vendor=name, **{_of(bo, "Model", "模型"): "scripted"})
    await bo.go("infra/keys")
    await _add(bo, vendor=name, **{_of(bo, "Key", "密钥"): "sk-never-shown-again-1234"})
    await expect(bo.page.locator("tr", has_text=name)).to_contain_text("1234")
    assert "never-shown" not in await bo.page.content()
    await bo.shot(f"{bo.case}-keys")
    await bo.go("infra/prices")
    rates = {
        _of(bo, "Input", "输入"): "2",
        _of(bo, "Output", "输出"): "3",
        _of(bo, "Where this price is", "价格出处"): "a test",
    }
    await _add(bo, model=f"{name}/scripted", **rates)
    await bo.shot(f"{bo.case}-prices")
    script.enqueue(Answer("Hello from the shop."))
    await bo.go("infra/test")
    await bo.page.get_by_label(_of(bo, "Model", "模型")).fill(f"{name}/scripted")
    await bo.page.get_by_role("button", name=_of(bo, "Call the model", "调用模型")).click()
    result = bo.page.get_by_role("status").filter(has_text="Hello from the shop.")
    await expect(result).to_contain_text("¥")
    await bo.shot(f"{bo.case}-test-call")
    await bo.go("infra/vendors")
    row = bo.page.locator("tr", has_text=name)
    await row.get_by_role("button", name=_of(bo, "Disable", "停用")).click()
    await expect(row.get_by_role("button", name=_of(bo, "Enable", "启用"))).to_be_visible()
    await row.get_by_role("button", name=_of(bo, f"Remove {name}", f"移除 {name}")).click()
    await bo.page.get_by_role("dialog").get_by_role("button", name=_of(bo, "Delete", "删除"), exact=True).click()
    await expect(row).to_have_count(0)


async def _add(bo: Visitor, vendor: str = "", model: str = "", **fields: Any) -> None:
    await bo.page.get_by_role("button", name=_of(bo, "Add", "添加"), exact=True).click()
    dialog = bo.page.get_by_role("dialog")
    if vendor:
        await dialog.get_by_label(_of(bo, "Vendor", "厂商")).select_option(vendor)
    if model:
        await dialog.get_by_label(_of(bo, "Model", "模型")).select_option(model)
    for label, value in fields.items():
        await dialog.get_by_label(label, exact=label in ("Input", "输入", "Output", "输出", "Key", "密钥")).fill(value)
    await dialog.get_by_role("button", name=_of(bo, "Save", "保存")).click()
    await expect(dialog).to_have_count(0)
