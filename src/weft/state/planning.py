"""A plan as a model writes it: what it may say, and the todos that this makes."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from weft.state.closed import Name, Text
from weft.state.todo import MOST_RETRIES, Todo, Todos
from weft.state.todos import MOST_TODOS


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


_Id = Annotated[Name, BeforeValidator(_as_text)]  # models number their todos as often as they name them


class TodoDraft(BaseModel):
    """One todo of a plan; what Weft counts and records itself cannot be written."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: _Id
    task: Annotated[Text, Field(min_length=1)]
    dependencies: tuple[_Id, ...] = ()
    suggested_tools: tuple[Name, ...] = ()
    priority: Annotated[int, Field(ge=0, le=10, description="Of what is equally urgent, higher runs first")] = 5
    execution_tips: Text = ""
    success_criteria: Text = ""
    max_retry: Annotated[int, Field(ge=0, le=MOST_RETRIES)] = 3


class PlanDraft(BaseModel):
    """A plan; `todos.planned` or `todos.replanned` says whether it can be carried out."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    todos: Annotated[tuple[TodoDraft, ...], Field(min_length=1, max_length=MOST_TODOS)]

    def as_todos(self) -> Todos:
        """The todos as they are before anything has run."""
        return tuple(Todo(**dict(draft)) for draft in self.todos)
