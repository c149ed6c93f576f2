"""What a vendor would book for the calls of a conversation: prefixes in whole units of 64 tokens, nothing warmed up."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from weft.context.prefix import Segment, Sent, as_json, expectation
from weft.llm.ports import Price
from weft.llm.pricing import cost_of
from weft.llm.tokens import TokenCounter
from weft.llm.types import ToolSpec, Usage

MODEL, UNIT = "deepseek-chat", 64
PRICE = Price("CNY", date(2026, 3, 6), "the vendor's price list", Decimal(2), Decimal("0.2"), None, Decimal(3))


@dataclass
class Booked:
    """The calls so far, and what they came to; what they answered costs the same whoever asked, and is left out."""

    calls: list[Sent] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    largest: int = 0

    def book(self, sent: Sent) -> None:
        """One more call: cached is the longest beginning that any earlier one has in common with it."""
        hit = max((expectation(sent, earlier, UNIT).tokens for earlier in self.calls), default=0)
        self.calls.append(sent)
        self.largest = max(self.largest, sent.total)
        self.usage = Usage(self.usage.input + sent.total, self.usage.cached_input + hit)

    @classmethod
    def of(cls, sent: Iterable[Sent]) -> "Booked":
        """All of them."""
        booked = cls()
        for each in sent:
            booked.book(each)
        return booked

    @property
    def share(self) -> float:
        """The cached part."""
        return self.usage.cached_input / self.usage.input

    @property
    def cost(self) -> Decimal:
        """In yuan."""
        return cost_of(self.usage, PRICE) or Decimal(0)


def as_sent(call: Mapping[str, Any], counter: TokenCounter) -> Sent:
    """A request of whoever wrote it, its tokens counted as ours are."""
    tools = [each["function"] for each in call["tools"]]
    specs = [ToolSpec(each["name"], each.get("description", ""), each.get("parameters", {})) for each in tools]
    return Sent((*_tools(tools, specs, counter), *_messages(call["messages"], counter)))


def _tools(tools: Sequence[Any], specs: Sequence[ToolSpec], counter: TokenCounter) -> list[Segment]:
    around = _count(counter, (), specs[:1]) - _count(counter, (), ()) - counter.raw_count(MODEL, as_json(tools[0]))
    made = [Segment(each["name"], as_json(each), counter.raw_count(MODEL, as_json(each)), True) for each in tools]
    return [Segment("around", "", max(0, around), True), *made]


def _messages(messages: Sequence[Any], counter: TokenCounter) -> list[Segment]:
    empty = _count(counter, (), ())
    return [Segment("message", "\n" + as_json(each), _count(counter, [each], ()) - empty, True) for each in messages]


def _count(counter: TokenCounter, messages: Sequence[Any], tools: Sequence[ToolSpec]) -> int:
    return counter.raw_count_messages(MODEL, messages, tools)
