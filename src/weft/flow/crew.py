"""CrewAI's agents and tasks, built once from the YAML texts: they define who works, and to which contract."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crewai import Agent, BaseLLM, Task
from pydantic import BaseModel

from weft.context.stages import AgentText, StageTexts
from weft.flow.quiet import be_quiet
from weft.nodes.contracts import CONTRACTS


class _NeverCalled(BaseLLM):
    """Stands where CrewAI wants a model: calls are made by the nodes, through the gateway."""

    def call(self, *_arguments: Any, **_options: Any) -> str:
        """Refuse: a call that passes the gateway by would be booked nowhere."""
        raise RuntimeError("models are called through the gateway alone")


@dataclass(frozen=True, slots=True)
class Crew:
    """All agents and tasks, by name."""

    agents: Mapping[str, Agent]
    tasks: Mapping[str, Task]

    contracts: Mapping[str, type[BaseModel]]  # what each task answers with


_made: dict[int, tuple[StageTexts, Crew]] = {}  # by the identity of the texts: a process has one set of them


def crew_of(texts: StageTexts) -> Crew:
    """The agents and tasks of these texts, built once."""
    known = _made.get(id(texts))
    if known is None or known[0] is not texts:
        known = _made[id(texts)] = (texts, build_crew(texts))
    return known[1]


def build_crew(texts: StageTexts) -> Crew:
    """The agents and tasks that the texts describe."""
    be_quiet()
    nobody = _NeverCalled(model="weft")
    agents = {name: _agent(text, nobody) for name, text in texts.agents.items()}
    tasks = {
        name: Task(
            name=name,
            description=text.description,
            expected_output=text.expected_output,
            agent=agents[text.agent],
            output_pydantic=CONTRACTS.get(text.contract),
        )
        for name, text in texts.tasks.items()
    }
    contracts = {name: task.output_pydantic for name, task in tasks.items() if task.output_pydantic is not None}
    return Crew(agents, tasks, contracts)


def _agent(text: AgentText, llm: BaseLLM) -> Agent:
    with warnings.catch_warnings():
        # Each agent reads fields of its own that CrewAI calls deprecated, whether or not anybody has set them.
        warnings.simplefilter("ignore", DeprecationWarning)
        return Agent(
            role=text.role,
            goal=text.goal,
            backstory=text.backstory,
            llm=llm,
            allow_delegation=False,
            verbose=False,
            max_retry_limit=0,
        )
