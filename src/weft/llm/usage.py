"""Every vendor's spelling of token usage, brought to one canonical `Usage`."""

from collections.abc import Mapping
from typing import Any

from weft.llm.types import Usage

LARGEST = 2_147_483_647  # what an integer column holds; no call is larger

# A dot leads into a nested object.
_INPUT = ("prompt_tokens", "promptTokenCount", "prompt_token_count", "prompt_eval_count")
_INPUT_MAYBE_WITHOUT_CACHED = ("input_tokens", "inputTokens")
_OUTPUT = (
    "completion_tokens",
    "output_tokens",
    "outputTokens",
    "candidatesTokenCount",
    "candidates_token_count",
    "eval_count",
)
_TOTAL = ("total_tokens", "totalTokens", "totalTokenCount", "total_token_count")
_CACHED_BESIDE_INPUT = ("cache_read_input_tokens", "cacheReadInputTokens")
_WRITTEN_BESIDE_INPUT = ("cache_creation_input_tokens", "cacheWriteInputTokens")
_CACHED = (
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "prompt_cache_hit_tokens",
    "cached_tokens",
    "cachedContentTokenCount",
    "cached_content_token_count",
    *_CACHED_BESIDE_INPUT,
)
_WRITTEN = (
    "prompt_tokens_details.cache_creation_tokens",
    "prompt_tokens_details.cache_creation_input_tokens",
    "prompt_tokens_details.cache_write_tokens",
    *_WRITTEN_BESIDE_INPUT,
)
_MISSED = ("prompt_cache_miss_tokens",)
_THOUGHTS_BESIDE_OUTPUT = ("thoughtsTokenCount", "thoughts_token_count")
_REASONING = (
    "completion_tokens_details.reasoning_tokens",
    "output_tokens_details.reasoning_tokens",
    "reasoning_tokens",
    *_THOUGHTS_BESIDE_OUTPUT,
)


class _NonsenseError(Exception):
    """A count that must be right is not a count."""


def canonical_usage(raw: Any) -> Usage | None:
    """What a vendor reported, or None where it reported nothing that a bill could rest on.

    Input and output must be counts, and not both nothing: a call always reads something. The parts (cached,
    written, reasoning) are held inside the whole they are part of, and dropped where they are no counts.
    """
    if not isinstance(raw, Mapping):
        return None
    try:
        cached = _largest(raw, _CACHED)
        written = _largest(raw, _WRITTEN)
        output, reasoning = _output(raw)
        size = _input(raw, cached, written, output)
    except _NonsenseError:
        return None
    if size + output == 0 or max(size, output) > LARGEST:
        return None
    if not cached and (missed := _largest(raw, _MISSED)):
        cached = size - missed
    cached = max(0, min(cached, size))
    written = min(written, size - cached)
    return Usage(size, cached, written, output, min(reasoning, output))


def _input(raw: Mapping[str, Any], cached: int, written: int, output: int) -> int:
    size = _required(raw, _INPUT)
    if size is not None:
        return size
    size = _required(raw, _INPUT_MAYBE_WITHOUT_CACHED)
    if size is not None:
        # Anthropic and Bedrock count the tokens read from and written to the cache beside the input.
        return size + _largest(raw, _CACHED_BESIDE_INPUT) + _largest(raw, _WRITTEN_BESIDE_INPUT)
    if missed := _largest(raw, _MISSED):
        return cached + missed
    total = _required(raw, _TOTAL)
    return max(0, total - output) if total is not None else cached + written


def _output(raw: Mapping[str, Any]) -> tuple[int, int]:
    output = _required(raw, _OUTPUT) or 0
    reasoning = _largest(raw, _REASONING)
    if _largest(raw, _THOUGHTS_BESIDE_OUTPUT):
        return output + reasoning, reasoning
    total, size = _largest(raw, _TOTAL), _largest(raw, _INPUT)
    if reasoning and size and total == size + output + reasoning:
        return output + reasoning, reasoning  # xAI and some proxies count the thoughts beside the answer
    return output, reasoning


def _required(raw: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = raw.get(name)
        if value is None:
            continue
        count = _count(value)
        if count is None:
            raise _NonsenseError(name)
        return count
    return None


def _largest(raw: Mapping[str, Any], names: tuple[str, ...]) -> int:
    # Several spellings often stand side by side, some of them a mere default of 0.
    return max(_count(_find(raw, name)) or 0 for name in names)


def _find(raw: Mapping[str, Any], name: str) -> Any:
    outer, dot, inner = name.partition(".")
    value = raw.get(outer)
    if not dot:
        return value
    return value.get(inner) if isinstance(value, Mapping) else None


def _count(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= len(str(LARGEST)):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= LARGEST else None
