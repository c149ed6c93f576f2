"""The manifest: what a prompt was made of, what was cut from it and why, and what was expected of the cache."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import orjson

from weft.context.blocks import Block, Scope, Trust
from weft.llm.types import ToolSpec

Place = Literal["tools", "system", "history", "late", "turn", "nowhere"]
State = Literal["whole", "shortened", "dropped", "unwanted"]


class Counter(Protocol):
    """Counts tokens the same way in every process: without what was learned from answers so far."""

    def __hash__(self) -> int:
        """What was cut by its counts is remembered with it."""

    def raw_count(self, model: str, text: str) -> int:
        """How many tokens a text has."""

    def raw_count_messages(self, model: str, messages: Any, tools: Any = ()) -> int:
        """How many tokens a prompt has."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One part of a prompt; `hash` names the text as it was sent, or as it was left out."""

    id: str
    source: str
    trust: Trust
    scope: Scope
    place: Place
    tokens: int
    hash: str
    state: State = "whole"
    why: str = ""
    whole_tokens: int | None = None  # before it was cut


@dataclass(frozen=True, slots=True)
class Expectation:
    """How much of a call should come from the vendor's cache, going by the conversation's last call."""

    tokens: int  # in whole units of the vendor
    total: int
    changed: str = ""  # the first part that is not as it was
    collapsed: bool = False  # that part stood in the stable prefix
    lost: int = 0  # tokens of the stable prefix that are read anew because of it
    unit: int = 1  # tokens; the vendor caches in steps of this

    @property
    def share(self) -> float:
        """The expected part of the whole."""
        return self.tokens / self.total if self.total else 0.0

    def fell_short(self, reported: int) -> bool:
        """Whether a vendor's report is so far below this that something is wrong, and not just an eviction of a bit."""
        return reported + 2 * self.unit < self.tokens and reported < 0.5 * self.tokens


@dataclass(frozen=True, slots=True)
class Manifest:
    """All of it for one call."""

    recipe: str
    model: str
    entries: tuple[Entry, ...]
    spent: Mapping[str, int]  # by purse
    budgets: Mapping[str, int]
    usual: int  # tokens of the first purse that this recipe is expected to stay within
    total: int  # tokens, the history included
    window: tuple[int, int]  # the first text shown, and how many
    expected: Expectation

    @property
    def cuts(self) -> tuple[Entry, ...]:
        """What is not there whole."""
        return tuple(entry for entry in self.entries if entry.state != "whole")

    def dump(self, **more: Any) -> bytes:
        """It as JSON, to be stored with the call, and what else is to be known of it."""
        whole = {
            "recipe": self.recipe,
            "model": self.model,
            "entries": self.entries,
            "spent": dict(self.spent),
            "budgets": dict(self.budgets),
            "usual": self.usual,
            "total": self.total,
            "window": {"start": self.window[0], "texts": self.window[1]},
            "expected": self.expected,
            **more,
        }
        return orjson.dumps(whole)

    def as_json(self) -> dict[str, Any]:
        """The same as plain values."""
        plain: dict[str, Any] = orjson.loads(self.dump())
        return plain


def entry_of(block: Block, place: Place, tokens: int, state: State = "whole", why: str = "") -> Entry:
    """The entry of a block."""
    return Entry(block.id, block.source, block.trust, block.scope, place, tokens, block.hash, state, why)


def tool_entry(tool: ToolSpec, tokens: int, digest: str) -> Entry:
    """The entry of a tool's schema."""
    return Entry(f"tool/{tool.name}", "tools", Trust.OPERATOR, Scope.GLOBAL, "tools", tokens, digest)
