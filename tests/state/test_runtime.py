"""The state is the fold of its actions, from any place on."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.state.histories import histories, turns_of
from weft.state.action import Action, Next
from weft.state.calls import ToolCall
from weft.state.changes import AddMemory, SetOutputStyle, SetScenario, SetTaskGoal, SetTodos, ToolsAsked, TurnBegan
from weft.state.errors import StateInvalidError, TodosInvalidError
from weft.state.json_form import load_action
from weft.state.runtime import RuntimeState, advance, apply, fold, opened
from weft.state.shared import Memory
from weft.state.snapshot import load_snapshot, record_snapshot
from weft.state.todo import Todo


@given(histories(), st.data())
def test_a_fold_may_be_cut_anywhere(actions: list[Action], data: st.DataObject) -> None:
    """STATE-1, STATE-5: going on from any action gives what the whole gives."""
    cut = data.draw(st.integers(0, len(actions)))
    assert fold(fold(None, actions[:cut]), actions[cut:]) == fold(None, actions)


@given(histories())
def test_a_turn_starts_from_a_snapshot_as_from_everything(actions: list[Action]) -> None:
    """STATE-6: the snapshot of the turn before stands for all earlier turns, its stored form too."""
    done: list[Action] = []
    for turn in turns_of(actions):
        snapshot = load_snapshot(record_snapshot(fold(None, done).snapshot()).json) if done else None
        assert opened(snapshot).snapshot() == (snapshot or RuntimeState().snapshot())
        done += turn
        assert fold(snapshot, turn) == fold(None, done)


@given(histories())
def test_apply_leaves_what_was_as_it_was(actions: list[Action]) -> None:
    """STATE-4: whoever holds a state holds it for good."""
    state, before = RuntimeState(), list[tuple[RuntimeState, RuntimeState]]()
    for action in actions:
        before.append((state, copy.deepcopy(state)))
        kept = copy.deepcopy(action)
        state = apply(state, action)
        assert action == kept
    assert all(held == copied for held, copied in before)


@given(histories())
def test_the_state_rebuilt_from_json_is_the_state(actions: list[Action]) -> None:
    """STATE-5: after each action, what a killed run would read back is what the run goes on with."""
    state, stored = RuntimeState(), list[bytes]()
    for action in actions:
        state, written = advance(state, action)
        stored.append(written)
    # As JSONB gives it back: keys in another order, the text not the same.
    again = [json.loads(json.dumps(json.loads(written), sort_keys=True)) for written in stored]
    assert fold(None, map(load_action, stored)) == fold(None, map(load_action, again)) == state


def test_turns_inherit_what_is_shared_and_begin_the_rest_anew() -> None:
    """STATE-1: user context, memory, style and scenario stay; goal, plan, calls and usage are a turn's own."""
    first = Action(
        1,
        "prepare",
        changes=(
            TurnBegan("你好"),
            SetOutputStyle("brief"),
            SetScenario("tarot", "one card"),
            AddMemory((Memory("m1", "likes tea"),)),
            SetTaskGoal("greet"),
            SetTodos((Todo("a", "greet"),)),
            ToolsAsked((ToolCall("c1", "read_file"),)),
        ),
    )
    state = fold(None, [first, Action(2, "prepare", changes=(TurnBegan("and now?"),))])
    shared, turn = state.shared, state.turn
    assert (shared.output_style, shared.skill, shared.scenario) == ("brief", "tarot", "one card")
    assert shared.memory == (Memory("m1", "likes tea"),)
    assert (turn.number, turn.prompt, turn.task_goal, turn.todos, turn.calls) == (2, "and now?", "", (), {})
    assert [action.id for action in turn.actions] == [2]
    assert [(each.turn, each.prompt, each.task_goal) for each in state.recent] == [(1, "你好", "greet")]


def _begun() -> RuntimeState:
    call = ToolCall("c1", "read_file", {"path": "a.md"})
    return fold(None, [Action(1, "intent", changes=(TurnBegan("read it"), ToolsAsked((call,))))])


@pytest.mark.parametrize(
    ("start", "action", "said"),
    [
        (RuntimeState(), Action(1, "intent"), "begins with the change 'turn_began'"),
        (RuntimeState(), Action(2, "intent", changes=(TurnBegan("hi"),)), "is 2; expected 1"),
        (_begun(), Action(1, "intent"), "is 1; expected 2"),
        (_begun(), Action(3, "intent"), "is 3; expected 2"),
        (_begun(), Action(2, "x", changes=(SetTaskGoal(""), TurnBegan("hi"))), "changes[1]: 'turn_began' is the first"),
    ],
)
def test_an_action_out_of_its_place_is_refused(start: RuntimeState, action: Action, said: str) -> None:
    """STATE-2: ids count without a gap, so that no action is applied twice or lost."""
    with pytest.raises(StateInvalidError) as error:
        apply(start, action)
    assert said in error.value.detail


def test_what_cannot_be_applied_is_never_written() -> None:
    """STATE-3, STATE-5: `advance` refuses a plan in a circle before there is anything to store."""
    circle = (Todo("a", "a", dependencies=("b",)), Todo("b", "b", dependencies=("a",)))
    with pytest.raises(TodosInvalidError):
        advance(_begun(), Action(2, "planner", changes=(SetTodos(circle),)))


def test_what_json_has_no_word_for_is_the_same_now_and_later() -> None:
    """STATE-5: a tuple is a list, and a float that is no number is null, from the first moment on."""
    state, written = advance(_begun(), Action(2, "x", result={"pair": (1, float("nan"))}))
    assert state.last is not None
    assert state.last.result == {"pair": [1, None]}
    assert load_action(written) == state.last


def test_a_tool_takes_the_state_and_finds_its_call() -> None:
    """TOOL-1: its arguments are the state's current call; what follows has none."""
    state = _begun()
    focused = state.at_call("c1")
    assert focused.call.arguments == {"path": "a.md"}
    assert focused == state
    assert apply(focused, focused.next_action("tool:read_file", result="text")).current is None
    for wrong in (lambda: state.call, lambda: state.at_call("c2")):
        with pytest.raises(StateInvalidError):
            wrong()


def test_a_processor_reads_the_last_action_alone() -> None:
    """STATE-4: `node` and `next` say where to go on, with the call that is meant."""
    state = _begun()
    action = state.next_action("intent", next=(Next("tool:read_file", call_id="c1"), Next("tool:list_dir")))
    after, written = advance(state, action)
    assert after.last is not None
    assert [(each.node, each.call_id) for each in after.last.next] == [
        ("tool:read_file", "c1"),
        ("tool:list_dir", None),
    ]
    assert json.loads(written)["next"] == [{"node": "tool:read_file", "call_id": "c1"}, {"node": "tool:list_dir"}]
