"""Who works in a turn and what is asked of them: `agents.yaml` and `tasks.yaml`, checked when they are loaded.

Weft ships both. A file of the same name in the operator's template folder replaces agents and tasks one by one; what
it does not name stays as shipped.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import StringConstraints, ValidationError

from weft.context.blocks import Block, Scope, Trust
from weft.context.errors import ContextError
from weft.context.sections import TEMPLATES, Strict

AGENTS, TASKS = "agents.yaml", "tasks.yaml"
OPENING = "intent"  # the task that every turn begins with
Stage = Literal["intent", "execution", "organization", "archive"]
Contract = Literal["IntentResult", "Plan", "ExecutionResult", "Reflection", "OrganizationResult", "Distilled"]
_Said = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class AgentType(StrEnum):
    """The kinds of agents; `system_agents` maps each to a model."""

    INTENT_RECOGNITION = "INTENT_RECOGNITION"
    TASK_EXECUTION = "TASK_EXECUTION"
    RESULT_REPORTING = "RESULT_REPORTING"


class AgentText(Strict):
    """Who works: a role, what it wants, and how it goes about it."""

    type: AgentType
    role: _Said
    goal: _Said
    backstory: _Said


class TaskText(Strict):
    """What is asked, of whom, and in which shape the answer comes."""

    stage: Stage
    agent: str
    contract: Contract
    description: _Said
    expected_output: _Said


@dataclass(frozen=True, slots=True)
class StageTexts:
    """All agents and tasks, by name."""

    agents: Mapping[str, AgentText]
    tasks: Mapping[str, TaskText]

    def task(self, name: str) -> TaskText:
        """The task of this name."""
        if (found := self.tasks.get(name)) is None:
            raise ContextError(f"there is no task {name!r}; there are {', '.join(self.tasks)}", field="stage")
        return found

    def agent_of(self, name: str) -> AgentText:
        """Who does this task."""
        return self.agents[self.task(name).agent]

    def opening(self) -> Block:
        """What every turn begins with: it stands in every prompt, so that most calls need nothing after the words."""
        text = self.text(OPENING)
        return Block("opening", f"templates:{TASKS}#{OPENING}", Trust.OPERATOR, Scope.GLOBAL, text)

    def block(self, name: str) -> Block:
        """The instructions of another task, which come on top."""
        return Block("stage", f"templates:{TASKS}#{name}", Trust.OPERATOR, Scope.STAGE, self.text(name))

    def text(self, name: str) -> str:
        """The instructions of a task as they stand in a prompt."""
        task, agent = self.task(name), self.agent_of(name)
        return "\n".join(
            [
                f"# Your part: {agent.role}",
                f"{agent.goal} {agent.backstory}",
                "# Task",
                task.description,
                f"Answer with: {task.expected_output}",
            ]
        )


_Shape = TypeVar("_Shape", AgentText, TaskText)


def load_stages(folder: Path | None = None) -> StageTexts:
    """The shipped texts, and over them those in the operator's folder."""
    agents = _load(AGENTS, AgentText, folder)
    tasks = _load(TASKS, TaskText, folder)
    known = _load(TASKS, TaskText, None)
    for name, task in tasks.items():
        if name not in known:
            raise ContextError(f"{TASKS}: nothing asks for a task {name!r}; there are {', '.join(known)}", field=name)
        if (task.contract, task.stage) != (known[name].contract, known[name].stage):
            raise ContextError(
                f"{TASKS}: {name}: what it answers with and where it stands are Weft's: contract "
                f"{known[name].contract}, stage {known[name].stage}",
                field=f"{name}.contract",
            )
        if task.agent not in agents:
            raise ContextError(
                f"{TASKS}: {name}.agent: there is no agent {task.agent!r}; there are {', '.join(agents)}",
                field=f"{name}.agent",
            )
    held = {agent.type for agent in agents.values()}
    if missing := [kind for kind in AgentType if kind not in held]:
        raise ContextError(f"{AGENTS}: no agent has the type {missing[0].value}; give it to one", field="type")
    return StageTexts(agents, tasks)


@cache
def shipped_stages() -> StageTexts:
    """The texts that Weft ships."""
    return load_stages()


def _load(name: str, shape: type[_Shape], folder: Path | None) -> dict[str, _Shape]:
    texts = _read(name, (TEMPLATES / name).read_text(encoding="utf-8"), shape)
    if folder is not None and (own := folder / name).is_file():
        theirs = _read(str(own), own.read_text(encoding="utf-8"), shape)
        texts |= theirs
    return texts


def _read(where: str, text: str, shape: type[_Shape]) -> dict[str, _Shape]:
    try:
        named = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        raise ContextError(f"{where}{line}: is no YAML: {getattr(error, 'problem', error)}") from None
    if not isinstance(named, dict) or not all(isinstance(name, str) for name in named):
        raise ContextError(f"{where}: is no mapping of names; write for example 'intent:' and its keys below")
    return {name: _checked(where, name, value, shape) for name, value in named.items()}


def _checked(where: str, name: str, value: Any, shape: type[_Shape]) -> _Shape:
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        first: Any = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in (name, *first["loc"]))
        raise ContextError(f"{where}: {field}: {first['msg']}", field=field) from None


shipped_stages()  # with the module: an event loop must not wait for a file, and a broken one fails at start
