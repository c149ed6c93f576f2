"""Calls that wait for a word: nothing runs before, and every answer reaches the model (SURF-4, TOOL-3)."""

import json

from playwright.async_api import expect

from tests.console.browser import Visitor
from tests.turns import calls
from weft.llm.scripted import Answer, ScriptedVendor


async def _asks_to_write(bo: Visitor, script: ScriptedVendor, path: str) -> None:
    script.enqueue(Answer(tool_calls=(calls("write_file", path=path, content="milk"),)))
    await bo.go()
    await bo.say("Note: milk")
    await expect(bo.page.locator(".entry.approval")).to_contain_text("write_file")


def _told(script: ScriptedVendor) -> str:
    """What the vendor was told last."""
    return json.dumps(script.log[-1].json["messages"], ensure_ascii=False)


async def test_a_call_is_approved(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, TOOL-3: nothing runs before; the list says who waits; the card goes once it is decided."""
    path = f"a-{bo.case}.md"
    await _asks_to_write(bo, script, path)
    await expect(bo.page.locator(".entry.tool")).to_contain_text(bo.of("waits for you", "等你决定"))
    await expect(bo.page.locator(".threads li.current")).to_contain_text(bo.of("waits for you", "等你决定"))
    assert await bo.api("GET", f"/api/workspace/files/{path}") == 404
    await bo.shot("approval")
    script.enqueue(Answer("Noted: milk."))
    await bo.button("Approve", "批准").click()
    await bo.answered("Noted")
    await expect(bo.page.locator(".entry.approval")).to_have_count(0)
    await expect(bo.page.locator(".entry.tool")).to_contain_text(bo.of("done", "完成"))
    assert await bo.transcript() == ["Note: milk", "Noted: milk."]
    assert await bo.api("GET", f"/api/workspace/files/{path}") == "milk"


async def test_a_call_is_approved_with_other_arguments(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, TOOL-3: a form made of the tool's schema; what is needed must stand there."""
    await _asks_to_write(bo, script, "b.md")
    await bo.button("Edit", "修改").click()
    content = bo.page.get_by_label("content")
    await content.fill("")
    await bo.page.get_by_label("path").fill("")
    approve = bo.button("Approve with these", "按此批准")
    await approve.click()
    await expect(bo.page.locator(".entry.approval .wrong").first).to_be_visible()
    await bo.page.get_by_label("path").fill(f"shopping-{bo.case}.md")
    await content.fill("milk\nbread")
    await bo.shot("approval-edit")
    script.enqueue(Answer("Noted: milk and bread."))
    await approve.click()
    await bo.answered("bread")
    assert f"shopping-{bo.case}.md" in _told(script)
    assert await bo.api("GET", f"/api/workspace/files/shopping-{bo.case}.md") == "milk\nbread"


async def test_a_call_is_denied_after_a_reload(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, TOOL-3: the card is there again; the reason reaches the model."""
    await _asks_to_write(bo, script, "c.md")
    await bo.page.reload()
    await bo.button("Deny", "拒绝").click()
    await bo.page.get_by_label(bo.of("Why not?", "为什么不？")).fill("not today")
    await bo.shot("approval-deny")
    script.enqueue(Answer("Then I leave it."))
    await bo.button("Deny", "拒绝").click()
    await bo.answered("leave it")
    await expect(bo.page.locator(".entry.tool")).to_contain_text(bo.of("denied", "已拒绝"))
    assert "not today" in _told(script)


async def test_several_calls_are_decided_one_by_one(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, TOOL-3: each has its card, and the run goes on when the last one is decided."""
    both = [calls("write_file", f"call_{name}", path=f"{name}.md", content=name) for name in ("one", "two")]
    script.enqueue(Answer(tool_calls=tuple(both)))
    await ann.go()
    await ann.say("Write two")
    cards = ann.page.locator(".entry.approval")
    await expect(cards).to_have_count(2)
    await expect(cards.first).to_contain_text("one.md")  # in the order of the calls
    await cards.first.get_by_role("button", name="Approve").click()
    await expect(cards.first).to_contain_text("waiting for the others")
    await ann.shot("approval-several")
    script.enqueue(Answer("One of two."))
    await cards.last.get_by_role("button", name="Deny").click()
    await cards.last.get_by_role("button", name="Deny").click()
    await ann.answered("One of two.")
    tools = ann.page.locator(".entry.tool")
    await expect(tools.nth(0)).to_contain_text("done")
    await expect(tools.nth(1)).to_contain_text("denied")
