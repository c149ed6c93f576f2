"""The chat: text as it comes, tools, skills, approvals, and what a user can do about each (SURF-4)."""

import json

from playwright.async_api import expect

from tests.console.browser import Visitor
from tests.turns import calls
from weft.llm.scripted import Answer, Refusal, ScriptedVendor

PLAN = "## A calm week\n\n- **Monday**: walk\n- *Tuesday*: `read`\n\n| day | do |\n| --- | --- |\n| Wed | rest |\n"
EVIL = (
    'Look: <img src="https://evil.example/a.png" onerror="document.title=1"> <script>document.title=2</script>\n\n'
    "![seen](https://evil.example/b.png) [click](javascript:document.title='owned') [good](https://weft.example/x)"
)


async def test_an_answer_streams_and_is_shown_as_markdown(ann: Visitor, vendor: ScriptedVendor) -> None:
    """SURF-4: text grows while it comes, and becomes lists, tables and code."""
    vendor.enqueue(Answer(PLAN, by=6, gap=0.03))
    await ann.go()
    await ann.say("Plan my week")
    growing = ann.page.locator(".entry.answer.open")
    await expect(growing).to_contain_text("calm")
    await ann.shot("chat-streaming")
    await ann.answered("rest")
    assert await ann.page.locator(".entry.answer li").count() == 2
    assert await ann.page.locator(".entry.answer td").all_inner_texts() == ["Wed", "rest"]
    await expect(ann.page.locator(".usage-line")).to_contain_text("out")
    await expect(ann.page.locator(".threads li.current")).to_contain_text("Plan my week")
    await ann.shot("chat-answered")


async def test_the_first_token_is_painted_within_a_frame_of_its_arrival(ann: Visitor, vendor: ScriptedVendor) -> None:
    """SURF-4: from the bytes at the page to the painted text goes no more than one frame."""
    await ann.go()
    await ann.page.evaluate(WATCH_FIRST_TOKEN)
    vendor.enqueue(Answer("Hello there, and welcome.", first_delay=0.4, gap=0.05))
    await ann.say("hi")
    await ann.answered("welcome.")
    frames = await ann.page.evaluate("() => window.framesToFirstToken")
    assert frames is not None
    assert frames <= 1


WATCH_FIRST_TOKEN = """() => {
  const parse = JSON.parse;
  window.framesToFirstToken = null;
  let arrived = false, frames = 0;
  JSON.parse = text => {
    const value = parse(text);
    if (!arrived && value && value.type === "TEXT_MESSAGE_CONTENT") {
      arrived = true;
      const frame = () => {
        frames += 1;
        // asked for before the page's own work of this frame, so it is looked at when that is done
        queueMicrotask(() => setTimeout(() => {
          if (window.framesToFirstToken === null && document.querySelector(".entry.answer .markdown")?.innerText)
            window.framesToFirstToken = frames;
        }));
        if (window.framesToFirstToken === null && frames < 120) requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    }
    return value;
  };
}"""


async def test_what_a_model_writes_is_never_run_and_fetches_nothing(ann: Visitor, vendor: ScriptedVendor) -> None:
    """SURF-4: HTML is shown as it is written, other schemes are no links, pictures from elsewhere are links."""
    vendor.enqueue(Answer(EVIL))
    await ann.go()
    await ann.say("show me")
    await ann.answered("good")
    answer = ann.answers.first
    assert await answer.locator("img, script").count() == 0
    assert await answer.locator("a:not(.usage-line)").all_inner_texts() == ["seen", "good"]
    assert "<script>" in await answer.inner_text()
    assert await ann.page.title() == "Chat · Weft"


async def test_a_tool_call_shows_its_arguments_and_its_result(ann: Visitor, vendor: ScriptedVendor) -> None:
    """SURF-4: closed at first, opened by the keyboard."""
    vendor.enqueue(Answer(tool_calls=(calls("list_dir", path="."),)), Answer("Your workspace is empty."))
    await ann.go()
    await ann.say("What files do I have?")
    await ann.answered("empty")
    tool = ann.page.locator(".entry.tool")
    await expect(tool).to_contain_text("done")
    await expect(tool.locator(".tool-body")).to_be_hidden()
    await tool.locator("summary").focus()
    await ann.page.keyboard.press("Enter")
    await expect(tool.locator("pre").first).to_contain_text('"path": "."')
    await expect(tool.locator("pre")).to_have_count(2)
    await ann.shot("chat-tool")


async def test_a_skill_is_shown_as_soon_as_it_is_taken_on(ann: Visitor, vendor: ScriptedVendor) -> None:
    """SURF-4, SKILL-3: before the answer, once, and again after a reload."""
    vendor.enqueue(Answer(tool_calls=(calls("use_skill", skill="tarot"),)))
    vendor.enqueue(Answer("Let us draw a card together.", first_delay=0.7, gap=0.03))
    await ann.go()
    await ann.say("A card, please")
    chip = ann.page.locator(".skill-chip")
    await expect(chip).to_contain_text("tarot")
    await expect(ann.answers).to_have_count(0)
    await ann.answered("together.")
    await expect(chip).to_have_count(1)
    await expect(ann.page.locator(".chat-head .tag")).to_contain_text("tarot")
    await ann.shot("chat-skill")
    await ann.page.reload()
    await expect(chip).to_have_count(1)
    await expect(ann.answers).to_have_count(1)


async def _asks_to_write(ann: Visitor, vendor: ScriptedVendor, path: str) -> None:
    vendor.enqueue(Answer(tool_calls=(calls("write_file", path=path, content="milk"),)))
    await ann.go()
    await ann.say("Note: milk")
    await expect(ann.page.locator(".entry.approval")).to_contain_text("write_file")


def _last_result(vendor: ScriptedVendor) -> str:
    """What the vendor was told of the call."""
    return json.dumps(vendor.log[-1].json["messages"], ensure_ascii=False)


async def test_a_call_is_approved(ann: Visitor, vendor: ScriptedVendor) -> None:
    """SURF-4, TOOL-3: nothing runs before; the card goes once it is decided."""
    await _asks_to_write(ann, vendor, "a.md")
    await expect(ann.page.locator(".entry.tool")).to_contain_text("waits for you")
    await ann.shot("approval")
    vendor.enqueue(Answer("Noted: milk."))
    await ann.page.get_by_role("button", name="Approve").click()
    await ann.answered("Noted")
    await expect(ann.page.locator(".entry.approval")).to_have_count(0)
    await expect(ann.page.locator(".entry.tool")).to_contain_text("done")
    assert await ann.transcript() == ["Note: milk", "Noted: milk."]


async def test_a_call_is_approved_with_other_arguments(ann: Visitor, vendor: ScriptedVendor) -> None:
    """SURF-4, TOOL-3: a form made of the tool's schema; what is needed must stand there."""
    await _asks_to_write(ann, vendor, "b.md")
    await ann.page.get_by_role("button", name="Edit").click()
    content = ann.page.get_by_label("content")
    await content.fill("")
    await ann.page.get_by_label("path").fill("")
    await ann.page.get_by_role("button", name="Approve with these").click()
    await expect(ann.page.locator(".entry.approval .wrong").first).to_be_visible()
    await ann.page.get_by_label("path").fill("shopping.md")
    await content.fill("milk and bread")
    await ann.shot("approval-edit")
    vendor.enqueue(Answer("Noted: milk and bread."))
    await ann.page.get_by_role("button", name="Approve with these").click()
    await ann.answered("bread")
    assert "shopping.md" in _last_result(vendor)


async def test_a_call_is_denied_after_a_reload(ann: Visitor, vendor: ScriptedVendor) -> None:
    """SURF-4, TOOL-3: the card is there again; the reason reaches the model."""
    await _asks_to_write(ann, vendor, "c.md")
    await ann.page.reload()
    await ann.page.get_by_role("button", name="Deny").click()
    await ann.page.get_by_label("Why not?").fill("not today")
    vendor.enqueue(Answer("Then I leave it."))
    await ann.page.get_by_role("button", name="Deny").click()
    await ann.answered("leave it")
    await expect(ann.page.locator(".entry.tool")).to_contain_text("denied")


async def test_an_answer_is_stopped(ann: Visitor, vendor: ScriptedVendor) -> None:
    """SURF-4: the vendor is left at once; what was said stays, marked as incomplete."""
    vendor.enqueue(Answer("word " * 400, gap=0.05))
    await ann.go()
    await ann.say("Tell me everything")
    await expect(ann.answers.first).to_contain_text("word word")
    await ann.page.get_by_role("button", name="Stop").click()
    await ann.settled()
    await expect(ann.answers.first).to_contain_text("incomplete")
    await ann.shot("chat-stopped")
    assert len(await ann.answers.first.inner_text()) < 1500


async def test_what_failed_is_tried_again(ann: Visitor, vendor: ScriptedVendor) -> None:
    """SURF-4: the failure is told in words, and the same is said again by one press."""
    vendor.enqueue(Refusal(400, body=b'{"error":{"message":"bad request","type":"invalid_request_error"}}'))
    await ann.go()
    await ann.say("Hello?")
    retry = ann.page.get_by_role("button", name="Try again")
    await expect(retry).to_be_visible(timeout=20_000)
    await ann.shot("chat-failed")
    vendor.enqueue(Answer("Here I am."))
    await retry.click()
    await ann.answered("Here I am.")
    await expect(retry).to_have_count(0)


async def test_a_picture_goes_with_a_message(ann: Visitor, vendor: ScriptedVendor) -> None:
    """SURF-4, WORK-4: chosen, shown small, sent, and still there after a reload."""
    vendor.enqueue(Answer("A red square."))
    await ann.go()
    picture = await ann.page.evaluate_handle(RED_SQUARE)
    await ann.page.evaluate(
        "file => { const all = new DataTransfer(); all.items.add(file);"
        " const box = document.querySelector('input[type=file]'); box.files = all.files;"
        " box.dispatchEvent(new Event('change', {bubbles: true})); }",
        picture,
    )
    await expect(ann.page.locator(".picture-chosen")).to_have_count(1)
    await ann.say("What is this?")
    await ann.answered("red square")
    await expect(ann.page.locator(".entry.user img, .entry.user .tag")).to_have_count(1)
    await ann.shot("chat-picture")
    await ann.page.reload()
    await expect(ann.page.locator(".entry.user img, .entry.user .tag")).to_have_count(1)


RED_SQUARE = """async () => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "red";
  pen.fillRect(0, 0, 64, 64);
  const blob = await new Promise(done => canvas.toBlob(done, "image/png"));
  return new File([blob], "square.png", {type: "image/png"});
}"""


async def test_a_conversation_is_deleted(ann: Visitor, vendor: ScriptedVendor) -> None:
    """SURF-4: after a question, and it is gone from the list."""
    vendor.enqueue(Answer("Gone soon."))
    await ann.go()
    await ann.say("Delete me later")
    await ann.answered("Gone soon.")
    await ann.page.get_by_role("button", name="Delete “Delete me later”").click()
    await ann.page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    await expect(ann.page.get_by_text("Delete me later")).to_have_count(0)
    await expect(ann.page.locator(".welcome")).to_be_visible()
