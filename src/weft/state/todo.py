"""One todo of a plan, as STATE-3 has it."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, with_config

from weft.state.closed import CLOSED, Count, Json, Name, Seconds, Text

MOST_RETRIES = 10
Status = Literal["pending", "processing", "completed", "failed"]


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class TodoError:
    """A try that failed; `attempt` 0 for a todo that was never tried."""

    timestamp: AwareDatetime
    attempt: Count
    tool_used: Name | None
    error: Text
    retry_count: Count
    execution_time: Seconds


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class CompletionDetails:
    """How a todo was completed."""

    completed_at: AwareDatetime
    tool_used: Name | None = None
    execution_time: Seconds = 0.0
    output: Json = None


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class Todo:
    """A piece of work. Of those that are ready, a higher `priority` runs first where the critical path is equal."""

    id: Name
    task: Text
    status: Status = "pending"
    dependencies: tuple[Name, ...] = ()
    suggested_tools: tuple[Name, ...] = ()
    priority: Annotated[int, Field(ge=0, le=10)] = 5
    execution_tips: Text = ""
    success_criteria: Text = ""
    critical_path_length: Count = 0  # todos on the longest way from this one to the end of the plan, itself included
    retry: Count = 0
    max_retry: Annotated[int, Field(ge=0, le=MOST_RETRIES)] = 3
    retry_after: AwareDatetime | None = None
    error_history: Annotated[tuple[TodoError, ...], Field(max_length=MOST_RETRIES + 1)] = ()
    completion_details: CompletionDetails | None = None


Todos = tuple[Todo, ...]
