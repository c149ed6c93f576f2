"""What calls came to, in one line: how many, how many tokens, how much of them from a cache, and what they cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from weft.calls.schemas import CallView, Outcome, UsageReport, UsageSource
from weft.cli.chat_words import Words

_SIGNS = {"CNY": "¥", "USD": "$", "EUR": "€"}
_PLACES = 6


@dataclass(frozen=True, slots=True)
class Spent:
    """A sum over the ledger."""

    calls: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    unpriced: int = 0
    estimated: int = 0
    currency: str = "CNY"

    @classmethod
    def on(cls, calls: Sequence[CallView]) -> "Spent":
        """The sum of these calls, as far as they are over."""
        over = [call for call in calls if call.outcome is not Outcome.RUNNING]
        return cls(
            len(over),
            sum(call.input_tokens for call in over),
            sum(call.cached_input_tokens for call in over),
            sum(call.output_tokens for call in over),
            sum((call.cost for call in over if call.cost is not None), Decimal(0)),
            sum(call.cost is None for call in over),
            sum(call.usage_source is UsageSource.ESTIMATED for call in over),
            over[0].currency if over else "CNY",
        )

    @classmethod
    def in_all(cls, report: UsageReport) -> "Spent":
        """The sum over a conversation; it is billed in one currency."""
        if not report.totals:
            return cls()
        all_ = report.totals[0]
        return cls(
            all_.calls,
            all_.input_tokens,
            all_.cached_input_tokens,
            all_.output_tokens,
            all_.cost,
            all_.unpriced_calls,
            all_.estimated_calls,
            all_.currency,
        )

    def line(self, words: Words) -> str:
        """It in one line."""
        if not self.calls:
            return words.nothing_spent
        tokens_in = words.tokens_in.format(count=f"{self.input_tokens:,}")
        if self.cached_input_tokens:
            tokens_in += f" ({words.cached.format(share=share(self.cached_input_tokens, self.input_tokens))})"
        parts = [
            words.one_call if self.calls == 1 else words.calls.format(count=self.calls),
            tokens_in,
            words.tokens_out.format(count=f"{self.output_tokens:,}") + (f" {words.estimated}" * bool(self.estimated)),
            self.money(words),
        ]
        return " · ".join(parts)

    def money(self, words: Words) -> str:
        """What it cost, and whether that is all."""
        if self.calls and self.unpriced == self.calls:
            return words.unpriced
        shown = money(self.cost, self.currency)
        return f"{shown} + {words.unpriced_calls.format(count=self.unpriced)}" if self.unpriced else shown


def money(amount: Decimal, currency: str) -> str:
    """An amount as people write it: as exact as six places, never in powers of ten."""
    rounded = format(round(amount, _PLACES), "f")
    shown = rounded.rstrip("0") if "." in rounded else rounded
    whole, _, places = shown.partition(".")
    return f"{_SIGNS.get(currency, currency + ' ')}{whole}.{places.ljust(2, '0')}"


def share(part: int, whole: int) -> str:
    """A part of a whole in percent."""
    return f"{100 * part / whole:.0f} %" if whole else "0 %"
