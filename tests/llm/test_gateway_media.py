"""INFRA-2, LED-7: embeddings, pictures and videos go the same way as text: routed, tried again where safe, booked."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from tests.llm.routes import CALLER, MemoryLedger, Routes, asking, way
from weft.kit.errors import OperatorError, WorldError
from weft.llm.errors import ModelError, OffProtocolError
from weft.llm.gateway import Gateway
from weft.llm.ports import Candidate, Price
from weft.llm.scripted import Answer, ScriptedVendor

PICTURE = Price("CNY", date(2026, 11, 18), "test", per_image=Decimal("0.14"))


@pytest.fixture
def vendor() -> Iterator[ScriptedVendor]:
    with ScriptedVendor() as vendor:
        yield vendor


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


def _way(vendor: ScriptedVendor, category: str, **more: object) -> Candidate:
    candidate = way(vendor)
    return replace(candidate, card=replace(candidate.card, category=category), **more)


async def test_vectors_are_booked_by_the_tokens_the_vendor_reports(
    vendor: ScriptedVendor, ledger: MemoryLedger
) -> None:
    """LED-7: an embedding is a provider call like any other."""
    gateway = Gateway(Routes([_way(vendor, "embedding")]), ledger)
    vectors = (await gateway.embed("default", ["你好", "hello"], CALLER)).vectors
    assert len(vectors) == 2
    (booking,) = ledger.bookings
    reported = vendor.log[0].usage
    assert reported is not None
    assert (booking.outcome, booking.usage_source) == ("succeeded", "reported")
    assert booking.usage.input == reported["prompt_tokens"]
    assert booking.cost == Decimal(2 * booking.usage.input).scaleb(-6)


async def test_pictures_are_booked_by_the_picture(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """LED-8: per-image units too."""
    gateway = Gateway(Routes([_way(vendor, "text_to_image", price=PICTURE)]), ledger)
    made = await gateway.make_images("default", "一只猫", CALLER)
    (booking,) = ledger.bookings
    assert int(booking.units["images"]) == len(made.urls) + len(made.data) >= 1
    assert booking.cost == Decimal("0.14") * int(booking.units["images"])


async def test_a_picture_without_a_price_is_flagged_and_never_free(
    vendor: ScriptedVendor, ledger: MemoryLedger
) -> None:
    """LED-8 (3): a price for tokens says nothing of pictures."""
    gateway = Gateway(Routes([_way(vendor, "text_to_image")]), ledger)
    await gateway.make_images("default", "a cat", CALLER)
    assert (ledger.bookings[0].cost, ledger.bookings[0].cost_source) == (None, "unpriced")


async def test_a_chat_model_is_not_asked_for_vectors(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """INFRA-2: the structure a model declares is the one that is used; nothing leaves for another."""
    gateway = Gateway(Routes([_way(vendor, "text")]), ledger)
    with pytest.raises(OperatorError, match="answers as chat, and embedding is asked of it"):
        await gateway.embed("default", ["x"], CALLER)
    assert vendor.log == []
    assert [(b.outcome, b.usage.input) for b in ledger.bookings] == [("failed", 0)]


async def test_an_embedding_model_is_not_chatted_with(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """INFRA-2: the other way round neither."""
    with pytest.raises(OperatorError, match="answers as embedding, and chat is asked of it"):
        await Gateway(Routes([_way(vendor, "embedding")]), ledger).complete("default", asking(), CALLER)
    assert vendor.log == []


async def test_a_chat_structure_of_a_models_own_is_applied(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """INFRA-2: declared once as data, applied to every call; the caller gets the same typed result."""
    usage = b'{"input_tokens": 7, "output_tokens": 2}'
    said = b'{"output": {"text": "\\u4f60\\u597d", "finish_reason": "stop"}, "usage": ' + usage + b"}"
    vendor.enqueue(Answer(writes=[said]))
    odd = way(vendor)
    odd = replace(odd, card=replace(odd.card, structure={"use": "dashscope_chat"}))
    answer = await Gateway(Routes([odd]), ledger).complete("default", asking(), CALLER)
    assert answer.text == "你好"
    assert (ledger.bookings[0].usage.input, ledger.bookings[0].usage_source) == (7, "reported")


async def test_an_answer_that_does_not_fit_its_structure_says_where(
    vendor: ScriptedVendor, ledger: MemoryLedger
) -> None:
    """INFRA-2: an answer that does not fit is a clear error that shows where."""
    vendor.enqueue(Answer(writes=[b'{"output": {"text": 5}}']))
    odd = way(vendor)
    odd = replace(odd, card=replace(odd.card, structure={"use": "dashscope_chat"}))
    with pytest.raises(OffProtocolError, match="output"):
        await Gateway(Routes([odd]), ledger).complete("default", asking(), CALLER)


async def test_a_vendor_that_cannot_be_reached_is_gone_round(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """INFRA-3: fall-over before anything was made."""
    dead = replace(_way(vendor, "embedding"), endpoint="dead", key="deepseek/dead")
    async with ScriptedVendor(key="sk-right") as refusing:
        closed = replace(dead, target=refusing.target(api_key="sk-wrong"))
        gateway = Gateway(Routes([closed, _way(vendor, "embedding")]), ledger)
        await gateway.embed("default", ["x"], CALLER)
    assert [booking.outcome for booking in ledger.bookings] == ["failed", "succeeded"]


async def test_a_cancelled_picture_is_booked(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """LED-7: whoever leaves, the line is written."""
    gateway = Gateway(Routes([_way(vendor, "text_to_image")]), ledger)
    task = asyncio.create_task(gateway.make_images("default", "a cat", CALLER))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [booking.outcome for booking in ledger.bookings] == ["cancelled"]


async def test_what_stops_a_call_before_it_leaves_used_nothing(vendor: ScriptedVendor, ledger: MemoryLedger) -> None:
    """LED-7: a call the vendor never heard of is booked with nothing, and under its own error."""
    broken = way(vendor, base_url="nowhere")
    with pytest.raises((OperatorError, ModelError)):
        await Gateway(Routes([broken]), ledger).complete("default", asking("word " * 500), CALLER)
    (booking,) = ledger.bookings
    assert (booking.outcome, booking.usage.input, booking.cost) == ("failed", 0, Decimal(0))
    assert booking.error_code is not None


class _BusyLedger(MemoryLedger):
    """Cannot be written to twice, then can."""

    busy = 2

    async def end(self, *about: object) -> None:
        if self.busy:
            self.busy -= 1
            raise WorldError("busy")
        await super().end(*about)  # type: ignore[arg-type]


async def test_a_ledger_that_is_busy_for_a_moment_loses_no_line(vendor: ScriptedVendor) -> None:
    """LED-7: a booking that fails is tried again, and its error does not replace the answer."""
    vendor.enqueue(Answer("Hello."))
    ledger = _BusyLedger()
    answer = await Gateway(Routes([way(vendor)]), ledger).complete("default", asking("word " * 500), CALLER)
    assert answer.text == "Hello."
    assert len(ledger.bookings) == 1
