"""Tokens used, derived from the actions: nothing counts them a second time."""

from collections.abc import Iterable

from weft.state.action import Action
from weft.state.token_usage import NO_USAGE, TokenUsage


def usage_of(actions: Iterable[Action]) -> TokenUsage:
    """What the actions used together."""
    return sum((action.usage for action in actions), NO_USAGE)


def usage_by_turn(turns: Iterable[Iterable[Action]]) -> tuple[TokenUsage, ...]:
    """What each turn used: `usage[]` of STATE-1."""
    return tuple(usage_of(actions) for actions in turns)
