"""An action: the one thing that a node appends, and that everything else follows from."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, with_config

from weft.state.changes import Change
from weft.state.closed import ABSENT, CLOSED, Content, Json, Long, Name
from weft.state.files import FileMapping
from weft.state.token_usage import NO_USAGE, TokenUsage

UsageType = Literal["refactor", "modify", "reference", "analysis", "output"]


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class ActionContext:
    """What later stages may want of an action, and what for."""

    type: Content
    content: Json
    important: bool = False
    usage_type: UsageType = "reference"
    mapping: Annotated[FileMapping | None, ABSENT] = None


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class Next:
    """A node that comes next, and the call or the todo that it is for."""

    node: Name
    call_id: Annotated[Name | None, ABSENT] = None
    todo_id: Annotated[Name | None, ABSENT] = None


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class Action:
    """What a node did (STATE-2); ids count from 1 through the session, without a gap."""

    id: Annotated[int, Field(ge=1)]
    node: Name
    preparation: Long = ""
    summary: Long = ""
    result: Json = None
    context: ActionContext | None = None
    relevance: Annotated[float, Field(ge=0, le=1)] = 1.0
    usage: TokenUsage = NO_USAGE
    next: tuple[Next, ...] = ()
    changes: tuple[Change, ...] = ()
