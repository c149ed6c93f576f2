"""The state of a session at one moment: what its turns share, and the turn that is under way."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from weft.state.action import Action
from weft.state.applying import changed_shared, changed_turn
from weft.state.calls import CallState, ToolCall
from weft.state.changes import SharedChange, TurnBegan
from weft.state.errors import StateInvalidError
from weft.state.json_form import record_action
from weft.state.shared import SUMMARIES_KEPT, SUMMARY_LENGTH, Shared, TurnSummary
from weft.state.snapshot import VERSION, TurnSnapshot
from weft.state.turn import Turn, begun


@dataclass(frozen=True, slots=True)
class RuntimeState:
    """Never changed, only followed by another. Of earlier turns it has what they share, and a few words."""

    shared: Shared = field(default_factory=Shared)
    turn: Turn = field(default_factory=Turn)
    last_action: int = 0
    recent: tuple[TurnSummary, ...] = ()
    current: str | None = field(default=None, compare=False)  # the call that a tool is given the state for

    @property
    def prompt(self) -> str:
        """What the user said in this turn."""
        return self.turn.prompt

    @property
    def last(self) -> Action | None:
        """The last action of this turn: its `node` and `next` are all that a processor reads."""
        return self.turn.actions[-1] if self.turn.actions else None

    @property
    def open_calls(self) -> tuple[CallState, ...]:
        """The calls that nothing has come of yet, in the order they were asked for."""
        return tuple(each for each in self.turn.calls.values() if each.phase != "done")

    @property
    def pending_approvals(self) -> tuple[CallState, ...]:
        """The calls that wait for a person, in the order they were asked for."""
        return tuple(each for each in self.turn.calls.values() if each.phase == "waiting")

    @property
    def call(self) -> ToolCall:
        """The current call: what a tool takes its arguments from."""
        if self.current is None:
            raise StateInvalidError.at(("current",), "this state was not given to a tool; use `at_call`")
        return self.turn.calls[self.current].call

    def at_call(self, call_id: str) -> "RuntimeState":
        """The same state, given to the tool of this call."""
        if call_id not in self.turn.calls:
            raise StateInvalidError.at(("calls", call_id), "nobody asked for this call in this turn")
        return replace(self, current=call_id)

    def next_action(self, node: str, **said: Any) -> Action:
        """An action with the number that comes next."""
        return Action(self.last_action + 1, node, **said)

    def snapshot(self) -> TurnSnapshot:
        """What the next turn starts from, when this one is over."""
        recent = _with_summary(self.recent, self.turn)
        return TurnSnapshot(VERSION, self.turn.number, self.last_action, self.shared, recent)


def opened(snapshot: TurnSnapshot | None) -> RuntimeState:
    """The state that the first action of a turn is applied to."""
    if snapshot is None:
        return RuntimeState()
    return RuntimeState(snapshot.shared, Turn(snapshot.turn), snapshot.last_action, snapshot.recent)


def fold(start: TurnSnapshot | RuntimeState | None, actions: Iterable[Action]) -> RuntimeState:
    """The state after these actions, from the snapshot of the turn before, or from any state on."""
    state = start if isinstance(start, RuntimeState) else opened(start)
    for action in actions:
        state = apply(state, action)
    return state


def advance(state: RuntimeState, action: Action) -> tuple[RuntimeState, bytes]:
    """The state after a new action, and the action as it is to be stored: nothing is stored that cannot be applied.

    The state is built from the action as it will be read again, so that the state now and the state rebuilt are one.
    """
    recorded = record_action(action)
    return apply(state, recorded.value), recorded.json


def apply(state: RuntimeState, action: Action) -> RuntimeState:
    """The state after one action more; the one before stays as it was."""
    if action.id != state.last_action + 1:
        raise StateInvalidError.at(("action", "id"), f"is {action.id}; expected {state.last_action + 1}")
    shared, turn, recent, changes = state.shared, state.turn, state.recent, action.changes
    if changes and isinstance(changes[0], TurnBegan):
        recent = _with_summary(recent, turn)
        turn, changes = begun(turn.number + 1, changes[0].prompt), changes[1:]
    elif not turn.actions:
        raise StateInvalidError.at(("action", "changes"), "a turn's first action begins with the change 'turn_began'")
    for place, change in enumerate(changes):
        if isinstance(change, SharedChange):
            shared = changed_shared(shared, change)
        elif isinstance(change, TurnBegan):
            raise StateInvalidError.at(("action", "changes", place), "'turn_began' is the first change of an action")
        else:
            turn = changed_turn(turn, change)
    turn = replace(turn, actions=(*turn.actions, action), usage=turn.usage + action.usage)
    return RuntimeState(shared, turn, action.id, recent)


def _with_summary(recent: tuple[TurnSummary, ...], turn: Turn) -> tuple[TurnSummary, ...]:
    if not turn.actions:  # it was opened from a snapshot, which has it already
        return recent
    texts = (turn.prompt, turn.task_goal, turn.actions[-1].summary)
    prompt, goal, summary = (text[:SUMMARY_LENGTH] for text in texts)
    return (*recent, TurnSummary(turn.number, prompt, goal, summary, turn.usage))[-SUMMARIES_KEPT:]
