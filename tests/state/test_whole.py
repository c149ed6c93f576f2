"""The whole state, spelled as the rule spells it."""

from collections.abc import Sequence

from hypothesis import given

from tests.state.histories import histories, turns_of
from weft.kit.text import check_storable_json
from weft.state.action import Action
from weft.state.runtime import RuntimeState, fold
from weft.state.turn import Turn
from weft.state.whole import spelled, whole


class Kept:
    """Earlier turns, folded when they are asked for."""

    def __init__(self, turns: list[list[Action]]) -> None:
        self._turns = turns
        self.asked: list[tuple[int, int]] = []

    async def turns(self, first: int, last: int) -> Sequence[Turn]:
        self.asked.append((first, last))
        ends = [[action for turn in self._turns[:number] for action in turn] for number in range(first, last + 1)]
        return [fold(None, actions).turn for actions in ends]


@given(histories())
async def test_the_whole_state_has_every_turn(actions: list[Action]) -> None:
    """STATE-1: one prompt, goal, plan, history and usage a turn; earlier turns are read when they are asked for."""
    turns, state = turns_of(actions), fold(None, actions)
    kept = Kept(turns)
    shown = await whole(state, kept)
    assert kept.asked == ([(1, len(turns) - 1)] if len(turns) > 1 else [])
    for name in ("prompts", "task_goals", "todos", "action_history", "usage"):
        assert len(shown[name]) == len(turns)
    assert [[action["id"] for action in turn] for turn in shown["action_history"]] == [
        [action.id for action in turn] for turn in turns
    ]
    assert check_storable_json(shown) == shown


def test_the_fields_are_those_of_the_rule() -> None:
    """STATE-1."""
    assert set(spelled(RuntimeState())) == {
        "prompts", "user_context", "memory", "output_style", "output_structure", "scenario", "task_goals",
        "origin_files", "preprocessed_files", "todos", "action_history", "chat_history", "usage",
    }  # fmt: skip
    assert set(spelled(RuntimeState())["preprocessed_files"]) == {"documents", "tables", "other_files"}
