"""The first steps of a turn: what it inherits, who asks, what they brought, what is remembered."""

from collections.abc import Sequence

from weft.nodes.turn import Done, Turn
from weft.state.action import Next
from weft.state.changes import AddFiles, SetScenario, SetUserContext, TurnBegan
from weft.state.files import OriginFile

INHERIT, USER_CONTEXT, FILES = "inherit", "user_context", "preprocess_files"


def begin(turn: Turn, prompt: str, files: Sequence[OriginFile] = ()) -> None:
    """Note down how the turn begins; these steps repeat without harm, and are written with the first that does not."""
    asked = turn.asked
    changes: list[TurnBegan | SetScenario] = [TurnBegan(prompt)]
    shared = turn.state.shared
    if (asked.skill, asked.scenario) != (shared.skill, shared.scenario):
        changes.append(SetScenario(asked.skill, asked.scenario))
    turn.note(Done(INHERIT, [Next(USER_CONTEXT)], said={"changes": tuple(changes)}))
    known = turn.prompts.user_values
    told = () if known == turn.state.shared.user_context else (SetUserContext(dict(known)),)
    following = Next(FILES) if files else Next("intent")
    turn.note(Done(USER_CONTEXT, [following], said={"changes": told}))
    if files:
        added = {"changes": (AddFiles(tuple(files)),), "summary": f"{len(files)} files"}
        turn.note(Done(FILES, [Next("intent")], said=added))
