"""What each kind of change does; mypy knows when one is forgotten."""

from dataclasses import replace
from typing import assert_never

from weft.state import calls, changes, todos
from weft.state.errors import StateInvalidError
from weft.state.files import with_files
from weft.state.shared import Shared, with_memory
from weft.state.turn import Turn


def changed_shared(shared: Shared, change: changes.SharedChange) -> Shared:
    """What the turns share, after this change."""
    match change:
        case changes.SetUserContext():
            return replace(shared, user_context=change.user_context)
        case changes.AddMemory():
            return replace(shared, memory=with_memory(shared.memory, change.memory))
        case changes.DropMemory():
            return replace(shared, memory=tuple(each for each in shared.memory if each.id not in change.ids))
        case changes.SetOutputStyle():
            return replace(shared, output_style=change.output_style)
        case changes.SetScenario():
            return replace(shared, skill=change.skill, scenario=change.scenario)
        case changes.AddFiles():
            return replace(shared, origin_files=with_files(shared.origin_files, change.origin_files))
        case changes.AddPreprocessed():
            files = shared.preprocessed_files.with_more(change.preprocessed_files)
            return replace(shared, preprocessed_files=files)
        case _:
            assert_never(change)


def changed_turn(turn: Turn, change: changes.TurnChange) -> Turn:
    """The turn, after this change."""
    match change:
        case changes.SetTaskGoal():
            return replace(turn, task_goal=change.task_goal)
        case changes.SetOutputStructure():
            return replace(turn, output_structure=change.output_structure)
        case changes.FillOutput():
            return _filled(turn, change)
        case changes.SetTodos():
            return replace(turn, todos=todos.planned(change.todos))
        case changes.TodosMoved():
            return replace(turn, todos=todos.with_changed(turn.todos, change.todos))
        case changes.AddChat():
            return replace(turn, chat=(*turn.chat, *change.entries))
        case _:
            return replace(turn, calls=_changed_calls(turn.calls, change))


def _changed_calls(now: calls.Calls, change: changes.CallChange) -> calls.Calls:
    match change:
        case changes.ToolsAsked():
            return calls.asked(now, change.calls)
        case changes.ApprovalAsked():
            return calls.waiting(now, change.call_ids, change.expires_at)
        case changes.ApprovalDecided():
            return calls.decided(now, change.call_id, change.decision, change.arguments, change.reason)
        case changes.ToolStarted():
            return calls.started(now, change.call_id)
        case changes.ToolDone():
            return calls.done(now, change.outcome)
        case _:
            assert_never(change)


def _filled(turn: Turn, change: changes.FillOutput) -> Turn:
    if all(part.id != change.id for part in turn.output_structure):
        raise StateInvalidError.at(("output_structure", change.id), "is no part of the answer")
    parts = (replace(part, content=change.content) if part.id == change.id else part for part in turn.output_structure)
    return replace(turn, output_structure=tuple(parts))
