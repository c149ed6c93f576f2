"""The wide lane: what is LiteLLM's own about it, beside the parity with the direct lane."""

import asyncio
import logging
import subprocess
import sys
import time
import traceback
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any

import pytest

from weft.llm import litellm_lane
from weft.llm.errors import (
    AnswerTooLargeError,
    KeyRefusedError,
    ModelError,
    NotReachedError,
    RefusedRequestError,
    TimedOutError,
    VendorFailedError,
)
from weft.llm.fold import Fold
from weft.llm.litellm_errors import problem_below
from weft.llm.litellm_lane import complete, stream
from weft.llm.litellm_library import load
from weft.llm.scripted import Answer, Fault, Refusal, ScriptedVendor
from weft.llm.types import AnswerLimits, Completion, Delta, ModelCall, Target, Timeouts, ToolSpec, Usage

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    # LiteLLM reads pydantic's fields the old way, and declares types that pydantic cannot guard.
    pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning"),
]
CALL = ModelCall([{"role": "user", "content": "Hi"}])
KEY = "sk-canary-7f3a9b2c4d5e"


@pytest.fixture(autouse=True)
def blocking_is_an_error() -> None:
    """Not here: LiteLLM reads certificates in the event loop when it makes a client."""


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


def test_it_is_imported_only_when_it_is_called() -> None:
    """INFRA-3: the import takes seconds; a process that never calls must not pay for it."""
    code = (
        "import sys, weft.llm.litellm_lane, weft.llm.openai_compatible, weft.llm.scripted; "
        "sys.exit('litellm' in sys.modules or 'openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_it_reports_to_nobody_and_retries_nothing() -> None:
    """SEC-3: no callback, no telemetry, no loose log; INFRA-3: retries are decided in one place, ours."""
    litellm = load()
    for name in ("callbacks", "success_callback", "failure_callback", "_async_success_callback"):
        assert getattr(litellm, name) == []
    assert litellm.telemetry is False
    assert litellm.num_retries == 0
    assert not logging.getLogger("LiteLLM").isEnabledFor(logging.CRITICAL)


async def test_a_failing_vendor_is_asked_once(vendor: ScriptedVendor) -> None:
    """INFRA-3: neither LiteLLM nor the SDK below it tries again by itself."""
    vendor.enqueue(*[Refusal(status) for status in (500, 429, 503)])
    for _ in range(3):
        await failing(vendor.target("litellm"))
    assert len(vendor.log) == 3


async def test_it_sends_what_the_direct_lane_sends(vendor: ScriptedVendor) -> None:
    """INFRA-3: the same call is the same request, so that the same prefix is cached."""
    from weft.llm import openai_compatible

    tool = ToolSpec("search", "Finds things.", {"type": "object", "properties": {}})
    call = ModelCall(
        [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "你好"}],
        tools=(tool,),
        tool_choice="required",
        temperature=0.3,
        max_output_tokens=77,
        response_format={"type": "json_object"},
        extra={"enable_thinking": False, "top_p": 0.5},
    )
    vendor.enqueue(*[Answer("Hello.")] * 4)
    headers = {"X-Region": "cn"}
    for lane in (openai_compatible, litellm_lane):
        target = vendor.target("litellm", api_key=KEY, extra_headers=headers, model="scripted")
        await lane.complete(target, call)
        async for _ in lane.stream(target, call):
            pass
    direct, direct_stream, wide, wide_stream = (exchange.json for exchange in vendor.log)
    assert wide == direct
    assert wide_stream == direct_stream
    for exchange in vendor.log:
        assert exchange.header("authorization") == f"Bearer {KEY}"
        assert exchange.header("x-region") == "cn"


async def test_no_key_of_the_environment_is_used(vendor: ScriptedVendor, monkeypatch: pytest.MonkeyPatch) -> None:
    """SEC-3: a target without a key must not send the host's own to somebody else."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    vendor.enqueue(Answer("Hello."))
    await complete(vendor.target("litellm", api_key=""), CALL)
    assert "canary" not in str(vendor.log[0].headers)


async def test_an_unknown_vendor_is_taken_for_openai_compatible(vendor: ScriptedVendor) -> None:
    """INFRA-1: the registry may call its vendors what it likes."""
    vendor.enqueue(Answer("Hello."))
    assert (await complete(vendor.target("litellm", vendor="our-own"), CALL)).text == "Hello."


async def test_usage_that_litellm_made_up_is_none(vendor: ScriptedVendor) -> None:
    """LED-7: it counts tokens itself where a vendor reports nothing; that is no report."""
    vendor.enqueue(*[Answer("Hello there.", usage=None)] * 2)
    assert (await whole(vendor.target("litellm"))).usage is None
    assert (await complete(vendor.target("litellm"), CALL)).usage is None


async def test_cancelling_closes_the_connection_at_once(vendor: ScriptedVendor) -> None:
    """INFRA-3: before the first delta, in the middle, and without a stream."""
    vendor.enqueue(
        Answer("a b c", fault=Fault("hang", after=0)),
        Answer("a b c", fault=Fault("hang", after=2)),
        Answer("a b c", first_delay=5),
    )
    target = vendor.target("litellm")
    for call in (whole(target), whole(target), complete(target, CALL)):
        task = asyncio.create_task(call)  # type: ignore[arg-type]
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await vendor.settled(1)
    assert [exchange.disconnected for exchange in vendor.log] == [True, True, True]


async def test_a_reader_that_leaves_closes_the_connection(vendor: ScriptedVendor) -> None:
    """INFRA-3: closing the generator is enough."""
    vendor.enqueue(Answer("a b c", fault=Fault("hang", after=2)))
    async with aclosing(stream(vendor.target("litellm"), CALL)) as deltas:
        assert await anext(deltas) == Delta("a")
    await vendor.settled(1)
    assert vendor.log[0].disconnected


@pytest.mark.parametrize(
    ("answer", "stage"),
    [
        (Answer("a b", first_delay=5), "first"),
        (Answer(writes=[b": wait\n\n"] * 50, gap=0.05), "first"),
        (Answer("a b", fault=Fault("hang", after=2)), "gap"),
    ],
)
async def test_silence_ends_in_a_timeout_that_says_where(vendor: ScriptedVendor, answer: Answer, stage: str) -> None:
    """INFRA-3: the same limits as in the direct lane."""
    vendor.enqueue(answer)
    started = time.monotonic()
    error = await failing(vendor.target("litellm", timeouts=Timeouts(first=0.4, gap=0.3)))
    assert isinstance(error, TimedOutError)
    assert error.stage == stage
    assert time.monotonic() - started < 2


async def test_a_whole_answer_that_breaks_off_is_not_reached(vendor: ScriptedVendor) -> None:
    """INFRA-3: as in the direct lane."""
    vendor.enqueue(Answer("Hello.", fault=Fault("disconnect")), Answer("Hello.", first_delay=5))
    target = vendor.target("litellm", timeouts=Timeouts(first=0.4))
    assert isinstance(await failing(target, streamed=False), NotReachedError)
    assert isinstance(await failing(target, streamed=False), TimedOutError)


async def test_an_answer_past_its_limit_is_cut_off(vendor: ScriptedVendor) -> None:
    """SEC-4: the stream is closed, with what had arrived."""
    vendor.enqueue(Answer("word " * 1000, gap=0.001))
    error = await failing(vendor.target("litellm", limits=AnswerLimits(answer=500)))
    assert isinstance(error, AnswerTooLargeError)
    assert error.partial is not None
    await vendor.settled(1)
    assert vendor.log[0].disconnected


async def test_the_key_appears_nowhere(
    vendor: ScriptedVendor, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """SEC-3: not in errors, their causes, the log at its loudest, nor on the terminal."""
    caplog.set_level(logging.DEBUG)
    echo = f'{{"error": {{"message": "wrong key {KEY} in Authorization: Bearer {KEY}"}}}}'.encode()
    vendor.enqueue(
        *[Refusal(status, echo) for status in (400, 401, 429, 500)],
        Answer("a b", fault=Fault("error", 2, echo)),
        Answer("a b", fault=Fault("garbage", 2, b"data: " + KEY.encode() + b"\n\n")),
    )
    for _ in range(6):
        error = await failing(vendor.target("litellm", api_key=KEY))
        assert error.__context__ is None
        assert error.__cause__ is None
        shown = [repr(error), repr(vars(error)), *traceback.format_exception(error)]
        assert not [text for text in shown if "canary" in text]
    await asyncio.sleep(0.1)
    output = capfd.readouterr()
    assert "canary" not in caplog.text + output.out + output.err


async def test_a_key_that_cannot_be_sent_is_refused(vendor: ScriptedVendor) -> None:
    """SEC-3: before LiteLLM puts it into an error."""
    error = await failing(vendor.target("litellm", api_key="sk-canary\n1"))
    assert isinstance(error, KeyRefusedError)
    assert not vendor.log


async def test_what_litellm_itself_refuses_is_a_refused_request() -> None:
    """INFRA-3: an option that this vendor does not know is for the operator."""
    target = Target("anthropic", "claude-x", "http://127.0.0.1:1", "litellm", "sk-none")
    call = ModelCall(CALL.messages, extra={"logit_bias": {"1": 1}})
    with pytest.raises(RefusedRequestError):
        await complete(target, call)


def test_an_exception_of_any_kind_has_a_name_and_no_key() -> None:
    """SEC-3: also what nobody foresaw."""
    target = Target("acme", "m", "http://127.0.0.1/v1", "litellm", KEY)
    error = problem_below(target, KeyError(f"Bearer {KEY}"), streaming=False)
    assert isinstance(error, VendorFailedError)
    assert "canary" not in str(error)


def test_usage_in_two_reports_is_put_together() -> None:
    """LED-7: Anthropic reports the input in its first event and the output in its last."""

    def chunk(**usage: Any) -> Any:
        return SimpleNamespace(usage=SimpleNamespace(model_dump=lambda: usage) if usage else None)

    target = Target("anthropic", "m", "", "litellm")
    delta = litellm_lane._Reader(target).usage(
        [
            chunk(prompt_tokens=1000, completion_tokens=1, prompt_tokens_details={"cached_tokens": 640}),
            chunk(),
            chunk(prompt_tokens=0, completion_tokens=300),
        ]
    )
    assert delta == Delta(usage=Usage(1000, 640, 0, 300, 0))


async def test_closing_is_harmless_and_calls_go_on_after_it(vendor: ScriptedVendor) -> None:
    """INFRA-3: the process that shuts down closes what LiteLLM keeps."""
    vendor.enqueue(*[Answer("Hello.")] * 2)
    await complete(vendor.target("litellm"), CALL)
    await litellm_lane.aclose()
    assert (await complete(vendor.target("litellm"), CALL)).text == "Hello."
