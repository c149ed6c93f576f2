"""Every vendor's spelling of usage reads as the same canonical counts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.llm import usage as module
from weft.llm.types import Usage
from weft.llm.usage import LARGEST, canonical_usage

SPELLINGS: dict[str, tuple[dict[str, Any], Usage]] = {
    "OpenAI": (
        {
            "prompt_tokens": 1000,
            "completion_tokens": 300,
            "total_tokens": 1300,
            "prompt_tokens_details": {"cached_tokens": 640, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 200, "audio_tokens": 0},
        },
        Usage(1000, 640, 0, 300, 200),
    ),
    "OpenAI responses": (
        {
            "input_tokens": 1000,
            "output_tokens": 300,
            "total_tokens": 1300,
            "input_tokens_details": {"cached_tokens": 640},
            "output_tokens_details": {"reasoning_tokens": 200},
        },
        Usage(1000, 640, 0, 300, 200),
    ),
    "DeepSeek": (
        {
            "prompt_tokens": 1000,
            "completion_tokens": 300,
            "total_tokens": 1300,
            "prompt_tokens_details": {"cached_tokens": 640},
            "prompt_cache_hit_tokens": 640,
            "prompt_cache_miss_tokens": 360,
        },
        Usage(1000, 640, 0, 300, 0),
    ),
    "DeepSeek, hits and misses alone": (
        {"prompt_cache_hit_tokens": 640, "prompt_cache_miss_tokens": 360, "completion_tokens": 300},
        Usage(1000, 640, 0, 300, 0),
    ),
    "misses alone": (
        {"prompt_tokens": 1000, "completion_tokens": 300, "prompt_cache_miss_tokens": 360},
        Usage(1000, 640, 0, 300, 0),
    ),
    "Anthropic": (
        {
            "input_tokens": 100,
            "cache_read_input_tokens": 640,
            "cache_creation_input_tokens": 260,
            "output_tokens": 300,
        },
        Usage(1000, 640, 260, 300, 0),
    ),
    "Anthropic through LiteLLM": (
        {
            "prompt_tokens": 1000,
            "completion_tokens": 300,
            "total_tokens": 1300,
            "prompt_tokens_details": {"cached_tokens": 640, "cache_creation_tokens": 260},
            "cache_read_input_tokens": 640,
            "cache_creation_input_tokens": 260,
        },
        Usage(1000, 640, 260, 300, 0),
    ),
    "Bedrock": (
        {"inputTokens": 100, "outputTokens": 300, "cacheReadInputTokens": 640, "cacheWriteInputTokens": 260},
        Usage(1000, 640, 260, 300, 0),
    ),
    "Qwen": (
        {
            "prompt_tokens": 1000,
            "completion_tokens": 300,
            "total_tokens": 1300,
            "prompt_tokens_details": {"cached_tokens": 640, "cache_creation_input_tokens": 260},
            "completion_tokens_details": {"reasoning_tokens": 200, "text_tokens": 100},
        },
        Usage(1000, 640, 260, 300, 200),
    ),
    "Moonshot": (
        {"prompt_tokens": 1000, "completion_tokens": 300, "total_tokens": 1300, "cached_tokens": 640},
        Usage(1000, 640, 0, 300, 0),
    ),
    "Gemini": (
        {
            "promptTokenCount": 1000,
            "candidatesTokenCount": 100,
            "thoughtsTokenCount": 200,
            "cachedContentTokenCount": 640,
            "totalTokenCount": 1300,
        },
        Usage(1000, 640, 0, 300, 200),
    ),
    "xAI, reasoning beside the answer": (
        {
            "prompt_tokens": 1000,
            "completion_tokens": 100,
            "total_tokens": 1300,
            "completion_tokens_details": {"reasoning_tokens": 200},
        },
        Usage(1000, 0, 0, 300, 200),
    ),
    "Ollama": ({"prompt_eval_count": 1000, "eval_count": 300}, Usage(1000, 0, 0, 300, 0)),
    "an embedding": ({"prompt_tokens": 1000, "total_tokens": 1000}, Usage(1000, 0, 0, 0, 0)),
    "the input only in the total": ({"completion_tokens": 300, "total_tokens": 1300}, Usage(1000, 0, 0, 300)),
    "whole floats and digits": (
        {"prompt_tokens": 1000.0, "completion_tokens": "300"},
        Usage(1000, 0, 0, 300),
    ),
    "details that are null": (
        {"prompt_tokens": 1000, "completion_tokens": 300, "prompt_tokens_details": None},
        Usage(1000, 0, 0, 300),
    ),
    "more cached than there is": (
        {"prompt_tokens": 1000, "completion_tokens": 300, "prompt_cache_hit_tokens": 2000},
        Usage(1000, 1000, 0, 300),
    ),
    "cached that is no count": (
        {"prompt_tokens": 1000, "completion_tokens": 300, "prompt_cache_hit_tokens": -1},
        Usage(1000, 0, 0, 300),
    ),
    "more reasoning than output": (
        {"prompt_tokens": 1000, "completion_tokens": 300, "reasoning_tokens": 400},
        Usage(1000, 0, 0, 300, 300),
    ),
}
UNUSABLE: list[Any] = [
    None,
    {},
    [],
    "1000",
    7,
    {"prompt_tokens": None, "completion_tokens": None},
    {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    {"prompt_tokens": -1, "completion_tokens": 300},
    {"prompt_tokens": 1000, "completion_tokens": -1},
    {"prompt_tokens": "many", "completion_tokens": 300},
    {"prompt_tokens": 10.5, "completion_tokens": 300},
    {"prompt_tokens": float("nan"), "completion_tokens": 300},
    {"prompt_tokens": True, "completion_tokens": 300},
    {"prompt_tokens": LARGEST + 1, "completion_tokens": 300},
    {"prompt_tokens": "9" * 5000, "completion_tokens": 300},
]


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_vendor_spelling_reads_as_canonical_counts(name: str) -> None:
    """LED-7: canonical usage whatever the vendor calls it, cached input a part of input."""
    raw, expected = SPELLINGS[name]
    assert canonical_usage(raw) == expected


@pytest.mark.parametrize("raw", UNUSABLE)
def test_what_no_bill_can_rest_on_is_no_usage(raw: Any) -> None:
    """LED-8: usage that is absent or nonsense is None: the call is booked as estimated, never as 0."""
    assert canonical_usage(raw) is None


NAMES = sorted(
    {part for group in vars(module).values() if isinstance(group, tuple) for name in group for part in name.split(".")}
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.integers(0, 9000),
    lambda inner: st.dictionaries(st.sampled_from(NAMES), inner, max_size=6) | st.lists(inner, max_size=3),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=12))
def test_nothing_a_vendor_sends_can_crash_it_or_break_its_rules(raw: dict[str, Any]) -> None:
    """LED-7: whatever comes, parts stay within their whole and every count fits the ledger."""
    usage = canonical_usage(raw)
    if usage is None:
        return
    assert 0 <= usage.cached_input <= usage.input <= LARGEST
    assert 0 <= usage.cache_write <= usage.input - usage.cached_input
    assert 0 <= usage.reasoning <= usage.output <= LARGEST
    assert usage.input + usage.output > 0


COUNTS = st.integers(0, 1_000_000)


@given(fresh=COUNTS, read=COUNTS, written=COUNTS, output=COUNTS)
def test_anthropic_and_litellm_agree_on_the_same_call(fresh: int, read: int, written: int, output: int) -> None:
    """LED-8: input counted without its cached tokens and with them is one and the same usage."""
    beside = {
        "input_tokens": fresh,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
        "output_tokens": output,
    }
    within = {
        "prompt_tokens": fresh + read + written,
        "prompt_tokens_details": {"cached_tokens": read, "cache_creation_tokens": written},
        "completion_tokens": output,
    }
    assert canonical_usage(beside) == canonical_usage(within)


@given(hit=COUNTS, miss=COUNTS, output=st.integers(1, 1_000_000))
def test_deepseek_hits_and_misses_add_up(hit: int, miss: int, output: int) -> None:
    """LED-8: hit and miss, with or without the sum beside them, are the same usage."""
    bare = {"prompt_cache_hit_tokens": hit, "prompt_cache_miss_tokens": miss, "completion_tokens": output}
    expected = Usage(hit + miss, hit, 0, output, 0)
    assert canonical_usage(bare) == expected
    assert canonical_usage({**bare, "prompt_tokens": hit + miss}) == expected
