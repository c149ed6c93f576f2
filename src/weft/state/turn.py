"""What belongs to one turn alone, and begins anew with the next."""

from dataclasses import dataclass, field

from weft.state.action import Action
from weft.state.calls import Calls
from weft.state.changes import ChatEntry, OutputPart
from weft.state.todo import Todos
from weft.state.token_usage import NO_USAGE, TokenUsage


@dataclass(frozen=True, slots=True)
class Turn:
    """One entry each of `prompts`, `task_goals`, `todos`, `action_history` and `usage` (STATE-1)."""

    number: int = 0
    prompt: str = ""
    task_goal: str = ""
    output_structure: tuple[OutputPart, ...] = ()
    todos: Todos = ()
    actions: tuple[Action, ...] = ()
    chat: tuple[ChatEntry, ...] = ()
    calls: Calls = field(default_factory=dict)
    usage: TokenUsage = NO_USAGE


def begun(number: int, prompt: str) -> Turn:
    """A turn as it begins: what the user said is the first of what is said in it."""
    return Turn(number, prompt, chat=(ChatEntry("user", prompt),) if prompt else ())
