"""What a user has seen of a text that several attempts at one answer bring: it only ever grows (FLOW-7)."""

from collections.abc import Awaitable, Callable

from pydantic import BaseModel

from weft.llm.field_stream import FieldStream

OnText = Callable[[str], Awaitable[None]]


class Screen:
    """What the user has seen of the text: it only ever grows."""

    def __init__(self, field: str | None, on_text: OnText | None) -> None:
        self.field = field
        self.whole = False  # the shown text came to its end
        self.broken_off = False
        self._parts: list[str] = []
        self._on_text = on_text

    @property
    def shown(self) -> str:
        """All of it."""
        return "".join(self._parts)

    async def add(self, text: str) -> None:
        """Show more."""
        self._parts.append(text)
        if self._on_text is not None:
            await self._on_text(text)

    def pinned(self, said: str) -> str:
        """The text for the value: what it says if that goes on from what was shown, else what was shown."""
        shown = self.shown
        if not shown or (said.startswith(shown) and not self.whole):
            return said
        self.broken_off = not self.whole
        return shown

    async def finish(self, value: BaseModel) -> None:
        """Show what is left of the final text, where it could not be followed while it came."""
        said, shown = getattr(value, self.field or "", None), self.shown
        if isinstance(said, str) and len(said) > len(shown) and said.startswith(shown) and not self.whole:
            await self.add(said[len(shown) :])


class Voice:
    """The text field in one channel of one attempt, as it comes."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._stream = FieldStream(screen.field or "")
        self._to_repeat = screen.shown  # a repair says again what was shown before it goes on
        self._off = screen.whole

    async def hear(self, piece: str) -> bool:
        """Read on; whether this piece brought any of the text."""
        text = self._stream.feed(piece)
        if text:
            await self._say(text)
        if self._stream.done and not self._off and not self._to_repeat:
            self._screen.whole = bool(self._stream.shown)
            self._off = True
        return bool(text)

    async def _say(self, text: str) -> None:
        repeated = text[: len(self._to_repeat)]
        if self._off or not self._to_repeat.startswith(repeated):
            self._off = True
            return
        self._to_repeat = self._to_repeat[len(repeated) :]
        if added := text[len(repeated) :]:
            await self._screen.add(added)
