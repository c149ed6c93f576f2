"""What a process needs to carry runs out, put together once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.agents.service import StageModels
from weft.context.stages import StageTexts
from weft.kit.db import Database
from weft.llm.gateway import Gateway
from weft.nodes.ports import Ending, Limits
from weft.runs.following import Bell
from weft.runs.live import Hub
from weft.runs.repository import Owner, RunRepository
from weft.sessions.service import SessionService
from weft.skills.library import SkillLibrary
from weft.state.events import RunFailed, dump
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
    hub: Hub = field(default_factory=Hub)
    bell: Bell = field(default_factory=Bell)

    async def fail(self, held: Any, ending: Ending) -> None:
        """End a run that could not even be loaded."""
        if ending.error is None:
            raise ValueError("a run fails with an error")
        owner: Owner = held.owner
        error_id, code, detail = ending.error
        async with self.database.transaction(held.actor) as tx:
            runs = RunRepository(tx.connection)
            if await runs.let_go(owner.run_id, held.fence, ending.status, over=True, error=ending.error) is None:
                return  # another process has it
            await SessionService(tx).mark_failed(owner.session_id, error_id)
            event = RunFailed(code, detail, str(error_id))
            await runs.tell_next(owner, event.type, dump(event))
