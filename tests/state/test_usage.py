"""Usage follows from the actions, and from nothing else."""

import pytest
from hypothesis import given

from tests.state.histories import histories, turns_of
from weft.llm.types import Usage
from weft.state.action import Action
from weft.state.runtime import fold
from weft.state.shared import SUMMARIES_KEPT
from weft.state.token_usage import TokenUsage
from weft.state.usage import usage_by_turn, usage_of


@given(histories())
def test_usage_is_the_sum_over_the_actions(actions: list[Action]) -> None:
    """STATE-6: of a turn, and of each."""
    turns = turns_of(actions)
    state = fold(None, actions)
    assert state.turn.usage == usage_of(turns[-1])
    assert usage_by_turn(turns)[-1] == state.turn.usage
    assert sum(each.total_tokens for each in usage_by_turn(turns)) == sum(each.usage.total_tokens for each in actions)
    assert [each.usage for each in state.recent] == list(usage_by_turn(turns[:-1]))[-SUMMARIES_KEPT:]


def test_usage_is_made_of_what_the_calls_report() -> None:
    """STATE-2: the vendor's counts by the names of the rule; a total that is none cannot be made."""
    assert TokenUsage.of(Usage(input=10, cached_input=4, output=3), Usage(input=5, output=2)) == TokenUsage(15, 5, 20)
    assert TokenUsage.of() == TokenUsage()
    with pytest.raises(ValueError, match="the sum"):
        TokenUsage(1, 2, 4)
