"""Weft's contexts for the transcript, on the way that a turn takes: database, workspace, skills, tools, compiler."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import Any, cast
from uuid import UUID

from bench._ground import fresh_weft
from bench._transcript import BIRTH, FILES, LIFE, MEMORY_EDITS, PROFILE, RESTART, Turn
from weft.compose import Weft
from weft.context.compiling import Compiled
from weft.context.payload import build_stage_prompt_payload
from weft.context.prefix import Sent
from weft.context.revisions import Standing
from weft.context.window import History
from weft.kit.actor import Actor
from weft.llm.ports import Abilities, ModelCard
from weft.llm.tokens import TokenCounter
from weft.profiles.service import ProfileService
from weft.runs.situations import Asked, Situations
from weft.runs.skill_work import rules_for
from weft.sessions.metadata import AssistantOutput, ToolCallMade, ToolResultGiven, UserInput
from weft.sessions.schemas import NewMessage
from weft.sessions.service import SessionService
from weft.skills.activation import SkillActivation
from weft.skills.compute.telling import Given
from weft.skills.computing import compute
from weft.tools.builtin import built_in
from weft.tools.toolbox import Toolbox
from weft.workspaces.service import Workspaces, WorkspaceService

CARD = ModelCard("deepseek-chat", "deepseek", "chat", 131_072, 8_192, Abilities(cache_unit=64))
_BEGAN = datetime(2026, 11, 18, 9, 0, tzinfo=timezone(timedelta(hours=8)))
_DONE = {"status": "SUCCESS", "execution_summary": "search_history succeeded", "execution_data": {}, "report_brief": ""}


@dataclass(frozen=True)
class Way:
    """Weft's way, or what it would be without one of its rules."""

    name: str = "Weft"
    data_stays: bool = True
    notes: bool = True
    late_stage: bool = True
    time_in_system: bool = False


OURS = Way()
WITHOUT = (
    Way("a turn's data dropped in the next", data_stays=False),
    Way("a changed memory rewritten in place", notes=False),
    Way("later stages in the system text", late_stage=False),
    Way("the minute in the system text", time_in_system=True),
)


@dataclass
class Conversation:
    """One conversation in an open Weft."""

    weft: Weft
    actor: Actor
    session: UUID
    way: Way = OURS
    counter: TokenCounter = field(default_factory=TokenCounter)
    standing: Standing | None = None
    made: list[Compiled] = field(default_factory=list)

    @property
    def sent(self) -> list[Sent]:
        """Its calls as a vendor reads them."""
        return [made.sent for made in self.made]

    @property
    def workspace(self) -> WorkspaceService:
        return WorkspaceService(self.actor, Workspaces(self.weft.settings.folder / "workspaces"))

    async def write_workspace(self) -> None:
        """The files that do not change."""
        for name, text in FILES.items():
            await self.workspace.write_text(name, text)

    async def play(self, turn: Turn) -> None:
        """One turn, as its stages and tools follow each other."""
        if turn.number == RESTART and self.standing is not None:
            self.counter = TokenCounter()
            self.standing = Standing.load(json.loads(json.dumps(self.standing.dump(), sort_keys=True)))
        if turn.number in MEMORY_EDITS and not self.way.notes:
            self.standing = None
        if self.standing is not None and not self.way.data_stays:
            self.standing = replace(self.standing, turns={})
        await self.workspace.write_text("memory/MEMORY.md", turn.memory)
        await self.say(NewMessage(content=turn.words, metadata=UserInput()))
        await self.call(turn, "intent")
        if turn.switches:
            given = {"status": "activated", "skill": turn.skill}
            await self._tool(turn, "use_skill", {"skill": turn.skill}, json.dumps(given))
            await self._take_on(turn.skill)
            await self.call(turn, "intent")
        if turn.result is not None:
            if turn.planned:
                await self.call(turn, "planner", {"goal": turn.words})
            await self._tool(turn, turn.tool, {"query": turn.words[:12]}, turn.result)
            await self.call(turn, "organization", {"execution": _DONE})
        await self.say(NewMessage(content=turn.answer, metadata=AssistantOutput()))

    async def call(self, turn: Turn, stage: str, found: Mapping[str, Any] | None = None) -> Compiled:
        """The context of one call, everything that it is made of looked up as it is now."""
        situations = Situations(self.weft.database, self.actor, self.weft.skills, self.workspace)
        names = frozenset(spec.name for spec in specs(()))
        at = _BEGAN + timedelta(minutes=7 * turn.number)
        told = f"It is {at:%H:%M}." if self.way.time_in_system else None
        loaded = await situations.load(Asked(self.session, turn.words, at, execution_context=told, tools=names))
        made = build_stage_prompt_payload(
            stage,
            loaded.situation,
            History(loaded.history.messages, loaded.history.texts),
            specs(loaded.skills),
            replace(CARD, abilities=replace(CARD.abilities, late_system_message=self.way.late_stage)),
            self.counter,
            stage_input=found,
            standing=self.standing,
        )
        self.standing = made.standing
        self.made.append(made)
        return made

    async def say(self, *messages: NewMessage) -> None:
        """Write messages into the conversation."""
        async with self.weft.database.transaction(self.actor) as tx:
            await SessionService(tx).append(self.session, messages)

    async def _tool(self, turn: Turn, name: str, arguments: dict[str, Any], result: str) -> None:
        call = f"call_{turn.number}_{name}"
        made = ToolCallMade(tool_call_id=call, name=name, arguments=arguments)
        given = ToolResultGiven(tool_call_id=call, name=name)
        await self.say(NewMessage(content=None, metadata=made), NewMessage(content=result, metadata=given))

    async def _take_on(self, skill: str) -> None:
        catalogue = await self.weft.skills.look(self.actor.business_id, self.actor.owner_id)
        async with self.weft.database.transaction(self.actor) as tx:
            await SkillActivation(tx, catalogue).activate(self.session, skill)


def specs(skills: tuple[str, ...]) -> Any:
    """The tools that Weft brings along, as a model is told of them; none of them is run."""
    return Toolbox(built_in(cast("Any", None), skills)).specs


async def chart() -> str:
    """What the skill of turn 15 computes."""
    computed = await compute("bazi", {}, Given(_BEGAN, BIRTH, {}))
    return json.dumps(computed.result, ensure_ascii=False, separators=(",", ":"))


@asynccontextmanager
async def conversation(way: Way = OURS) -> AsyncIterator[Conversation]:
    """A conversation in a Weft of its own, of a user who has told about themselves."""
    async with fresh_weft() as (weft, actor):
        computed = await compute("bazi", {}, Given(_BEGAN, BIRTH, {}))
        rules = await rules_for(await weft.skills.look(actor.business_id), "skill_data.bazi")
        async with weft.database.transaction(actor) as tx:
            profiles = ProfileService(tx, rules)
            await profiles.change(actor.owner_id, {**PROFILE, "birth_info": BIRTH, "life_context": LIFE})
            await profiles.change(actor.owner_id, {"skill_data": {"bazi": dict(computed.keep or {})}})
            session = await SessionService(tx).create()
        made = Conversation(weft, actor, session.id, way)
        await made.write_workspace()
        yield made
