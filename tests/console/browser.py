"""Somebody at a browser: pages that tell of every mistake, and that may call this machine only."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import Browser, Locator, Page, Request, ViewportSize, expect

DESKTOP: ViewportSize = {"width": 1380, "height": 860}
PHONE: ViewportSize = {"width": 390, "height": 844}
SPEAKERS: dict[str, tuple[str, ViewportSize, Literal["light", "dark"]]] = {
    "en-desktop": ("en-US", DESKTOP, "light"),
    "zh-desktop": ("zh-CN", DESKTOP, "dark"),
    "en-phone": ("en-US", PHONE, "light"),
    "zh-phone": ("zh-CN", PHONE, "dark"),
}
HARMLESS = re.compile(r"Failed to load resource: (net::|the server responded with a status of (4\d\d|503))")


@dataclass
class Visitor:
    """A page, and ways to use the console in it."""

    page: Page
    url: str
    shots: Path
    case: str = ""  # how a test calls this visitor
    complaints: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    waits_for: set[Request] = field(default_factory=set)

    def of(self, english: str, chinese: str) -> str:
        """What the page says to this visitor."""
        return chinese if self.case.startswith("zh") else english

    @property
    def thread(self) -> str:
        """The id of the conversation that is looked at."""
        return self.page.url.partition("#/chat/")[2].partition("?")[0]

    def button(self, english: str, chinese: str) -> Locator:
        """The button that is called so."""
        return self.page.get_by_role("button", name=self.of(english, chinese), exact=True)

    @property
    def composer(self) -> Locator:
        return self.page.locator(".composer textarea")

    @property
    def answers(self) -> Locator:
        return self.page.locator(".entry.answer")

    async def go(self, place: str = "") -> None:
        """Open a place of the console."""
        await self.page.goto(f"{self.url}/{place and '#/' + place}")
        await self.page.locator("#main, .signin").first.wait_for()

    async def say(self, text: str) -> None:
        """Write and send."""
        await self.composer.fill(text)
        await self.composer.press("Enter")

    async def answered(self, text: str, number: int = 0) -> None:
        """Until the answer is whole and stored."""
        await expect(self.answers.nth(number)).to_contain_text(text, timeout=20_000)
        await self.settled()

    async def loaded(self) -> None:
        """Until everything that the page asked for is there, and nothing more is asked for a while."""
        quiet = 0
        while quiet < 3:
            await self.page.wait_for_timeout(60)
            quiet = 0 if self.waits_for else quiet + 1
        await expect(self.page.locator(".loading")).to_have_count(0)

    async def settled(self) -> None:
        """Until nothing is under way."""
        await expect(self.page.locator(".composer button[type=submit]")).to_be_visible(timeout=30_000)
        await expect(self.page.locator(".entry.answer.open")).to_have_count(0)

    async def api(self, method: str, path: str, **options: Any) -> Any:
        """Ask the server beside the page: what the answer holds, or its status where it is a refusal."""
        answer = await self.page.request.fetch(f"{self.url}{path}", method=method, **options)
        if not answer.ok:
            return answer.status
        if answer.status == 204:
            return None
        return await answer.json() if "json" in answer.headers["content-type"] else await answer.text()

    async def shot(self, name: str) -> None:
        """Keep what is seen, for people to look at; what moves stands still, at its end."""
        case = f"{self.case}-" if self.case else ""
        await self.page.screenshot(path=self.shots / f"{case}{name}.png", animations="disabled")

    async def transcript(self) -> list[str]:
        """What the conversation says, entry by entry."""
        texts: list[str] = await self.page.locator(".entry .bubble, .entry.answer .markdown").all_inner_texts()
        return texts


@dataclass(frozen=True)
class Visits:
    """Opens pages."""

    browser: Browser
    shots: Path

    @asynccontextmanager
    async def speaker(self, case: str, url: str) -> AsyncIterator[Visitor]:
        """Somebody of a language, at a laptop or at a phone."""
        language, size, scheme = SPEAKERS[case]
        async with self.visit(url, language, size, color_scheme=scheme, has_touch=size == PHONE) as visitor:
            visitor.case = case
            yield visitor

    @asynccontextmanager
    async def visit(
        self, url: str, language: str = "en-US", size: ViewportSize | None = None, **options: Any
    ) -> AsyncIterator[Visitor]:
        """Somebody new, who is gone afterwards; what went wrong in their page fails the test."""
        context = await self.browser.new_context(
            locale=language, viewport=size or DESKTOP, timezone_id="Asia/Shanghai", **options
        )
        page = await context.new_page()
        page.set_default_timeout(15_000)
        visitor = Visitor(page, url, self.shots)
        page.on("pageerror", lambda error: visitor.complaints.append(f"uncaught: {error}"))
        page.on("console", lambda message: _note(visitor, message.type, message.text))
        page.on("request", lambda request: _asked(visitor, request))
        page.on("requestfinished", lambda request: visitor.waits_for.discard(request))
        page.on("requestfailed", lambda request: visitor.waits_for.discard(request))
        try:
            yield visitor
        finally:
            await context.close()
        assert visitor.complaints == []
        assert [each for each in visitor.asked if not each.startswith(url)] == []


def _note(visitor: Visitor, kind: str, text: str) -> None:
    if kind == "error" and not HARMLESS.match(text):
        visitor.complaints.append(text)


def _asked(visitor: Visitor, request: Request) -> None:
    if not request.url.startswith(("data:", "blob:")):
        visitor.asked.append(request.url)
        visitor.waits_for.add(request)
