"""`search_history`: what was said and what happened in the user's own past, in Chinese and in English."""

from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from weft.kit.finding import plain
from weft.state.runtime import RuntimeState
from weft.tools.builtin.pages import page_of
from weft.tools.ports import PastLine, PastPort
from weft.tools.tool import Effect, Tool, ToolInput, ToolResult

MOST, EXCERPT = 10, 320  # hits, and characters of each


class SearchHistoryInput(ToolInput):
    """The words, or the message that is wanted whole."""

    query: Annotated[str, Field(max_length=400)] = ""
    message: Annotated[str | None, Field(max_length=64)] = None
    line: Annotated[int, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not (self.query.strip() or self.message):
            raise ValueError("give query: a few words that were said, for example '换工作 offer'")
        return self


class SearchHistory(Tool[SearchHistoryInput]):
    """Excerpts, the best first; the whole of one by its id."""

    name: ClassVar[str] = "search_history"
    description: ClassVar[str] = (
        "Find what was said or happened in earlier conversations by a few words, e.g. 换工作 offer. "
        "Or read a whole message by its id."
    )
    effect: ClassVar[Effect] = Effect.READ
    input = SearchHistoryInput

    def __init__(self, past: PastPort) -> None:
        self._past = past

    async def run(self, state: RuntimeState) -> ToolResult:
        """Look it up."""
        asked = self.arguments(state)
        if asked.message:
            return await self._whole(asked.message, asked.line)
        found = await self._past.search_past(asked.query, MOST)
        said: dict[str, Any] = {"found": [_shown(each, asked.query) for each in found]}
        if not found:
            said["hint"] = "nothing says that; try other or fewer words"
        return ToolResult.of(said, summary=f"{len(found)} found for {asked.query[:80]}")

    async def _whole(self, message: str, line: int) -> ToolResult:
        page = page_of(await self._past.whole_message(message), line)
        said: dict[str, Any] = {"message": message, "lines": page.lines, "text": page.text}
        said |= {"next_line": page.next_line} if page.next_line else {}
        return ToolResult.of(said | page.notes, summary=f"message {message}, lines {page.lines}")


def _shown(line: PastLine, query: str) -> dict[str, Any]:
    shown = {"at": line.at, "where": line.where, "text": _excerpt(line.text, query), "message": line.message}
    return {name: value for name, value in shown.items() if value}


def _excerpt(text: str, query: str) -> str:
    """The text around the first place where a word of the query stands."""
    if len(text) <= EXCERPT:
        return text
    # Folding may change lengths a little: an excerpt is about the place, not at it.
    within = plain(text)
    at = min((found for word in plain(query).split() if (found := within.find(word)) >= 0), default=0)
    begin = max(0, min(at - EXCERPT // 3, len(text) - EXCERPT))
    shown = text[begin : begin + EXCERPT]
    return f"{'…' * (begin > 0)}{shown}{'…' * (begin + EXCERPT < len(text))}"
