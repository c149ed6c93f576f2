"""The first steps of a turn: what it inherits, who asks, what they brought, what is remembered."""

from collections.abc import Sequence

from weft.nodes.turn import Done, Turn
from weft.state.action import Next
from weft.state.changes import AddFiles, AddMemory, SetScenario, SetUserContext, TurnBegan
from weft.state.files import OriginFile
from weft.state.shared import Memory

INHERIT, USER_CONTEXT, FILES, MEMORY, INTENT = "inherit", "user_context", "preprocess_files", "memory", "intent"


def begin(turn: Turn, prompt: str, files: Sequence[OriginFile] = (), memories: Sequence[Memory] = ()) -> None:
    """Note down how the turn begins; these steps repeat without harm, and are written with the first that does not."""
    asked = turn.asked
    changes: list[TurnBegan | SetScenario] = [TurnBegan(prompt)]
    shared = turn.state.shared
    if (asked.skill, asked.scenario) != (shared.skill, shared.scenario):
        changes.append(SetScenario(asked.skill, asked.scenario))
    turn.note(Done(INHERIT, [Next(USER_CONTEXT)], said={"changes": tuple(changes)}))
    known = turn.prompts.user_values
    told = () if known == turn.state.shared.user_context else (SetUserContext(dict(known)),)
    turn.note(Done(USER_CONTEXT, [Next(FILES if files else MEMORY if memories else INTENT)], said={"changes": told}))
    if files:
        added = {"changes": (AddFiles(tuple(files)),), "summary": f"{len(files)} files"}
        turn.note(Done(FILES, [Next(MEMORY if memories else INTENT)], said=added))
    if memories:
        recalled = {"changes": (AddMemory(tuple(memories)),), "summary": f"{len(memories)} memories"}
        turn.note(Done(MEMORY, [Next(INTENT)], said=recalled))
