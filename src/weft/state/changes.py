"""What an action changes in the state besides standing in it: a closed union, so that the state is a fold."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, with_config

from weft.state.calls import Decision, ToolCall, ToolOutcome
from weft.state.closed import ABSENT, CLOSED, Content, Json, JsonObject, Long, Name, Text
from weft.state.files import OriginFile, PreprocessedFiles
from weft.state.shared import Memory, UserContext
from weft.state.todo import Todo


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class OutputPart:
    """A part of the answer: what is expected of it, and what it has become."""

    id: Name
    expected: Text
    content: Json = None
    type: Content = "text"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class ChatEntry:
    """Something that was said in this turn."""

    role: Literal["user", "assistant", "system", "tool"]
    content: Long
    message_id: Annotated[Name | None, ABSENT] = None


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A turn begins; always the first change of a turn's first action."""

    prompt: Long
    kind: Literal["turn_began"] = "turn_began"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class SetUserContext:
    """Who the user is, in the keys of the user-context prompt."""

    user_context: UserContext
    kind: Literal["set_user_context"] = "set_user_context"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class AddMemory:
    """Memories that bear on this session."""

    memory: tuple[Memory, ...]
    kind: Literal["add_memory"] = "add_memory"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class DropMemory:
    """Memories that bear on it no more, or that the user has deleted."""

    ids: tuple[Name, ...]
    kind: Literal["drop_memory"] = "drop_memory"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class SetOutputStyle:
    """How answers are to be worded."""

    output_style: Text
    kind: Literal["set_output_style"] = "set_output_style"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class SetScenario:
    """The skill the session goes on in, and which of its scenarios; none leaves it."""

    skill: Name | None
    scenario: Name | None = None
    kind: Literal["set_scenario"] = "set_scenario"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class AddFiles:
    """Files that the user gave."""

    origin_files: tuple[OriginFile, ...]
    kind: Literal["add_files"] = "add_files"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class AddPreprocessed:
    """What files were made into."""

    preprocessed_files: PreprocessedFiles
    kind: Literal["add_preprocessed"] = "add_preprocessed"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class SetTaskGoal:
    """What this turn is to reach."""

    task_goal: Text
    kind: Literal["set_task_goal"] = "set_task_goal"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class SetOutputStructure:
    """The parts that the answer will have."""

    output_structure: tuple[OutputPart, ...]
    kind: Literal["set_output_structure"] = "set_output_structure"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class FillOutput:
    """What one part of the answer has become."""

    id: Name
    content: Json
    kind: Literal["fill_output"] = "fill_output"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class SetTodos:
    """A plan, in the place of the one before; refused where it goes in a circle."""

    todos: tuple[Todo, ...]
    kind: Literal["set_todos"] = "set_todos"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class TodosMoved:
    """The todos that are not as they were, whole: what `todos.changed` gives."""

    todos: tuple[Todo, ...]
    kind: Literal["todos_moved"] = "todos_moved"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class AddChat:
    """What was said."""

    entries: tuple[ChatEntry, ...]
    kind: Literal["add_chat"] = "add_chat"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class ToolsAsked:
    """Tools that a stage wants to be run."""

    calls: tuple[ToolCall, ...]
    kind: Literal["tools_asked"] = "tools_asked"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """Calls that wait for a person, until `expires_at` where there is an end to it."""

    call_ids: tuple[Name, ...]
    expires_at: AwareDatetime | None = None
    kind: Literal["approval_asked"] = "approval_asked"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class ApprovalDecided:
    """What a person said to a call; `arguments` are the edited ones, whole, and `reason` is for the model."""

    call_id: Name
    decision: Decision
    arguments: JsonObject | None = None
    reason: Long | None = None
    kind: Literal["approval_decided"] = "approval_decided"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call is about to be carried out: written before its side effect can happen."""

    call_id: Name
    kind: Literal["tool_started"] = "tool_started"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class ToolDone:
    """What came of a call."""

    outcome: ToolOutcome
    kind: Literal["tool_done"] = "tool_done"


SharedChange = SetUserContext | AddMemory | DropMemory | SetOutputStyle | SetScenario | AddFiles | AddPreprocessed
CallChange = ToolsAsked | ApprovalAsked | ApprovalDecided | ToolStarted | ToolDone
TurnChange = SetTaskGoal | SetOutputStructure | FillOutput | SetTodos | TodosMoved | AddChat | CallChange
Change = Annotated[TurnBegan | SharedChange | TurnChange, Field(discriminator="kind")]
