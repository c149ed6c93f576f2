"""The first minute: it works offline at once, says so, and connects a real vendor in one form (SURF-4, INFRA-4)."""

import pytest
from playwright.async_api import expect

from tests.console.browser import Visitor
from weft.llm.scripted import Answer, ScriptedVendor


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    """A Weft as it is after `make run`: no vendor is named."""
    return {"WEFT_LLM_BASE_URL": "", "WEFT_LLM_MODEL": ""}


async def test_it_works_offline_at_once_and_then_with_a_real_vendor(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: one press for the first answer, one form for the vendor; what it says from then on is the vendor's."""
    await ann.go()
    note = ann.page.locator(".offline-note")
    await expect(note).to_contain_text("offline model")
    await ann.shot("first-run")
    await ann.page.get_by_role("button", name="What can you do for me?").click()
    await expect(ann.answers.first).not_to_be_empty(timeout=60_000)
    await ann.settled()
    await ann.shot("first-answer")
    await ann.page.get_by_role("link", name="New conversation").first.click()
    await note.get_by_role("link").click()
    await ann.page.get_by_label("Vendor").fill("here")
    await ann.page.get_by_label("Address").fill(script.base_url)
    await ann.page.get_by_label("Model").fill("scripted")
    script.enqueue(Answer("I am here."))
    await ann.page.get_by_role("button", name="Connect and test").click()
    await expect(ann.page.get_by_text("I am here.")).to_be_visible()
    await ann.shot("connected")
    await ann.go()
    await expect(ann.page.locator(".welcome")).to_be_visible()
    script.enqueue(Answer("The vendor speaks."))
    await ann.say("Who is there?")
    await ann.answered("The vendor speaks.")
    await ann.page.get_by_role("link", name="New conversation").first.click()
    await expect(note).to_have_count(0)


async def test_a_vendor_that_does_not_answer_is_told_of_and_not_made_the_default(
    ann: Visitor, script: ScriptedVendor
) -> None:
    """SURF-4: the reason stands in the form, and conversations go on as before."""
    await ann.go("infra/connect")
    await ann.page.get_by_label("Vendor").fill("nowhere")
    await ann.page.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    await ann.page.get_by_label("Model").fill("nothing")
    await ann.page.get_by_role("button", name="Connect and test").click()
    await expect(ann.page.get_by_role("alert")).to_be_visible(timeout=30_000)
    aliases = await ann.page.evaluate("async () => (await fetch('/api/infra/aliases')).json()")
    assert "nowhere/nothing" not in str(aliases)
