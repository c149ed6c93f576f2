"""Costs are exact to the last digit, in the right currency, or not known."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from weft.llm import litellm_prices
from weft.llm.ports import Candidate, ModelCard, Price
from weft.llm.pricing import cost_of, price, price_on
from weft.llm.types import Target, Usage

DAY = date(2026, 3, 6)


def of(currency: str = "CNY", **parts: str) -> Price:
    return Price(currency, DAY, "as published", **{name: Decimal(value) for name, value in parts.items()})


DEEPSEEK = of(input="2", cached_input="0.2", output="3")


def way(own: Price | None, model: str = "deepseek-chat", litellm_name: str | None = None) -> Candidate:
    card = ModelCard(model, "deepseek", "text", 65536, litellm_name=litellm_name)
    target = Target("deepseek", model, "http://127.0.0.1:1/v1", "openai_compatible")
    return Candidate(card, target, "main", "deepseek/main", own)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (Usage(1_000_000, 0, 0, 0), "2"),
        (Usage(1_000_000, 1_000_000, 0, 0), "0.2"),
        (Usage(0, 0, 0, 1_000_000), "3"),
        (Usage(1000, 640, 0, 300, 200), "0.001748"),  # 360 misses, 640 hits; reasoning is output
        (Usage(1, 0, 0, 0), "0.000002"),
        (Usage(1, 1, 0, 0), "0.0000002"),
    ],
)
def test_deepseek_chat_costs_what_it_publishes(usage: Usage, expected: str) -> None:
    """LED-8: hit 0.2, miss 2, output 3 yuan a million; miss = prompt - hit, all of it where no hits are reported."""
    cost, source = price(usage, way(DEEPSEEK), "CNY")
    assert cost == Decimal(expected)
    assert source == "custom_pricing"
    assert cost is not None
    assert cost.as_tuple().exponent == -12


def test_cache_writes_have_their_price_or_that_of_input() -> None:
    """LED-8: a write is charged once, at its own price where there is one."""
    usage = Usage(1000, 200, 300, 0)
    with_own = of(input="3", cached_input="0.3", cache_write="3.75", output="15")
    assert cost_of(usage, with_own) == Decimal("0.002685")  # 500 × 3 + 200 × 0.3 + 300 × 3.75
    without = of(input="3", cached_input="0.3", output="15")
    assert cost_of(usage, without) == Decimal("0.00246")


@pytest.mark.parametrize(
    ("units", "expected"),
    [({"images": 2}, "0.4"), ({"seconds": "7.5"}, "4.5"), ({"images": "1", "seconds": Decimal(2)}, "1.4")],
)
def test_images_and_seconds_are_charged_by_the_piece(units: dict[str, Any], expected: str) -> None:
    """LED-8: per-image and per-second units."""
    assert cost_of(Usage(), of(per_image="0.2", per_second="0.6"), units) == Decimal(expected)


UNKNOWN: dict[str, tuple[Usage, Price, dict[str, Any]]] = {
    "no price at all": (Usage(10, 0, 0, 10), of(), {}),
    "nothing used, no price": (Usage(), of(), {}),
    "no output price": (Usage(10, 0, 0, 10), of(input="2", cached_input="1"), {}),
    "no input price": (Usage(10, 0, 0, 10), of(output="2"), {}),
    "no price of hits": (Usage(10, 5, 0, 10), of(input="2", output="3"), {}),
    "no price of writes or input": (Usage(10, 5, 5, 0), of(cached_input="2", output="3"), {}),
    "no price of images": (Usage(), of(input="2", output="3"), {"images": 1}),
    "no price of seconds": (Usage(), of(per_image="2"), {"seconds": "1"}),
    "tokens beside images": (Usage(10, 0, 0, 0), of(per_image="2"), {"images": 1}),
    "a unit that nobody knows": (Usage(10, 0, 0, 10), of(input="2", output="3"), {"pages": 1}),
    "a unit that is no number": (Usage(), of(per_image="2"), {"images": "many"}),
    "a unit that is not finite": (Usage(), of(per_image="2"), {"images": "NaN"}),
    "a negative unit": (Usage(), of(per_image="2"), {"images": -1}),
    "more than the ledger holds": (Usage(), of(per_second="100000000"), {"seconds": 1}),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_a_price_does_not_say_is_not_known_and_never_0(name: str) -> None:
    """LED-8: a price that lacks a needed part makes the cost null and flags the call."""
    usage, known, units = UNKNOWN[name]
    assert cost_of(usage, known, units) is None
    assert price(usage, way(known), "CNY", units) == (None, "unpriced")


def test_a_part_that_is_not_needed_may_be_missing() -> None:
    """LED-8: an embedding has no output, a call without hits needs no price of hits."""
    assert cost_of(Usage(1000), of(input="0.5")) == Decimal("0.0005")


def test_a_part_that_is_free_is_priced_0_by_the_operator() -> None:
    """LED-8: free is something else than not known."""
    assert cost_of(Usage(10, 0, 0, 10), of(input="0", output="0")) == 0
    assert cost_of(Usage(10), of(input="0", per_image="0.2"), {"images": 1}) == Decimal("0.2")


def test_dollars_are_never_called_yuan() -> None:
    """LED-8: a price in another currency is no price; there are no exchange rates."""
    dollars = way(of("USD", input="2", cached_input="0.2", output="3"))
    assert price(Usage(10, 0, 0, 10), dollars, "CNY") == (None, "unpriced")
    assert price(Usage(10, 0, 0, 10), dollars, "USD")[1] == "custom_pricing"
    assert price(Usage(10), way(None), "CNY") == (None, "unpriced")


def test_halves_are_rounded_to_the_even_digit() -> None:
    """LED-8: NUMERIC(20,12), half to even."""
    assert cost_of(Usage(1), of(input="0.0000005")) == Decimal(0)
    assert cost_of(Usage(3), of(input="0.0000005")) == Decimal("0.000000000002")
    assert cost_of(Usage(5), of(input="0.0000005")) == Decimal("0.000000000002")


def test_the_price_in_force_is_the_newest_that_has_begun() -> None:
    """LED-8: our price table is dated."""
    old = Price("CNY", date(2025, 1, 1), "old", input=Decimal(1))
    new = Price("CNY", date(2026, 3, 6), "new", input=Decimal(2))
    other = Price("USD", date(2026, 1, 1), "other", input=Decimal(3))
    table = [new, other, old]
    assert price_on(table, "CNY", date(2026, 3, 5)) is old
    assert price_on(table, "CNY", date(2026, 3, 6)) is new
    assert price_on(table, "USD", date(2026, 12, 1)) is other
    assert price_on(table, "CNY", date(2024, 12, 31)) is None


# The oracle: whole numbers only. A price of d digits after the point is an integer of 10^-d; so is the sum.
DIGITS = 9
AMOUNT = st.integers(0, 10**12)  # of 10^-9: up to 1,000 a million tokens
TOKENS = st.integers(0, 2_147_483_647)


def in_trillionths(total: int) -> int:
    """An integer of 10^-15 as an integer of 10^-12, half to even."""
    whole, rest = divmod(total, 1000)
    return whole + (rest > 500 or (rest == 500 and whole % 2 == 1))


@given(st.tuples(TOKENS, TOKENS, TOKENS, TOKENS), st.tuples(AMOUNT, AMOUNT, AMOUNT, AMOUNT))
def test_it_agrees_with_integer_arithmetic(
    counts: tuple[int, int, int, int], amounts: tuple[int, int, int, int]
) -> None:
    """LED-8: to the last digit, for any usage and any price."""
    missed, hit, write, output = counts
    total = sum(count * amount for count, amount in zip(counts, amounts, strict=True))
    assume(in_trillionths(total) < 10**20)
    parts = ("input", "cached_input", "cache_write", "output")
    known = of(**{part: f"{amount}E-{DIGITS}" for part, amount in zip(parts, amounts, strict=True)})
    cost = cost_of(Usage(missed + hit + write, hit, write, output), known)
    assert cost is not None
    assert int(cost.scaleb(12)) == in_trillionths(total)


@given(st.integers(0, 10**6), st.integers(0, 10**9))
def test_units_agree_with_integer_arithmetic(count: int, amount: int) -> None:
    """LED-8: seconds in thousandths, prices in millionths."""
    known = Price("CNY", DAY, "oracle", per_second=Decimal(amount).scaleb(-6))
    cost = cost_of(Usage(), known, {"seconds": Decimal(count).scaleb(-3)})
    total = count * amount  # of 10^-9
    assert cost is None if total >= 10**17 else cost is not None and int(cost.scaleb(12)) == total * 1000


@pytest.fixture
def catalogue() -> Any:
    litellm_prices.register_prices(
        "CNY",
        {
            "kimi": {
                "input_cost_per_token": "0.000004",
                "output_cost_per_token": "0.000016",
                "cache_read_input_token_cost": "0.000001",
            },
            "bare": {"input_cost_per_token": Decimal("0.000004"), "output_cost_per_token": "0.000016"},
        },
    )
    litellm_prices.register_prices("USD", {"gpt": {"input_cost_per_token": "0.000002"}})
    yield
    litellm_prices.forget_prices()


@pytest.mark.usefixtures("catalogue")
class TestTheSecondList:
    """LED-8, step two: LiteLLM's `completion_cost` on prices that were registered in the call's currency."""

    @pytest.mark.parametrize(
        ("usage", "expected"),
        [
            (Usage(1000, 0, 0, 100), "0.0056"),
            (Usage(1000, 640, 0, 100), "0.00368"),
            (Usage(1000, 640, 160, 100), "0.00368"),  # writes at the price of input
            (Usage(1_234_567, 1_000_001, 0, 765_432), "14.185177"),
        ],
    )
    def test_it_prices_what_our_table_does_not(self, usage: Usage, expected: str) -> None:
        """LED-8: hits, misses and writes as in our own table."""
        missed = usage.input - usage.cached_input
        exact = (missed * 4 + usage.cached_input + usage.output * 16) * Decimal("0.000001")
        cost, source = price(usage, way(None, "kimi"), "CNY")
        assert source == "litellm_catalog"
        assert cost == exact
        assert Decimal(expected) == exact

    def test_our_own_table_comes_first(self) -> None:
        """LED-8: exact before computed."""
        assert price(Usage(10), way(of(input="1"), "kimi"), "CNY")[1] == "custom_pricing"

    def test_it_is_asked_where_our_table_lacks_a_part(self) -> None:
        """LED-8: what our price does not say falls through."""
        assert price(Usage(10, 0, 0, 10), way(of(input="1"), "kimi"), "CNY")[1] == "litellm_catalog"

    def test_a_model_is_found_by_what_litellm_calls_it(self) -> None:
        """LED-8: the registry knows that name."""
        assert price(Usage(10), way(None, "moonshot-v9", "kimi"), "CNY")[1] == "litellm_catalog"

    @pytest.mark.parametrize(
        ("model", "currency", "usage"),
        [
            ("gpt", "CNY", Usage(10)),  # registered, but in dollars
            ("gpt-4o", "CNY", Usage(10)),  # LiteLLM's own map is in dollars
            ("nobody", "CNY", Usage(10)),
            ("bare", "CNY", Usage(10, 5)),  # LiteLLM would take the hits for free
            ("gpt", "USD", Usage(10, 0, 0, 5)),  # no price of output
        ],
    )
    def test_what_it_cannot_price_in_this_currency_is_unpriced(self, model: str, currency: str, usage: Usage) -> None:
        """LED-8: never 0, never dollars called yuan."""
        assert price(usage, way(None, model), currency) == (None, "unpriced")

    def test_it_is_not_asked_for_images(self) -> None:
        """LED-8: units that it was given no price for are not known."""
        assert price(Usage(10), way(None, "kimi"), "CNY", {"images": 1}) == (None, "unpriced")


def test_a_price_without_a_part_is_refused() -> None:
    """LED-8: a mistyped price list says so."""
    with pytest.raises(ValueError, match="kimi"):
        litellm_prices.register_prices("CNY", {"kimi": {"input_price": "1"}})
