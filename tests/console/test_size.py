"""Small and quick: what the browser loads to start, and a long conversation (SURF-4)."""

import re
from pathlib import Path
from typing import Any

import asyncpg
from playwright.async_api import CDPSession, expect

from tests.console.browser import Visitor
from tests.console.server import Server
from weft.kit.ids import new_id
from weft.llm.scripted import Answer, ScriptedVendor

MOST_START_BYTES = 160_000  # of the 400 KB that are allowed
MANY = 2_000
INJECT = """() => {
  try { document.createElement("div").innerHTML = "<b>x</b>"; } catch { return "refused"; }
  return "taken";
}"""
NUMBERS = """() => [...document.querySelectorAll(".entry")]
  .flatMap(each => /message (\\d+):/.exec(each.textContent)?.[1] ?? []).map(Number)"""
FRAMES = 90
SWEEP = 1_200  # pixels a frame: faster than anybody can read, or flick
MOST_WORK = 8.0  # milliseconds of a frame's sixteen
SCROLL = """async ([step, frames]) => {
  const scroller = document.querySelector(".scroller");
  const lasted = [];
  let last = performance.now();
  for (let frame = 0; frame < frames; frame++) {
    scroller.scrollBy(0, step);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    lasted.push(now - last);
    last = now;
  }
  return lasted.sort((one, other) => one - other)[Math.floor(frames / 2)];
}"""


async def test_the_start_bundle_is_small(ann: Visitor, bundle: Path, script: ScriptedVendor) -> None:
    """SURF-4: everything that is loaded before the first word can be written, gzipped."""
    await ann.go()
    await expect(ann.composer).to_be_visible()
    names = {each.rpartition("/")[2] for each in ann.asked if "/console/" in each}
    sizes = {name: (bundle / f"{name}.gz").stat().st_size for name in names}
    assert any(name.endswith(".js") for name in sizes)
    assert sum(sizes.values()) < MOST_START_BYTES, sizes


async def test_a_long_conversation_scrolls_smoothly(ann: Visitor, server: Server, script: ScriptedVendor) -> None:
    """SURF-4: two thousand messages, loaded while one scrolls up, without frames that are missed for long."""
    script.enqueue(Answer("The first."))
    await ann.go()
    await ann.say("Begin")
    await ann.answered("The first.")
    session = ann.page.url.rpartition("/")[2]
    await _fill(server, session)
    await ann.page.reload()
    await expect(ann.page.locator(".entry").last).to_contain_text(f"message {MANY}")
    for _ in range(80):
        if await ann.page.locator(".entry").count() >= MANY:
            break
        await ann.page.evaluate("document.querySelector('.scroller').scrollTo(0, -1e9)")
        await ann.page.wait_for_timeout(120)
    assert await ann.page.evaluate(NUMBERS) == list(range(1, MANY + 1))  # all of them, once, in their order
    await ann.page.evaluate("document.querySelector('.scroller').scrollTo(0, 0)")
    await ann.page.wait_for_timeout(300)
    still, _ = await _frames(ann, 0)
    moving = [await _frames(ann, step) for step in (-SWEEP, SWEEP, -SWEEP)]
    assert min(worked for _, worked in moving) < MOST_WORK
    assert min(lasted for lasted, _ in moving) < 2 * still


async def _frames(ann: Visitor, step: int) -> tuple[float, float]:
    """How long a frame lasts, in milliseconds, and how much of that the page's own thread works, whoever is busy."""
    watch = await ann.page.context.new_cdp_session(ann.page)
    await watch.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = await _thread_time(watch)
    lasted: float = await ann.page.evaluate(SCROLL, [step, FRAMES])
    worked = await _thread_time(watch) - before
    await watch.detach()
    return lasted, worked * 1000 / FRAMES


async def _thread_time(watch: CDPSession) -> float:
    told = await watch.send("Performance.getMetrics")
    return next(float(each["value"]) for each in told["metrics"] if each["name"] == "ThreadTime")


async def _fill(server: Server, session: str) -> None:
    """Two thousand texts, as turns would have left them."""
    connection: Any = await asyncpg.connect(server.variables["WEFT_DATABASE_URL"])
    try:
        row = dict(
            await connection.fetchrow("SELECT * FROM agent_chat_messages WHERE session_id = $1 AND seq = 1", session)
        )
        columns = list(row)
        rows = []
        for number in range(MANY):
            text = f"message {number + 1}: " + "some words that fill a line or two, " * (1 + number % 5)
            ours = row | {"id": new_id(), "seq": 100 + number, "content": text}
            if "text_number" in ours:
                ours["text_number"] = 100 + number
            rows.append(tuple(ours[name] for name in columns))
        await connection.copy_records_to_table("agent_chat_messages", records=rows, columns=columns)
    finally:
        await connection.close()


async def test_the_page_may_run_its_own_scripts_only(ann: Visitor) -> None:
    """SURF-4: a strict policy on everything that is served, and text never becomes HTML."""
    page = await ann.page.goto(ann.url)
    assert page is not None
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert re.findall(r"(?:src|href)=\"(?!/console/)", await page.text()) == []
    assert await ann.page.evaluate(INJECT) == "refused"
    ann.complaints.clear()  # the browser has told of it, as it should
