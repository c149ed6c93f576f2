"""Usage written the way each vendor writes it."""

from typing import Any, Literal

from weft.llm.scripted.counting import Counts

Spelling = Literal["openai", "deepseek", "deepseek_bare", "anthropic", "qwen", "moonshot"]


def spell(counts: Counts, spelling: Spelling) -> dict[str, Any]:
    """The usage object that this vendor would send."""
    usage: dict[str, Any] = {
        "prompt_tokens": counts.input,
        "completion_tokens": counts.output,
        "total_tokens": counts.input + counts.output,
    }
    if spelling == "anthropic":
        return {
            "input_tokens": counts.input - counts.cached,
            "cache_read_input_tokens": counts.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": counts.output,
        }
    if spelling == "moonshot":
        return {**usage, "cached_tokens": counts.cached}
    if spelling.startswith("deepseek"):
        usage["prompt_cache_hit_tokens"] = counts.cached
        usage["prompt_cache_miss_tokens"] = counts.input - counts.cached
    if spelling != "deepseek_bare":
        usage["prompt_tokens_details"] = {"cached_tokens": counts.cached}
        usage["completion_tokens_details"] = {"reasoning_tokens": counts.reasoning}
    return usage
