"""The whole state, spelled as the rule spells it."""

from hypothesis import given

from tests.state.histories import histories, turns_of
from weft.kit.text import check_storable_json
from weft.state.action import Action
from weft.state.changes import AddChat, ChatEntry, TurnBegan
from weft.state.runtime import RuntimeState, fold
from weft.state.whole import whole


@given(histories())
def test_the_whole_state_has_every_turn(actions: list[Action]) -> None:
    """STATE-1: one prompt, goal, plan, history and usage a turn, of as many turns as are given."""
    turns, state = turns_of(actions), fold(None, actions)
    ends = [[action for turn in turns[:number] for action in turn] for number in range(1, len(turns))]
    shown = whole(state, [fold(None, each).turn for each in ends])
    for name in ("prompts", "task_goals", "todos", "action_history", "usage"):
        assert len(shown[name]) == len(turns)
    assert [[action["id"] for action in turn] for turn in shown["action_history"]] == [
        [action.id for action in turn] for turn in turns
    ]
    assert check_storable_json(shown) == shown


def test_the_fields_are_those_of_the_rule() -> None:
    """STATE-1."""
    assert set(whole(RuntimeState())) == {
        "prompts", "user_context", "memory", "output_style", "output_structure", "scenario", "task_goals",
        "origin_files", "preprocessed_files", "todos", "action_history", "chat_history", "usage",
    }  # fmt: skip
    assert set(whole(RuntimeState())["preprocessed_files"]) == {"documents", "tables", "other_files"}


def test_what_is_said_stands_in_the_chat_once() -> None:
    """STATE-1: the user's words by the turn's beginning, the answer by its own change; a silent turn says nothing."""
    said = AddChat((ChatEntry("assistant", "hello", "m1"),))
    state = fold(None, [Action(1, "inherit", changes=(TurnBegan("hi"),)), Action(2, "intent", changes=(said,))])
    shown = whole(state)["chat_history"]
    assert [(entry["role"], entry["content"]) for entry in shown] == [("user", "hi"), ("assistant", "hello")]
    assert whole(fold(None, [Action(1, "inherit", changes=(TurnBegan(""),))]))["chat_history"] == []
