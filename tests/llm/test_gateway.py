"""INFRA-3, LED-7: from alias to answer, with retries where they are safe and a line in the ledger for each try."""

import asyncio
import random
from collections.abc import Iterator
from contextlib import aclosing
from decimal import Decimal

import pytest

from tests.llm.routes import CALLER, PRICE, MemoryLedger, Routes, asking, way
from weft.llm.errors import (
    BrokenStreamError,
    ContextTooLongError,
    KeyRefusedError,
    ModelError,
    RateLimitedError,
    VendorFailedError,
)
from weft.llm.gateway import Gateway
from weft.llm.health import Health
from weft.llm.line import bookings_settled
from weft.llm.ports import Candidate
from weft.llm.scripted import Answer, Counts, Fault, Refusal, ScriptedVendor
from weft.llm.types import Timeouts

FAST = Timeouts(connect=1, first=0.3, gap=0.3)


@pytest.fixture
def vendor() -> Iterator[ScriptedVendor]:
    with ScriptedVendor(default=Answer("Hello there.", counts=Counts(100, 64, 10))) as vendor:
        yield vendor


@pytest.fixture
def other() -> Iterator[ScriptedVendor]:
    with ScriptedVendor(default=Answer("Other here.")) as vendor:
        yield vendor


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


def _gateway(ledger: MemoryLedger, *ways: Candidate, health: Health | None = None) -> Gateway:
    return Gateway(Routes(ways), ledger, health=health, rng=random.Random(7))


async def test_an_answer_is_streamed_and_booked_to_the_last_digit(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """LED-7, LED-8: hit 0.2, miss 2, output 3 yuan a million; first token and end are noted."""
    answer = await _gateway(ledger, way(vendor)).complete("default", asking(), CALLER)
    assert answer.text == "Hello there."
    (booking,) = ledger.bookings
    assert (booking.outcome, booking.usage_source, booking.cost_source) == ("succeeded", "reported", "custom_pricing")
    assert booking.cost == Decimal("0.000114800000")  # (64 × 0.2 + 36 × 2 + 10 × 3) / 10⁶
    (line,) = ledger.lines.values()
    assert booking.first_token_at is not None
    assert line.started_at <= booking.first_token_at <= booking.ended_at


async def test_a_model_without_a_price_is_flagged_and_never_free(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """LED-8 (3)."""
    await _gateway(ledger, way(vendor, price=None)).complete("default", asking(), CALLER)
    (booking,) = ledger.bookings
    assert (booking.cost, booking.cost_source) == (None, "unpriced")


@pytest.mark.parametrize("trouble", [Refusal(500), Refusal(429), Refusal(0), Answer("x", fault=Fault("disconnect", 0))])
async def test_trouble_before_the_first_word_leads_elsewhere(
    vendor: ScriptedVendor, other: ScriptedVendor, ledger: MemoryLedger, trouble: Answer | Refusal
) -> None:
    """INFRA-3: fall-over between keys and endpoints."""
    vendor.enqueue(trouble)
    answer = await _gateway(ledger, way(vendor), way(other)).complete("default", asking(), CALLER)
    assert answer.text == "Other here."
    assert [outcome for outcome, _ in ledger.outcomes] == ["failed", "succeeded"]
    assert len(vendor.log) == 1


async def test_trouble_with_the_only_way_is_tried_again_a_little_later(
    vendor: ScriptedVendor, ledger: MemoryLedger
) -> None:
    """INFRA-3: retries with jitter where they are safe."""
    vendor.enqueue(Refusal(503), Refusal(500))
    answer = await _gateway(ledger, way(vendor)).complete("default", asking(), CALLER)
    assert answer.text == "Hello there."
    first, second, third = (exchange.received_at for exchange in vendor.log)
    assert third - second > second - first > 0.1


async def test_nothing_is_tried_again_once_a_word_has_been_passed_on(
    vendor: ScriptedVendor, other: ScriptedVendor, ledger: MemoryLedger
) -> None:
    """FLOW-7, INFRA-3: never after the first delta; text that was shown is never taken back."""
    vendor.enqueue(Answer("one two three", fault=Fault("disconnect", after=3)))
    seen = ""
    with pytest.raises(BrokenStreamError):
        async with aclosing(_gateway(ledger, way(vendor), way(other)).stream("default", asking(), CALLER)) as deltas:
            async for delta in deltas:
                seen += delta.text
    assert "one two three".startswith(seen.strip())
    assert seen
    assert other.log == []
    (booking,) = ledger.bookings
    assert (booking.outcome, booking.usage_source, booking.error_code) == ("failed", "estimated", "model_stream_broken")
    assert booking.usage.input > 0
    assert booking.usage.output > 0


async def test_a_refused_key_is_left_alone_and_the_next_one_serves(
    vendor: ScriptedVendor, ledger: MemoryLedger
) -> None:
    """INFRA-3: a key that the vendor refuses costs one try, not one on every call."""
    vendor.enqueue(Refusal(401, b'{"error": {"message": "bad key", "code": "invalid_api_key"}}'))
    bad, good = way(vendor, "bad", api_key="sk-bad"), way(vendor, "good", api_key="sk-good")
    gateway = _gateway(ledger, bad, good)
    for _ in range(3):
        await gateway.complete("default", asking(), CALLER)
    assert [exchange.header("authorization") for exchange in vendor.log] == ["Bearer sk-bad"] + ["Bearer sk-good"] * 3
    assert ledger.bookings[0].usage.input == 0


async def test_a_refused_key_and_no_other_is_told_at_once(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    vendor.enqueue(Refusal(401, b'{"error": {"message": "bad key", "code": "invalid_api_key"}}'))
    with pytest.raises(KeyRefusedError):
        await _gateway(ledger, way(vendor)).complete("default", asking(), CALLER)
    assert len(vendor.log) == 1


async def test_a_prompt_that_is_too_long_is_nobodys_to_retry(
    vendor: ScriptedVendor, other: ScriptedVendor, ledger: MemoryLedger
) -> None:
    vendor.enqueue(Refusal(400, b'{"error": {"code": "context_length_exceeded", "message": "too long"}}'))
    with pytest.raises(ContextTooLongError):
        await _gateway(ledger, way(vendor), way(other)).complete("default", asking(), CALLER)
    assert other.log == []


async def test_a_vendor_that_asks_for_a_long_wait_is_not_waited_for(
    vendor: ScriptedVendor, ledger: MemoryLedger
) -> None:
    """INFRA-3: what asks for more patience than a user has is told at once."""
    vendor.enqueue(Refusal(429, headers={"Retry-After": "120"}))
    async with asyncio.timeout(5):
        with pytest.raises(RateLimitedError):
            await _gateway(ledger, way(vendor)).complete("default", asking(), CALLER)


async def test_tries_end(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """INFRA-3: a vendor that never recovers is given up."""
    vendor.enqueue(*[Refusal(500)] * 50)
    gateway = _gateway(ledger, way(vendor, "a"), way(vendor, "b", endpoint="second"))
    with pytest.raises(VendorFailedError):
        await gateway.complete("default", asking(), CALLER)
    assert len(vendor.log) == len(ledger.bookings) <= 5


async def test_a_cancelled_call_closes_its_connection_and_is_booked(
    vendor: ScriptedVendor, ledger: MemoryLedger
) -> None:
    """INFRA-3: cancellation closes the connection and books what is known."""
    vendor.enqueue(Answer("word " * 200, gap=0.02))
    seen = asyncio.Event()

    async def read() -> None:
        async for _ in _gateway(ledger, way(vendor)).stream("default", asking(), CALLER):
            seen.set()

    task = asyncio.create_task(read())
    await seen.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await bookings_settled()
    assert ledger.outcomes == [("cancelled", "estimated")]
    assert ledger.bookings[0].usage.output > 0
    await vendor.settled()
    assert vendor.log[0].disconnected


async def test_a_stream_that_is_left_is_still_booked(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """INFRA-3: a stream that the caller leaves is still booked."""
    vendor.enqueue(Answer("word " * 200, gap=0.02))
    async with aclosing(_gateway(ledger, way(vendor)).stream("default", asking(), CALLER)) as deltas:
        async for _ in deltas:
            break
    assert ledger.outcomes == [("abandoned", "estimated")]
    await vendor.settled()
    assert vendor.log[0].disconnected


async def test_a_vendor_that_reports_nothing_is_estimated(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """LED-7: usage_source tells who counted."""
    vendor.enqueue(Answer("Hello there.", usage=None))
    await _gateway(ledger, way(vendor)).complete("default", asking(), CALLER)
    assert ledger.outcomes == [("succeeded", "estimated")]
    assert ledger.bookings[0].cost is not None


async def test_an_endpoint_that_keeps_failing_is_gone_round(
    vendor: ScriptedVendor, other: ScriptedVendor, ledger: MemoryLedger
) -> None:
    """INFRA-3: cool-down of failing ones: after three failures calls begin with the other way."""
    vendor.decide_with(lambda _exchange: Refusal(500))
    gateway = _gateway(ledger, way(vendor), way(other))
    for _ in range(8):
        await gateway.complete("default", asking(), CALLER)
    assert len(vendor.log) == 3
    assert len(other.log) == 8


async def test_a_silent_vendor_is_left_after_the_first_token_timeout(
    vendor: ScriptedVendor, other: ScriptedVendor, ledger: MemoryLedger
) -> None:
    """INFRA-3: timeouts lead elsewhere; a call that may have been worked on is estimated, not free."""
    vendor.enqueue(Answer("late", first_delay=5))
    answer = await _gateway(ledger, way(vendor, timeouts=FAST), way(other)).complete(
        "default", asking("long " * 50), CALLER
    )
    assert answer.text == "Other here."
    assert ledger.bookings[0].error_code == "model_timed_out"
    assert ledger.bookings[0].usage.input > 20


async def test_no_error_tells_a_key(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """SEC-3."""
    secret = "sk-canary-0123456789"
    vendor.enqueue(*[Refusal(401, f'{{"error": {{"message": "bad {secret}"}}}}'.encode())] * 3)
    with pytest.raises(ModelError) as told:
        await _gateway(ledger, way(vendor, api_key=secret)).complete("default", asking(), CALLER)
    assert secret not in repr(told.value) + str(told.value.__context__) + repr(ledger)


def test_the_price_of_the_tests_is_the_published_one() -> None:
    """LED-8: deepseek-chat, as published on 2026-03-06."""
    assert (PRICE.cached_input, PRICE.input, PRICE.output) == (Decimal("0.2"), Decimal(2), Decimal(3))
