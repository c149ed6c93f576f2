"""The same transcripts through both lanes, and equal results demanded."""

from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import pytest

from weft.llm import litellm_lane, openai_compatible
from weft.llm.errors import ModelError, TimedOutError
from weft.llm.fold import Fold
from weft.llm.scripted import Answer, Refusal, ScriptedVendor
from weft.llm.types import Completion, ModelCall, Target, Timeouts, ToolSpec

from .transcripts import FAILING_STREAMS, ODD_STREAMS, REFUSALS, WHOLE

pytestmark = [
    pytest.mark.xdist_group("litellm"),  # one process of the run imports it
    # LiteLLM reads pydantic's fields the old way, and declares types that pydantic cannot guard.
    pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning"),
]
LANES: dict[str, Any] = {"openai_compatible": openai_compatible, "litellm": litellm_lane}
TOOLS = (ToolSpec("search", "Finds things.", {"type": "object", "properties": {}}),)
CALL = ModelCall([{"role": "user", "content": "Hi"}], TOOLS, temperature=0.5, max_output_tokens=100)
PATIENT = Timeouts()
IMPATIENT = Timeouts(connect=1.0, first=0.4, gap=0.4)


@pytest.fixture(autouse=True)
def blocking_is_an_error() -> None:
    """Not here: LiteLLM reads certificates in the event loop when it makes a client."""


@dataclass(frozen=True)
class Seen:
    """All that a caller can see of a failure."""

    kind: type[ModelError]
    retry_safe: bool
    retry_after: float | None
    stage: str | None
    partial: Completion | None


async def streamed(target: Target) -> Completion:
    fold = Fold()
    async with aclosing(LANES[target.lane].stream(target, CALL)) as deltas:
        async for delta in deltas:
            fold.add(delta)
    return fold.completion()


async def play(answer: Answer | Refusal, *, stream: bool, timeouts: Timeouts = PATIENT) -> list[Any]:
    """What each lane makes of the answer: a completion, or what is seen of a failure."""
    results: list[Any] = []
    for name, lane in LANES.items():
        # A vendor for each: so its cache and the ids that it gives are the same for both.
        async with ScriptedVendor(answer) as vendor:
            target = vendor.target(name, timeouts=timeouts)
            try:
                results.append(await (streamed(target) if stream else lane.complete(target, CALL)))
            except ModelError as error:
                stage = error.stage if isinstance(error, TimedOutError) else None
                wait = getattr(error, "retry_after", None)
                results.append(Seen(type(error), error.retry_safe, wait, stage, error.partial))
    return results


@pytest.mark.parametrize("name", WHOLE)
async def test_a_streamed_answer_is_the_same(name: str) -> None:
    """INFRA-3: both lanes read the same answer out of the same stream."""
    direct, wide = await play(WHOLE[name], stream=True)
    assert isinstance(direct, Completion)
    assert direct == wide


@pytest.mark.parametrize("name", WHOLE)
async def test_a_whole_answer_is_the_same_streamed_or_not(name: str) -> None:
    """INFRA-3: both lanes read the same answer out of one object, and it is the one that they stream."""
    direct, wide = await play(WHOLE[name], stream=False)
    assert direct == wide
    assert direct == (await play(WHOLE[name], stream=True))[0]


@pytest.mark.parametrize("name", ODD_STREAMS)
async def test_an_odd_stream_is_the_same(name: str) -> None:
    """INFRA-3: split tool calls and odd framing give the same answer in both lanes."""
    direct, wide = await play(ODD_STREAMS[name], stream=True)
    assert isinstance(direct, Completion)
    assert direct == wide


@pytest.mark.parametrize("name", FAILING_STREAMS)
async def test_a_failing_stream_fails_alike(name: str) -> None:
    """INFRA-3: the same error, equally safe to retry, with the same words that had arrived."""
    direct, wide = await play(FAILING_STREAMS[name], stream=True, timeouts=IMPATIENT)
    assert isinstance(direct, Seen)
    assert direct == wide


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("name", REFUSALS)
async def test_a_refusal_is_the_same(name: str, stream: bool) -> None:
    """INFRA-3: a vendor that refuses before it answers gives the same error in both lanes."""
    direct, wide = await play(REFUSALS[name], stream=stream)
    assert isinstance(direct, Seen)
    assert direct == wide
