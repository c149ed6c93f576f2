"""Alarms about a vendor's prompt cache: a prefix that collapsed, and a report far below what was to be expected."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from prometheus_client import Counter

from weft.calls.schemas import Outcome, UsageSource
from weft.context.manifest import Expectation
from weft.context.prefix import Sent
from weft.kit.log import get_logger

log = get_logger(__name__)
FRESH_SECONDS = 300.0  # vendors keep a prefix at least this long

# Counted in this process; whoever serves /metrics registers them.
EXPECTED = Counter("weft_prompt_cache_expected_tokens", "Input expected from caches", ("model",), registry=None)
REPORTED = Counter("weft_prompt_cache_reported_tokens", "Input that came from caches", ("model",), registry=None)
COLLAPSED = Counter("weft_prompt_prefix_collapsed", "Stable prefixes that broke", ("block", "why"), registry=None)
FELL_SHORT = Counter(
    "weft_prompt_cache_fell_short",
    "Calls whose cached input was far below what was expected",
    ("model",),
    registry=None,
)
COUNTERS = (EXPECTED, REPORTED, COLLAPSED, FELL_SHORT)

_SKILLS = frozenset({"persona", "own_skill", "sop", "tool_rules"})  # blocks that one that is taken on or left changes
Why = Literal["window", "skill", "unplanned"]
Alarm = Literal["prefix_collapsed", "cache_fell_short"]


@dataclass(frozen=True, slots=True)
class Compared:
    """A call beside the one before it in its conversation."""

    call_id: UUID
    model: str
    expected: Expectation
    reported: int | None  # None: the vendor did not say
    went: bool  # the first part that is not as it was is not there any more
    last_id: UUID | None = None
    last_seconds: float | None = None
    same_way: bool = False
    has_cache: bool = False  # the vendor has read from one, or written to one, in this conversation

    @classmethod
    def of(cls, row: Mapping[str, Any], expected: Expectation, sent: Sent) -> "Compared":
        """From a row of the ledger with the call before it."""
        booked = row["outcome"] == Outcome.SUCCEEDED.value and row["usage_source"] == UsageSource.REPORTED.value
        return cls(
            row["id"],
            row["model"],
            expected,
            row["cached_input_tokens"] if booked else None,
            all(segment.name != expected.changed for segment in sent.segments),
            row["last_id"],
            None if row["last_seconds"] is None else float(row["last_seconds"]),
            bool(row["same_way"]),
            bool(row["has_cache"]),
        )

    @property
    def comparable(self) -> bool:
        """Whether the vendor should still have the last call: it went the same way, a short while ago."""
        return self.same_way and self.last_seconds is not None and self.last_seconds <= FRESH_SECONDS

    @property
    def fell_short(self) -> bool:
        """Whether the vendor reports far less than it should have."""
        known = self.comparable and self.has_cache and self.reported is not None
        return known and self.expected.fell_short(self.reported or 0)

    @property
    def why(self) -> Why:
        """Why a prefix collapsed, where it did: a step of the window, a skill taken on or left, or nothing planned."""
        kind = self.expected.changed.partition("/")[0]
        if kind == "message" and self.went:
            return "window"
        return "skill" if kind in _SKILLS else "unplanned"

    @property
    def alarms(self) -> list[tuple[Alarm, str, str | None]]:
        """What is wrong, in words, and the block to blame."""
        found: list[tuple[Alarm, str, str | None]] = []
        expected = self.expected
        if expected.collapsed and self.why == "unplanned":
            detail = f"the prefix collapsed because of block {expected.changed}: {expected.lost} tokens are read anew"
            found.append(("prefix_collapsed", detail, expected.changed))
        if self.fell_short:
            detail = f"{expected.tokens} tokens should have come from the cache, and the vendor reports {self.reported}"
            found.append(("cache_fell_short", detail, None))
        return found


def watch(call: Compared) -> None:
    """Count what was expected and reported, and tell what is wrong."""
    kind = call.expected.changed.partition("/")[0]
    if call.comparable and call.reported is not None:
        EXPECTED.labels(call.model).inc(call.expected.tokens)
        REPORTED.labels(call.model).inc(call.reported)
    about = {"call": str(call.call_id), "model": call.model, "expected": call.expected.tokens}
    if call.expected.collapsed:
        COLLAPSED.labels(kind, call.why).inc()
        tell = log.warning if call.why == "unplanned" else log.info
        tell("prompt_prefix_collapsed", **about, block=call.expected.changed, lost=call.expected.lost, why=call.why)
    if call.fell_short:
        FELL_SHORT.labels(call.model).inc()
        log.warning("prompt_cache_fell_short", **about, reported=call.reported)
