"""Lost pages, servers, networks: the transcript is right afterwards, nothing missing, nothing doubled (SURF-4)."""

import asyncio

import pytest
from playwright.async_api import expect

from tests.console.browser import Visitor, Visits
from tests.console.server import Server
from tests.turns import calls
from weft.llm.scripted import Answer, ScriptedVendor

COUNTED = " ".join(f"n{number}" for number in range(120))
SLOWLY = Answer(COUNTED, gap=0.06)


async def _in_mid_answer(ann: Visitor, vendor: ScriptedVendor) -> None:
    vendor.enqueue(SLOWLY)
    await ann.go()
    await ann.say("Count")
    await expect(ann.page.locator(".entry.answer")).to_contain_text("n20 ", timeout=20_000)


async def _complete(ann: Visitor) -> None:
    await expect(ann.answers.first).to_contain_text("n119", timeout=60_000)
    await ann.settled()
    assert await ann.transcript() == ["Count", COUNTED]
    await ann.page.reload()
    await expect(ann.answers.first).to_contain_text("n119")
    assert await ann.transcript() == ["Count", COUNTED]


async def test_a_reload_in_mid_answer(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-1, SURF-4: the answer goes on where it stands, to the last word."""
    await _in_mid_answer(ann, script)
    await ann.page.reload()
    await expect(ann.page.locator(".entry.answer")).to_contain_text("n20 ")
    assert len(await ann.transcript()) == 2
    await _complete(ann)


async def test_a_second_tab_joins_the_answer(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-1, SURF-4: the same address beside the first one, where it stands and then word by word."""
    await _in_mid_answer(ann, script)
    other = await ann.page.context.new_page()
    await other.goto(ann.page.url)
    growing = other.locator(".entry.answer.open")
    await expect(growing).to_contain_text("n20 ")
    assert "n119" not in await growing.inner_text()
    await expect(other.locator(".entry.answer")).to_contain_text("n119", timeout=60_000)
    assert await other.locator(".entry .bubble, .entry.answer .markdown").all_text_contents() == ["Count", COUNTED]
    await other.close()
    await _complete(ann)


async def test_another_device_shows_the_answer_as_soon_as_it_is_whole(
    visits: Visits, server: Server, ann: Visitor, script: ScriptedVendor
) -> None:
    """SURF-4: a browser that did not begin the run says that it is under way, and could stop it."""
    await _in_mid_answer(ann, script)
    async with visits.visit(server.url) as other:
        await other.page.goto(ann.page.url)
        await expect(other.button("Stop", "")).to_be_enabled()
        await expect(other.answers.first).to_contain_text("n119", timeout=60_000)
        await other.settled()
        assert await other.transcript() == ["Count", COUNTED]
    await _complete(ann)


async def test_another_conversation_is_looked_at_in_mid_answer(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: the run goes on being heard, and is whole on the way back."""
    await _in_mid_answer(ann, script)
    await ann.page.get_by_role("link", name="New conversation").first.click()
    await expect(ann.page.locator(".welcome")).to_be_visible()
    await ann.page.go_back()
    await _complete(ann)


async def test_the_network_goes_and_comes_back(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: it is told, tried again, and joined again."""
    await _in_mid_answer(ann, script)
    cut = await ann.page.context.new_cdp_session(ann.page)
    await cut.send("Network.enable")
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    await cut.send("Network.emulateNetworkConditions", offline)
    await ann.page.evaluate("() => window.dispatchEvent(new Event('offline'))")
    await asyncio.sleep(1)
    await cut.send("Network.emulateNetworkConditions", offline | {"offline": False})
    await _complete(ann)


async def test_a_slow_network(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: late and in small pieces, and all the same whole."""
    slow = await ann.page.context.new_cdp_session(ann.page)
    await slow.send("Network.enable")
    await ann.go()
    await slow.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 400, "downloadThroughput": 6_000, "uploadThroughput": 6_000},
    )
    script.enqueue(SLOWLY)
    await ann.say("Count")
    await expect(ann.answers.first).to_contain_text("n119", timeout=90_000)
    await ann.settled()
    assert await ann.transcript() == ["Count", COUNTED]


async def test_a_reload_on_a_slow_network_in_mid_answer(ann: Visitor, script: ScriptedVendor) -> None:
    """SURF-4: both at once."""
    await _in_mid_answer(ann, script)
    slow = await ann.page.context.new_cdp_session(ann.page)
    await slow.send("Network.enable")
    await slow.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 300, "downloadThroughput": 20_000, "uploadThroughput": 20_000},
    )
    await ann.page.reload()
    await _complete(ann)


@pytest.mark.timeout(180)
async def test_the_server_is_restarted_in_mid_answer(ann: Visitor, server: Server, script: ScriptedVendor) -> None:
    """SURF-4, STATE-5: as an operator restarts it; the page needs nobody's help."""
    await _in_mid_answer(ann, script)
    script.enqueue(Answer(COUNTED))
    await asyncio.to_thread(server.stop)
    await asyncio.to_thread(server.start)
    await expect(ann.page.get_by_text("Joining again")).to_have_count(0, timeout=60_000)
    await ann.settled()
    await _ends_with_one_whole_answer(ann)


@pytest.mark.timeout(180)
async def test_the_server_is_killed_in_mid_answer(ann: Visitor, server: Server, script: ScriptedVendor) -> None:
    """SURF-4, STATE-5: the page says so, waits, joins again, and ends with one whole answer."""
    await _in_mid_answer(ann, script)
    await asyncio.to_thread(server.kill)
    await expect(ann.page.get_by_text("Joining again")).to_be_visible()
    await ann.shot("chat-server-lost")
    script.enqueue(Answer(COUNTED))
    await asyncio.to_thread(server.start)
    await expect(ann.page.get_by_text("Joining again")).to_have_count(0, timeout=60_000)
    await ann.settled()
    await _ends_with_one_whole_answer(ann)


async def _ends_with_one_whole_answer(ann: Visitor) -> None:
    """What was said before the server went may stand before it, marked as not whole; nothing stands there twice."""
    await expect(ann.answers.last).to_contain_text("n119", timeout=60_000)
    shown = await ann.transcript()
    await ann.page.reload()
    await expect(ann.answers.last).to_contain_text("n119")
    assert await ann.transcript() == shown
    assert (shown[0], shown[-1]) == ("Count", COUNTED)
    assert shown.count("Count") == 1
    assert all(COUNTED.startswith(each) for each in shown[1:-1])


@pytest.mark.timeout(180)
async def test_an_approval_outlives_the_server(ann: Visitor, server: Server, script: ScriptedVendor) -> None:
    """SURF-4, TOOL-3: decided after a restart, in the page that was open all the time."""
    script.enqueue(Answer(tool_calls=(calls("write_file", path="kept.md", content="x"),)))
    await ann.go()
    await ann.say("Keep it")
    card = ann.page.locator(".entry.approval")
    await expect(card).to_be_visible(timeout=20_000)
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    script.enqueue(Answer("Kept."))
    await ann.page.get_by_role("button", name="Approve").click()
    await expect(ann.answers.first).to_contain_text("Kept.", timeout=60_000)
    await ann.settled()
    assert await ann.transcript() == ["Keep it", "Kept."]
