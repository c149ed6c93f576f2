"""The second price list: LiteLLM's, for models whose prices were registered in the currency of the call."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from weft.llm.litellm_library import load
from weft.llm.types import Usage

_PROVIDER = "openai"  # the spelling of usage that LiteLLM is shown
_COSTS = {
    "input_cost_per_token": "input",
    "output_cost_per_token": "output",
    "cache_read_input_token_cost": "cached_input",
    "cache_creation_input_token_cost": "cache_write",
}

_waiting: dict[str, dict[str, Any]] = {}
_names: dict[tuple[str, str], frozenset[str]] = {}


def register_prices(currency: str, prices: Mapping[str, Mapping[str, str | Decimal]]) -> None:
    """Register prices per token of models in one currency, in LiteLLM's spelling (`input_cost_per_token`, …).

    Each stands under a name of its own with the currency in it: a price in dollars can never be found by a
    call that is booked in yuan. LiteLLM itself is brought in when the first of them is needed.
    """
    for model, given in prices.items():
        known = {name: float(given[name]) for name in _COSTS if name in given}
        if not known:
            raise ValueError(f"{model}: a price needs at least one of {', '.join(_COSTS)}")
        _names[currency, model] = frozenset(_COSTS[name] for name in known)
        _waiting[_registered_name(currency, model)] = {
            # Unless told otherwise LiteLLM takes cached tokens for free; whether such tokens may be priced
            # at all is decided before it is asked.
            "cache_read_input_token_cost": known.get("input_cost_per_token", 0.0),
            "cache_creation_input_token_cost": known.get("input_cost_per_token", 0.0),
            **known,
            "litellm_provider": _PROVIDER,
            "mode": "chat",
        }


def forget_prices() -> None:
    """Forget every registered price: for tests, and for a price list that is read anew."""
    _waiting.clear()
    _names.clear()


def cost_of_tokens(usage: Usage, models: Iterable[str], currency: str) -> Decimal | None:
    """What LiteLLM computes by the prices of the first of these names that is registered in this currency.

    None where none is, or where the price lacks a part that the call needs. The first time imports LiteLLM,
    which takes seconds: a process that registers prices calls `litellm_library.load` while it starts.
    """
    for model in models:
        parts = _names.get((currency, model))
        if parts is None:
            continue
        return _computed(usage, _registered_name(currency, model)) if _covers(parts, usage) else None
    return None


def _covers(parts: frozenset[str], usage: Usage) -> bool:
    missed = usage.input - usage.cached_input - usage.cache_write
    needed = {
        "input": missed > 0 or (usage.cache_write > 0 and "cache_write" not in parts),
        "cached_input": usage.cached_input > 0,
        "output": usage.output > 0,
    }
    return all(part in parts for part, wanted in needed.items() if wanted)


def _computed(usage: Usage, name: str) -> Decimal | None:
    litellm = load()
    if _waiting:
        litellm.register_model(dict(_waiting))
        _waiting.clear()
    response = litellm.ModelResponse(model=name, usage=litellm.Usage(**_spelled(usage)))
    try:
        cost = litellm.completion_cost(completion_response=response, model=name, custom_llm_provider=_PROVIDER)
    except Exception:  # noqa: BLE001 - it raises bare exceptions for what it cannot price; then nobody can
        return None
    return Decimal(str(cost))


def _spelled(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {
            "cached_tokens": usage.cached_input,
            "cache_creation_tokens": usage.cache_write,
        },
    }


def _registered_name(currency: str, model: str) -> str:
    return f"weft/{currency}/{model}"
