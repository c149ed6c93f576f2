"""The direct lane against a vendor that is served over real HTTP, and breaks in every way."""

import asyncio
import gc
import logging
import socket
import time
import traceback
from contextlib import aclosing
from dataclasses import replace

import pytest

from weft.kit.errors import OperatorError
from weft.llm.errors import (
    AnswerTooLargeError,
    KeyRefusedError,
    ModelError,
    NotReachedError,
    OffProtocolError,
    TimedOutError,
)
from weft.llm.fold import Fold
from weft.llm.openai_compatible import complete, stream
from weft.llm.scripted import ONLY_LOOPBACK, Answer, Fault, Framing, Refusal, ScriptedVendor
from weft.llm.types import AnswerLimits, Completion, Delta, ModelCall, Target, Timeouts, Usage

CALL = ModelCall([{"role": "user", "content": "Hi"}])
KEY = "sk-canary-7f3a9b2c4d5e"


async def whole(target: Target, call: ModelCall = CALL) -> Completion:
    fold = Fold()
    async with aclosing(stream(target, call)) as deltas:
        async for delta in deltas:
            fold.add(delta)
    return fold.completion()


async def failing(target: Target, *, streamed: bool = True) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await (whole(target) if streamed else complete(target, CALL))
    return caught.value


async def test_a_delta_comes_as_soon_as_the_vendor_sends_it(vendor: ScriptedVendor) -> None:
    """FLOW-7: nothing waits for the end of the answer, nor for a fuller buffer."""
    vendor.enqueue(Answer("a b c d e", gap=0.1))
    started = time.monotonic()
    arrived = [time.monotonic() - started async for delta in stream(vendor.target(), CALL) if delta.text]
    assert len(arrived) == 5
    assert arrived[-1] - arrived[0] > 0.3


async def test_it_sends_what_was_asked_with_the_key_and_nothing_else(vendor: ScriptedVendor) -> None:
    """INFRA-3: the request as the vendor receives it."""
    vendor.enqueue(Answer("Hello."))
    await whole(vendor.target(api_key=KEY, extra_headers={"X-Region": "cn"}))
    seen = vendor.log[0]
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.header("authorization") == f"Bearer {KEY}"
    assert seen.header("x-region") == "cn"
    assert seen.json["messages"] == CALL.messages
    assert seen.json["stream_options"] == {"include_usage": True}


async def test_a_vendor_without_a_key_gets_no_authorization(vendor: ScriptedVendor) -> None:
    """INFRA-1: local models need none."""
    vendor.enqueue(Answer("Hello."))
    await complete(vendor.target(api_key=""), CALL)
    assert vendor.log[0].header("authorization") is None


async def test_cached_tokens_are_those_of_the_real_prefix(vendor: ScriptedVendor) -> None:
    """LED-8: what the vendor read from its cache comes out as cached input, a part of the input."""
    long = ModelCall([{"role": "system", "content": "Be kind. " * 100}, {"role": "user", "content": "Hi"}])
    vendor.enqueue(Answer("Hello."), Answer("Hello."))
    first, second = await whole(vendor.target(), long), await whole(vendor.target(), long)
    assert first.usage is not None
    assert second.usage == replace(first.usage, cached_input=first.usage.input // 64 * 64)
    assert first.usage.cached_input == 0


async def test_connections_are_used_again(vendor: ScriptedVendor) -> None:
    """INFRA-3: one connection serves calls one after the other, streamed and not, refused and not."""
    vendor.enqueue(Answer("a b"), Answer("a b"), Refusal(429), Answer("a b"))
    await whole(vendor.target())
    await complete(vendor.target(), CALL)
    await failing(vendor.target())
    await whole(vendor.target())
    assert [exchange.connection for exchange in vendor.log] == [1, 1, 1, 1]


@pytest.mark.parametrize("after", [0, 1, 3])
async def test_cancelling_closes_the_connection_at_once(vendor: ScriptedVendor, after: int) -> None:
    """INFRA-3: a cancelled call costs no more tokens than it must."""
    vendor.enqueue(Answer("a b c d e f", fault=Fault("hang", after=after)))
    task = asyncio.create_task(whole(vendor.target()))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await vendor.settled(1)
    assert vendor.log[0].disconnected
    assert vendor.log[0].events_sent == after


async def test_cancelling_a_whole_call_closes_it_too(vendor: ScriptedVendor) -> None:
    """INFRA-3: also while nothing has been answered yet."""
    vendor.enqueue(Answer("Hello.", first_delay=5))
    task = asyncio.create_task(complete(vendor.target(), CALL))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await vendor.settled(1)
    assert vendor.log[0].disconnected


async def test_a_reader_that_leaves_closes_the_connection(vendor: ScriptedVendor) -> None:
    """INFRA-3: closing the generator is enough, and so is forgetting it."""
    vendor.enqueue(*[Answer("a b c", fault=Fault("hang", after=2))] * 2)
    async with aclosing(stream(vendor.target(), CALL)) as deltas:
        assert await anext(deltas) == Delta("a")
    await vendor.settled(1)
    forgotten = stream(vendor.target(), CALL)
    assert await anext(forgotten) == Delta("a")
    del forgotten
    gc.collect()
    await vendor.settled(1)
    assert [exchange.disconnected for exchange in vendor.log] == [True, True]


async def test_a_slow_reader_is_not_a_slow_vendor(vendor: ScriptedVendor) -> None:
    """INFRA-3: only waiting for the vendor is timed."""
    vendor.enqueue(Answer("a b c", gap=0.01))
    target = vendor.target(timeouts=Timeouts(gap=0.25))
    seen = []
    async for delta in stream(target, CALL):
        seen.append(delta.text)
        await asyncio.sleep(0.4)
    assert "".join(seen) == "a b c"


@pytest.mark.parametrize(
    ("answer", "stage"),
    [
        (Answer("a b", first_delay=5), "first"),
        (Answer("a b", fault=Fault("hang", after=0)), "first"),
        (Answer(writes=[b": wait\n\n"] * 50, gap=0.05), "first"),
        (Answer("a b", fault=Fault("hang", after=2)), "gap"),
        (Answer("a b c", gap=5), "gap"),
    ],
)
async def test_silence_ends_in_a_timeout_that_says_where(
    vendor: ScriptedVendor, answer: Answer, stage: str
) -> None:
    """INFRA-3: before the first token and between two; comments that keep the line alive are silence."""
    vendor.enqueue(answer)
    started = time.monotonic()
    error = await failing(vendor.target(timeouts=Timeouts(first=0.4, gap=0.2)))
    assert isinstance(error, TimedOutError)
    assert error.stage == stage
    assert time.monotonic() - started < 1.5
    assert error.retry_safe is (error.partial is None)
    await vendor.settled(1)
    assert vendor.log[0].disconnected


async def test_no_connection_within_its_time_is_a_timeout_of_its_own() -> None:
    """INFRA-3: a host that swallows packets is left for another endpoint soon."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        target = Target("acme", "m", url, "openai_compatible", timeouts=Timeouts(connect=0.2, first=5))
        held = [socket.socket() for _ in range(4)]
        for each in held:
            each.setblocking(False)
            each.connect_ex(full.getsockname())  # fills the backlog
        error = await failing(target)
        for each in held:
            each.close()
    assert isinstance(error, TimedOutError)
    assert error.stage == "connect"
    assert error.retry_safe


async def test_nobody_listening_is_safe_to_retry() -> None:
    """INFRA-3: nothing was sent."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    for streamed in (True, False):
        error = await failing(Target("acme", "m", url, "openai_compatible"), streamed=streamed)
        assert isinstance(error, NotReachedError)
        assert error.retry_safe


@pytest.mark.parametrize("kind", ["disconnect", "reset", "hang"])
async def test_a_whole_answer_that_breaks_off_is_not_reached(vendor: ScriptedVendor, kind: str) -> None:
    """INFRA-3: nobody has seen a piece of it, so it is safe to retry."""
    vendor.enqueue(Answer("Hello.", fault=Fault(kind)))  # type: ignore[arg-type]
    error = await failing(vendor.target(timeouts=Timeouts(first=0.3)), streamed=False)
    assert isinstance(error, TimedOutError if kind == "hang" else NotReachedError)
    assert error.retry_safe


async def test_garbage_instead_of_an_answer_says_where(vendor: ScriptedVendor) -> None:
    """INFRA-2: path, expected, found."""
    vendor.enqueue(Answer(fault=Fault("garbage", data=b'{"choices": [{"text": "Hi"}]}')))
    error = await failing(vendor.target(), streamed=False)
    assert isinstance(error, OffProtocolError)
    assert error.path == "$.choices[0].message"


async def test_an_answer_past_its_limit_is_cut_off(vendor: ScriptedVendor) -> None:
    """SEC-4: in both forms, and the connection is closed."""
    vendor.enqueue(Answer("x" * 50_000), Answer("x" * 50_000))
    target = vendor.target(limits=AnswerLimits(line=100_000, answer=10_000))
    for streamed in (True, False):
        assert isinstance(await failing(target, streamed=streamed), AnswerTooLargeError)


async def test_the_key_appears_nowhere(vendor: ScriptedVendor, caplog: pytest.LogCaptureFixture) -> None:
    """SEC-3: not in errors, their causes or the log at its loudest, also when the vendor echoes it."""
    caplog.set_level(logging.DEBUG)
    echo = f'{{"error": {{"message": "wrong key {KEY} in Authorization: Bearer {KEY}"}}}}'.encode()
    vendor.enqueue(
        *[Refusal(status, echo) for status in (400, 401, 429, 500)],
        Refusal(502, KEY.encode()),
        Answer("a b", fault=Fault("error", 2, echo)),
        Answer("a b", fault=Fault("garbage", 2, b"data: " + KEY.encode() + b"\n\n")),
        Answer("a b", fault=Fault("disconnect", 2)),
        Refusal(0),
    )
    for _ in range(9):
        error = await failing(vendor.target(api_key=KEY))
        assert error.__context__ is None
        assert error.__cause__ is None
        shown = [repr(error), repr(vars(error)), *traceback.format_exception(error)]
        assert not [text for text in shown if "canary" in text]
    assert vendor.log[0].header("authorization") == f"Bearer {KEY}"
    assert "canary" not in caplog.text


@pytest.mark.parametrize("key", ["sk-canary\n1234", "sk-canary-é", "sk-canary-1234 ", "\ud800canary"])
async def test_a_key_that_cannot_be_sent_is_refused_before_a_library_quotes_it(
    vendor: ScriptedVendor, key: str
) -> None:
    """SEC-3: an HTTP library would put it into its error."""
    for streamed in (True, False):
        error = await failing(vendor.target(api_key=key), streamed=streamed)
        assert isinstance(error, KeyRefusedError)
        assert "canary" not in str(error)
    assert not vendor.log


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:port/v1",
        "http://localhost:99999999/v1",
        "ftp://localhost/v1",
        "localhost:8000",
        "http://[",
    ],
)
async def test_an_address_that_is_none_is_for_the_operator(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """INFRA-1: a clear error that names the field, before anything is sent."""
    monkeypatch.delenv(ONLY_LOOPBACK)
    for streamed in (True, False):
        target = Target("acme", "m", url, "openai_compatible", KEY)
        with pytest.raises(OperatorError, match="acme: base_url") as caught:
            await (whole(target) if streamed else complete(target, CALL))
        assert caught.value.field == "base_url"


async def test_hundreds_at_once_lose_nothing(vendor: ScriptedVendor) -> None:
    """INFRA-3: streams share a process without mixing."""
    vendor.decide_with(
        lambda exchange: Answer(f"echo {exchange.last_words} " * 10, gap=0.005, framing=Framing(per_write=2))
    )
    calls = [ModelCall([{"role": "user", "content": f"number {number}"}]) for number in range(200)]
    answers = await asyncio.gather(*(whole(vendor.target(), call) for call in calls))
    for number, answer in enumerate(answers):
        assert answer.text == f"echo number {number} " * 10
        assert isinstance(answer.usage, Usage)
