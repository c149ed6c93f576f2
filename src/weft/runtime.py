"""What carries turns out, put together from a Weft that is open: the engine, the desk, and the hands that work."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from weft.accounts.standing import Standing
from weft.agents.service import StageModels
from weft.compose import Weft
from weft.context.stages import StageTexts, load_stages, shipped_stages
from weft.kit.db.listen import Listener
from weft.nodes.ports import Limits
from weft.runs.desk import Desk
from weft.runs.engine import Engine, MakeTools
from weft.settings import Settings
from weft.tools.assembling import ToolMaker, load_tools, read_approvals
from weft.tools.builtin import NAMES
from weft.worker.flow_loading import FlowLoader
from weft.worker.inline import InlineWorker
from weft.workspaces.service import Workspaces

TEMPLATES = "templates"  # the folder in WEFT_HOME whose agents and tasks replace ours


@dataclass(frozen=True, slots=True)
class Runtime:
    """Takes turns on and carries them out."""

    engine: Engine
    desk: Desk
    worker: InlineWorker
    flow: FlowLoader

    @asynccontextmanager
    async def working(self, listener: Listener) -> AsyncIterator[None]:
        """Carry out what waits, until the end of the context."""
        await self.engine.stage_models.check()
        async with self.worker.working(listener):
            yield


def operators_texts(weft: Weft) -> StageTexts:
    """Agents and tasks, those of the operator's folder in the place of ours; it reads files."""
    return load_stages(weft.settings.folder / TEMPLATES)


def operators_tools(weft: Weft) -> ToolMaker:
    """Weft's own tools and those that others have installed beside it; it imports what they are."""
    return load_tools(weft.settings.tool_approvals)


def _limits(settings: Settings) -> Limits:
    return Limits(
        calls=settings.turn_calls,
        tokens=settings.turn_tokens,
        cost=settings.turn_cost,
        session_calls=settings.session_calls,
        session_tokens=settings.session_tokens,
        session_cost=settings.session_cost,
    )


def make_runtime(weft: Weft, texts: StageTexts | None = None, tools: MakeTools | None = None) -> Runtime:
    """The runtime over a Weft that is open; without `tools`, with those that Weft itself brings."""
    folder = weft.settings.folder
    engine = Engine(
        database=weft.database,
        gateway=weft.gateway,
        texts=texts or shipped_stages(),
        skills=weft.skills,
        workspaces=Workspaces(folder / "workspaces"),
        stage_models=StageModels(weft.database),
        tools=tools or ToolMaker(approvals=read_approvals(weft.settings.tool_approvals)),
        tool_names=NAMES,
        limits=_limits(weft.settings),
    )
    flow = FlowLoader()
    worker = InlineWorker(engine, flow, Standing(weft.database).rights, lease=weft.settings.lease_seconds)
    return Runtime(engine, Desk(engine, worker.hands), worker, flow)
