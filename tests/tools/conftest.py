"""Tools as a turn runs them: over real services and PostgreSQL, a real workspace, and the skills that Weft ships."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from tests.people import People
from weft.kit.actor import Actor
from weft.kit.db import Database
from weft.kit.ids import new_id
from weft.profiles.service import ProfileService
from weft.runs.journal import Held
from weft.runs.repository import Owner
from weft.runs.tool_ports import RunPorts
from weft.runs.units import Units
from weft.sessions.schemas import NewMessage
from weft.sessions.service import SessionService
from weft.skills.activation import choosable
from weft.skills.library import SkillLibrary
from weft.state.action import Action, Next
from weft.state.calls import ToolCall
from weft.state.changes import SetScenario, ToolsAsked, TurnBegan
from weft.state.runtime import RuntimeState, fold
from weft.tools.builtin import built_in
from weft.tools.tool import ToolResult
from weft.tools.toolbox import Toolbox
from weft.workspaces.service import Workspaces, WorkspaceService


@dataclass
class Hand:
    """Somebody's turn in a conversation, and the tools at hand in it."""

    database: Database
    actor: Actor
    session_id: UUID
    skills: SkillLibrary
    workspaces: Workspaces
    names: list[str]
    run_id: UUID = field(default_factory=new_id)
    skill: str | None = None
    scenario: str | None = None

    @property
    def workspace(self) -> WorkspaceService:
        return WorkspaceService(self.actor, self.workspaces)

    @property
    def tools(self) -> Toolbox:
        owner = Owner(self.run_id, self.session_id, self.actor.business_id, self.actor.user_id)  # type: ignore[arg-type]
        held = Held(owner, self.actor, 1, 1, 30.0)
        engine: Any = SimpleNamespace(skills=self.skills)
        self.units = Units(self.database, self.actor)
        return Toolbox(built_in(RunPorts(engine, held, self.units, self.workspace), self.names))

    def state(self, name: str, arguments: Mapping[str, Any]) -> RuntimeState:
        """A turn in which a model has called the tool."""
        asked = ToolsAsked((ToolCall("1", name, arguments),))
        entered = (TurnBegan("hello"), SetScenario(self.skill, self.scenario), asked)
        return fold(None, [Action(1, "intent", next=(Next(f"tool:{name}"),), changes=entered)]).at_call("1")

    async def run(self, name: str, **arguments: Any) -> ToolResult:
        """Call a tool the way a turn does: in the step's transaction, where it belongs into one."""
        tool = self.tools.get(name)
        state = self.state(name, arguments)
        if not tool.transactional:
            return await tool.run(state)
        async with self.database.transaction(self.actor) as tx:
            with self.units.within(tx):
                result = await tool.run(state)
        for change in result.changes:
            if isinstance(change, SetScenario):
                self.skill, self.scenario = change.skill, change.scenario
        return result

    async def call(self, name: str, **arguments: Any) -> Any:
        """What a model reads of it."""
        return json.loads((await self.run(name, **arguments)).content)

    async def fields(self, *fields: str) -> dict[str, Any]:
        async with self.database.transaction(self.actor) as tx:
            return await ProfileService(tx).load_profile_fields(self.actor.owner_id, fields)

    async def session(self) -> Any:
        async with self.database.transaction(self.actor) as tx:
            return await SessionService(tx).get(self.session_id)

    async def says(
        self, *messages: NewMessage, session_id: UUID | None = None, turn_id: UUID | None = None
    ) -> list[Any]:
        async with self.database.transaction(self.actor) as tx:
            return await SessionService(tx).append(session_id or self.session_id, messages, turn_id)

    async def another_session(self) -> UUID:
        async with self.database.transaction(self.actor) as tx:
            return (await SessionService(tx).create()).id

    async def of(self, actor: Actor) -> "Hand":
        """The same house, for somebody else."""
        other = replace(self, actor=actor, skill=None, scenario=None, run_id=new_id())
        other.session_id = await other.another_session()
        return other


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> SkillLibrary:
    """The skills that Weft ships, read once."""
    return SkillLibrary(tmp_path_factory.mktemp("home"))


@pytest.fixture
async def hand(database: Database, people: People, shipped: SkillLibrary, tmp_path: Path) -> Hand:
    actor = await people.user()
    names = choosable(await shipped.look(actor.business_id, actor.user_id))
    made = Hand(database, actor, new_id(), shipped, Workspaces(tmp_path / "workspaces"), names)
    made.session_id = await made.another_session()
    return made
