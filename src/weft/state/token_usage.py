"""Tokens as STATE-2 counts them."""

from dataclasses import dataclass
from typing import Self

from pydantic import with_config

from weft.llm.types import Usage
from weft.state.closed import CLOSED, Count


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class TokenUsage:
    """The tokens of an action, or of a turn."""

    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    total_tokens: Count = 0

    def __post_init__(self) -> None:
        if self.total_tokens != self.prompt_tokens + self.completion_tokens:
            raise ValueError("total_tokens must be the sum of prompt_tokens and completion_tokens")

    @classmethod
    def of(cls, *calls: Usage) -> Self:
        """What these model calls used together."""
        read, written = sum(call.input for call in calls), sum(call.output for call in calls)
        return cls(read, written, read + written)

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.total_tokens + other.total_tokens,
        )


NO_USAGE = TokenUsage()
