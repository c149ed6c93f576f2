"""Tokens of a run as AG-UI counts them: parts are never added to the totals that hold them."""

from typing import Any

from weft.state.events import CallMade


class Spent:
    """One entry a model."""

    def __init__(self) -> None:
        self._models: dict[str, tuple[int, int, int]] = {}

    def add(self, call: CallMade) -> None:
        """Count a call; one that used nothing that anybody knows of is left out."""
        if call.input_tokens or call.output_tokens:
            before = self._models.get(call.model, (0, 0, 0))
            more = (call.input_tokens, call.cached_input_tokens, call.output_tokens)
            self._models[call.model] = (before[0] + more[0], before[1] + more[1], before[2] + more[2])

    def entries(self) -> list[dict[str, Any]]:
        """What AG-UI calls usage."""
        return [
            {
                **({"model": model} if model else {}),
                "inputTokens": given,
                "cachedInputTokens": cached,
                "outputTokens": written,
                "totalTokens": given + written,
            }
            for model, (given, cached, written) in self._models.items()
        ]
