"""What a process needs to carry runs out, put together once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.agents.service import StageModels
from weft.context.stages import StageTexts
from weft.kit.db import Database
from weft.llm.gateway import Gateway
from weft.nodes.ports import Limits, Recall
from weft.runs.following import Bell
from weft.runs.live import Hub
from weft.runs.recalling import NothingRecalled
from weft.skills.library import SkillLibrary
from weft.tools.tool import Tool
from weft.workspaces.service import Workspaces

MakeTools = Callable[[Any, Sequence[str]], Sequence[Tool[Any]]]  # from ports, and the skills that can be taken on


@dataclass(frozen=True, slots=True)
class Engine:
    """Shared by all the runs of a process."""

    database: Database
    gateway: Gateway
    texts: StageTexts
    skills: SkillLibrary
    workspaces: Workspaces
    stage_models: StageModels
    tools: MakeTools
    tool_names: frozenset[str]
    limits: Limits = field(default_factory=Limits)
    recall: Recall = field(default_factory=NothingRecalled)
    hub: Hub = field(default_factory=Hub)
    bell: Bell = field(default_factory=Bell)
