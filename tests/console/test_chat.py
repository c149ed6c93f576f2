"""The chat: text as it comes, tools, skills, and what a user can do about an answer (SURF-4)."""

from playwright.async_api import expect

from tests.console.browser import Visitor
from tests.turns import calls
from weft.llm.scripted import Answer, Refusal, ScriptedVendor

PLAN = (
    "## A calm week\n\n- **Monday**: walk\n- *Tuesday*: `read`\n\n| day | do |\n| --- | --- |\n| Wed | rest |\n\n"
    "- [x] begun\n- [ ] over\n"
)
EVIL = (
    'Look: <img src="https://evil.example/a.png" onerror="document.title=1"> <script>document.title=2</script>\n\n'
    "![seen](https://evil.example/b.png) [click](javascript:document.title='owned') [good](https://weft.example/x)"
)


async def test_an_answer_streams_and_is_shown_as_markdown(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: text grows while it comes, and becomes lists, tables and code."""
    script.enqueue(Answer(PLAN, by=6, gap=0.2))
    await bo.go()
    await bo.say("Plan my week")
    growing = bo.page.locator(".entry.answer.open")
    await expect(growing).to_contain_text("calm")
    assert "rest" not in await growing.inner_text()
    await bo.shot("chat-streaming")
    await bo.answered("over")
    assert await bo.page.locator(".entry.answer li:not(.task)").count() == 2
    tasks = bo.page.locator(".entry.answer li.task input")
    assert [await each.is_checked() for each in await tasks.all()] == [True, False]
    assert await bo.page.locator(".entry.answer td").all_inner_texts() == ["Wed", "rest"]
    await expect(bo.page.locator(".usage-line")).to_contain_text(bo.of("out", "输出"))
    await expect(bo.page.locator(".threads li.current")).to_contain_text("Plan my week")
    await bo.shot("chat-answered")


async def test_the_first_token_is_painted_within_a_frame_of_its_arrival(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: from the bytes at the page to the painted text goes no more than one frame."""
    await ann.go()
    await ann.page.evaluate(WATCH_FIRST_TOKEN)
    script.enqueue(Answer("Hello there, and welcome.", first_delay=0.4, gap=0.05))
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


async def test_what_a_model_writes_is_never_run_and_fetches_nothing(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: HTML is shown as it is written, other schemes are no links, pictures from elsewhere are links."""
    script.enqueue(Answer(EVIL))
    await ann.go()
    await ann.say("show me")
    await ann.answered("good")
    answer = ann.answers.first
    assert await answer.locator("img, script").count() == 0
    assert await answer.locator("a:not(.usage-line)").all_inner_texts() == ["seen", "good"]
    assert "<script>" in await answer.inner_text()
    assert await ann.page.title() == "Chat · Weft"


async def test_a_tool_call_shows_its_arguments_and_its_result(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: closed at first, opened by the keyboard; it leads to what the model was sent that asked for it."""
    script.enqueue(Answer(tool_calls=(calls("list_dir", path="."),)), Answer("Your workspace is empty."))
    await bo.go()
    await bo.say("What files do I have?")
    await bo.answered("empty")
    tool = bo.page.locator(".entry.tool")
    await expect(tool).to_contain_text(bo.of("done", "完成"))
    await expect(tool.locator(".tool-body")).to_be_hidden()
    await tool.locator("summary").focus()
    await bo.page.keyboard.press("Enter")
    await expect(tool.locator("pre").first).to_contain_text('"path": "."')
    await expect(tool.locator("pre")).to_have_count(2)
    await bo.shot("chat-tool")
    await tool.get_by_role("link").click()
    await expect(bo.page.locator(".proportion-bar")).to_be_visible()


async def test_a_skill_is_shown_as_soon_as_it_is_taken_on(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, SKILL-3: before the answer, once, and again after a reload."""
    script.enqueue(Answer(tool_calls=(calls("use_skill", skill="tarot"),)))
    script.enqueue(Answer("Let us draw a card together.", first_delay=0.7, gap=0.03))
    await bo.go()
    await bo.say("A card, please")
    chip = bo.page.locator(".skill-chip")
    await expect(chip).to_contain_text("tarot")
    await expect(bo.answers).to_have_count(0)
    await bo.answered("together.")
    await expect(chip).to_have_count(1)
    await expect(bo.page.locator(".chat-head .tag")).to_contain_text("tarot")
    await bo.shot("chat-skill")
    await bo.page.reload()
    await expect(chip).to_have_count(1)
    await expect(bo.answers).to_have_count(1)


async def test_an_answer_is_stopped_and_asked_for_again(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: the vendor is left at once; what was said stays, marked as incomplete; one press asks again."""
    script.enqueue(Answer("word " * 400, gap=0.05))
    await bo.go()
    await bo.say("Tell me everything")
    await expect(bo.answers.first).to_contain_text("word word")
    await bo.button("Stop", "停止").click()
    await bo.settled()
    await expect(bo.answers.first).to_contain_text(bo.of("incomplete", "不完整"))
    await bo.shot("chat-stopped")
    assert len(await bo.answers.first.inner_text()) < 1500
    script.enqueue(Answer("In short: all is well."))
    await bo.button("Try again", "重试").click()
    await bo.answered("all is well", 1)
    await expect(bo.button("Try again", "重试")).to_have_count(0)


async def test_what_failed_is_tried_again(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: the failure is told in the reader's words, and the same is said again by one press."""
    script.enqueue(Refusal(400, body=b'{"error":{"message":"bad request","type":"invalid_request_error"}}'))
    await bo.go()
    await bo.say("Hello?")
    retry = bo.button("Try again", "重试")
    await expect(retry).to_be_visible(timeout=20_000)
    await expect(bo.page.get_by_role("alert")).to_contain_text(bo.of("The model's vendor refuses", "模型厂商拒绝"))
    await expect(bo.page.get_by_role("alert")).to_contain_text("bad request")  # the vendor's own words
    await bo.shot("chat-failed")
    script.enqueue(Answer("Here I am."))
    await retry.click()
    await bo.answered("Here I am.")
    await expect(retry).to_have_count(0)


async def test_a_picture_goes_with_a_message(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, WORK-4: chosen, shown small, sent, and still there after a reload."""
    script.enqueue(Answer("A red square."))
    await bo.go()
    picture = await bo.page.evaluate_handle(RED_SQUARE)
    await bo.page.evaluate(
        "file => { const all = new DataTransfer(); all.items.add(file);"
        " const box = document.querySelector('input[type=file]'); box.files = all.files;"
        " box.dispatchEvent(new Event('change', {bubbles: true})); }",
        picture,
    )
    await expect(bo.page.locator(".picture-chosen")).to_have_count(1)
    await bo.shot("picture-chosen")
    await bo.say("What is this?")
    await bo.answered("red square")
    picture_shown = bo.page.locator(".entry.user img")
    await expect(picture_shown).to_have_count(1)
    await bo.shot("chat-picture")
    await bo.page.reload()
    await expect(picture_shown).to_have_count(1)
    assert await picture_shown.evaluate("each => each.decode().then(() => each.naturalWidth)") == 64


async def test_a_picture_is_pasted_dropped_and_taken_away_again(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: by every way that pictures come; what is no picture is refused in words; a press takes one away."""
    models = (await ann.api("GET", "/api/infra/models"))["items"]
    ours = next(each for each in models if each["vendor"] == "env")
    sees = {"abilities": ours["abilities"] | {"vision": True}}
    await ann.api("PATCH", f"/api/infra/models/{ours['id']}", data=sees)
    await ann.go()
    chosen = ann.page.locator(".picture-chosen")
    await ann.composer.evaluate(HAND_OVER, [RED_SQUARE, "paste", "clipboardData"])
    await expect(chosen).to_have_count(1)
    await ann.composer.evaluate(HAND_OVER, [RED_SQUARE, "drop", "dataTransfer"])
    await expect(chosen).to_have_count(2)
    await ann.composer.evaluate(HAND_OVER, ["() => new File(['no'], 'a.txt')", "drop", "dataTransfer"])
    await expect(ann.page.get_by_role("alert")).to_contain_text("PNG")
    await chosen.first.click()
    await expect(chosen).to_have_count(1)
    script.enqueue(Answer("One square."))
    await ann.page.locator(".composer button[type=submit]").click()
    await ann.answered("One square.")
    sent = _pictures(script)
    assert len(sent) == 1
    assert sent[0].startswith("data:image/png;base64,")


def _pictures(script: ScriptedVendor) -> list[str]:
    """The pictures that the vendor was sent last."""
    contents = [each["content"] for each in script.log[-1].json["messages"] if isinstance(each["content"], list)]
    return [part["image_url"]["url"] for content in contents for part in content if part["type"] == "image_url"]


HAND_OVER = """async (area, [made, kind, where]) => {
  const all = new DataTransfer();
  all.items.add(await eval(made)());
  const event = new Event(kind, {bubbles: true, cancelable: true});
  Object.defineProperty(event, where, {value: all});
  area.dispatchEvent(event);
}"""
RED_SQUARE = """async () => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "red";
  pen.fillRect(0, 0, 64, 64);
  const blob = await new Promise(done => canvas.toBlob(done, "image/png"));
  return new File([blob], "square.png", {type: "image/png"});
}"""


async def test_a_draft_waits_while_another_conversation_is_looked_at(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: what is half written is there on the way back, and gone once it is sent."""
    script.enqueue(Answer("First."))
    await ann.go()
    await ann.say("One")
    await ann.answered("First.")
    await ann.composer.fill("half a thought")
    await ann.page.get_by_role("link", name="New conversation").first.click()
    await expect(ann.composer).to_have_value("")
    await ann.page.go_back()
    await expect(ann.composer).to_have_value("half a thought")
    script.enqueue(Answer("Second."))
    await ann.composer.press("Enter")
    await ann.answered("Second.", 1)
    await expect(ann.composer).to_have_value("")


async def test_a_conversation_is_deleted(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: after a question, and it is gone from the list; its address says so."""
    script.enqueue(Answer("Gone soon."))
    await ann.go()
    await ann.say("Delete me later")
    await ann.answered("Gone soon.")
    address = ann.page.url
    await ann.button("Delete “Delete me later”", "").click()
    await ann.shot("delete")
    await ann.page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    await expect(ann.page.get_by_text("Delete me later")).to_have_count(0)
    await expect(ann.page.locator(".welcome")).to_be_visible()
    await ann.page.goto(address)
    await ann.page.reload()
    await expect(ann.page.get_by_role("alert")).to_contain_text("gone")
    await ann.shot("gone")
