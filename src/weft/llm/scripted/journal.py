"""What the vendor received and what it gave, exactly, for assertions."""

from dataclasses import dataclass
from typing import Any

import orjson

from weft.llm.scripted.counting import Counts


@dataclass(slots=True)
class Exchange:
    """One request and its answer; `disconnected` says that the client left before the answer was whole."""

    method: str
    path: str
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    connection: int  # the same number for requests over one connection
    received_at: float  # time.monotonic()
    status: int = 0
    counts: Counts | None = None  # of the whole answer, reported or not
    usage: dict[str, Any] | None = None  # as it was sent; None if it was not
    events_sent: int = 0
    complete: bool = False
    disconnected: bool = False
    ended_at: float | None = None

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return orjson.loads(self.body)

    def header(self, name: str) -> str | None:
        """The first header of this name."""
        wanted = name.lower().encode()
        return next((value.decode("latin-1") for key, value in self.headers if key.lower() == wanted), None)

    @property
    def last_words(self) -> str:
        """The text of the newest user message: what rules match on."""
        for message in reversed(self.json.get("messages") or []):
            content = message.get("content")
            if message.get("role") == "user":
                return content if isinstance(content, str) else orjson.dumps(content).decode()
        return ""
