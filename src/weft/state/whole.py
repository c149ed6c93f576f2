"""The RuntimeState as STATE-1 spells it, with as many earlier turns as somebody wants to look at."""

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from weft.state.runtime import RuntimeState
from weft.state.shared import Shared
from weft.state.turn import Turn

_SHARED: TypeAdapter[Shared] = TypeAdapter(Shared)
_TURN: TypeAdapter[Turn] = TypeAdapter(Turn)


def whole(state: RuntimeState, earlier: Sequence[Turn] = ()) -> dict[str, Any]:
    """The state in the fields of STATE-1; of each turn one entry, these earlier ones first."""
    shared = _SHARED.dump_python(state.shared, mode="json")
    turns = [_TURN.dump_python(turn, mode="json") for turn in (*earlier, state.turn)]
    return {
        "prompts": [turn["prompt"] for turn in turns],
        **{name: shared[name] for name in ("user_context", "memory", "output_style")},
        "output_structure": turns[-1]["output_structure"],
        "scenario": shared["scenario"],
        "task_goals": [turn["task_goal"] for turn in turns],
        "origin_files": shared["origin_files"],
        "preprocessed_files": shared["preprocessed_files"],
        "todos": [turn["todos"] for turn in turns],
        "action_history": [turn["actions"] for turn in turns],
        "chat_history": [entry for turn in turns for entry in turn["chat"]],
        "usage": [turn["usage"] for turn in turns],
    }
