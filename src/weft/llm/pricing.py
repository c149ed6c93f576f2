"""What a call costs, exactly, in the session's currency, or that nobody knows (LED-8)."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation, localcontext
from typing import Literal

from weft.llm import litellm_prices
from weft.llm.ports import Candidate, Price
from weft.llm.types import Usage

CostSource = Literal["custom_pricing", "litellm_catalog", "unpriced"]
Units = Mapping[str, str | int | Decimal]

PLACES = Decimal("0.000000000001")
PRECISION = 60  # digits; no product of a count and a price is ever rounded before the end
TOO_MUCH = Decimal(10) ** 8  # NUMERIC(20,12) holds eight digits before the point
MILLION = 6  # prices of tokens are for ten to this power
UNIT_PRICES = {"images": "per_image", "seconds": "per_second"}
NO_UNITS: Units = {}


def price(
    usage: Usage, candidate: Candidate, currency: str, units: Units = NO_UNITS
) -> tuple[Decimal | None, CostSource]:
    """The cost of a call and where it comes from: our own price table, else LiteLLM's, else nobody knows.

    A price in another currency is no price: there are no exchange rates.
    """
    own = candidate.price
    if own is not None and own.currency == currency:
        cost = cost_of(usage, own, units)
        if cost is not None:
            return cost, "custom_pricing"
    if not units:  # LiteLLM is asked for tokens alone
        raw = litellm_prices.cost_of_tokens(usage, _litellm_names(candidate), currency)
        cost = _booked(raw) if raw is not None else None
        if cost is not None:
            return cost, "litellm_catalog"
    return None, "unpriced"


def cost_of(usage: Usage, price: Price, units: Units = NO_UNITS) -> Decimal | None:
    """The exact cost by one price, or None where the price lacks a part that the call needs.

    `units` counts what is no token: `images`, `seconds`. A part that the vendor does not charge for is
    priced 0 by the operator; a part without a price is not known, and then neither is the cost.
    """
    with localcontext(prec=PRECISION):
        per_token = _token_cost(usage, price)
        per_unit = _unit_cost(units, price)
        if per_token is None or per_unit is None or not _says_anything(price):
            return None
        return _booked(per_token.scaleb(-MILLION) + per_unit)


def price_on(prices: Iterable[Price], currency: str, day: date) -> Price | None:
    """The price in force on a day: the newest in this currency that had begun by then."""
    begun = [each for each in prices if each.currency == currency and each.valid_from <= day]
    return max(begun, key=lambda each: each.valid_from, default=None)


def _token_cost(usage: Usage, price: Price) -> Decimal | None:
    # Hits and writes are parts of the input; what is neither was read at the full price.
    missed = usage.input - usage.cached_input - usage.cache_write
    written_at = price.cache_write if price.cache_write is not None else price.input
    parts = (
        (missed, price.input),
        (usage.cached_input, price.cached_input),
        (usage.cache_write, written_at),
        (usage.output, price.output),
    )
    return _sum((Decimal(count), each) for count, each in parts)


def _unit_cost(units: Units, price: Price) -> Decimal | None:
    parts: list[tuple[Decimal, Decimal | None]] = []
    for name, value in units.items():
        count = _number(value)
        if count is None:
            return None
        parts.append((count, getattr(price, UNIT_PRICES[name]) if name in UNIT_PRICES else None))
    return _sum(parts)


def _sum(parts: Iterable[tuple[Decimal, Decimal | None]]) -> Decimal | None:
    total = Decimal(0)
    for count, each in parts:
        if count == 0:
            continue
        if each is None or count < 0:
            return None
        total += count * each
    return total


def _says_anything(price: Price) -> bool:
    known = (price.input, price.cached_input, price.output, price.per_image, price.per_second)
    return any(each is not None for each in known)


def _number(value: str | int | Decimal) -> Decimal | None:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _booked(cost: Decimal) -> Decimal | None:
    if not cost.is_finite() or not 0 <= cost < TOO_MUCH:
        return None
    with localcontext(prec=PRECISION):
        rounded = cost.quantize(PLACES, ROUND_HALF_EVEN)
    return rounded if rounded < TOO_MUCH else None


def _litellm_names(candidate: Candidate) -> tuple[str, ...]:
    card = candidate.card
    names = (card.litellm_name, card.name, candidate.target.model)
    return tuple(dict.fromkeys(name for name in names if name))
