"""A moment of a conversation, loaded: who asks, in which skill, what was said before, what stands in the workspace.

Phase 1 loads no profile field, no case and no procedure; phase 2 those that the active skill declares, and no more.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from weft.calls.contexts import ContextService
from weft.context.blocks import Trust
from weft.context.prefix import Sent
from weft.context.recipes import PHASE_1, PHASE_2
from weft.context.situation import (
    CORE,
    ActiveSkill,
    MatchedCase,
    Persona,
    Situation,
    SkillLine,
    SkillText,
)
from weft.context.user import AgentContext, UserAgentContext
from weft.context.window import History
from weft.kit.actor import Actor
from weft.kit.db import Database, Transaction
from weft.profiles.service import ProfileService
from weft.runs.history import history_of
from weft.sessions.schemas import Seen, SessionView
from weft.sessions.service import SessionService
from weft.skills.activation import choosable, missing_of
from weft.skills.case_index import Match
from weft.skills.catalogue import Listed, Snapshot
from weft.skills.errors import SkillNotFoundError
from weft.skills.library import SkillLibrary
from weft.skills.voices import voice_of
from weft.workspaces.prompt_files import PromptFiles
from weft.workspaces.service import WorkspaceService

MOST_CASES = 5
MOST_REASONS = 4
_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a moment stands in no table: how the turn was asked, and when."""

    session_id: UUID
    words: str
    at: datetime
    voice_mode: str = "warm"
    channel: str | None = None
    chat_id: str | None = None
    execution_context: str | None = None
    recall: tuple[str, ...] = ()
    tools: frozenset[str] = frozenset()


class Loaded(NamedTuple):
    """What a prompt is compiled from."""

    situation: Situation
    history: History
    skills: tuple[str, ...]  # those that can be taken on
    last: Sent | None = None  # what the conversation's last call was sent


@dataclass(frozen=True, slots=True)
class Beside:
    """What of a moment stands outside the database."""

    catalogue: Snapshot
    files: PromptFiles


@dataclass(frozen=True, slots=True)
class Found:
    """What of a moment stands in the database."""

    session: SessionView
    user: UserAgentContext
    active: Listed | None
    fields: Mapping[str, Any]
    seen: Seen
    last: Sent | None


class Situations:
    """Loads moments on behalf of an actor."""

    def __init__(self, database: Database, actor: Actor, skills: SkillLibrary, workspace: WorkspaceService) -> None:
        self._database = database
        self._actor = actor
        self._skills = skills
        self._workspace = workspace

    async def load(self, asked: Asked) -> Loaded:
        """The situation and the history, as they are now; no connection is held while files are read."""
        beside = await self.beside()
        async with self._database.transaction(self._actor) as tx:
            found = await self.found(tx, await SessionService(tx).get(asked.session_id), beside)
        return await self.made(asked, beside, found)

    async def beside(self) -> Beside:
        """What is looked up before a transaction begins."""
        catalogue = await self._skills.look(self._actor.business_id, self._actor.owner_id)
        return Beside(catalogue, await self._workspace.prompt_files())

    async def found(self, tx: Transaction, session: SessionView, beside: Beside, *, was_asked: bool = True) -> Found:
        """What is looked up within one; `was_asked`: a model may have been, about this conversation."""
        sessions, profiles, user_id = SessionService(tx), ProfileService(tx), self._actor.owner_id
        active = _active(beside.catalogue, session)
        declared = active.skill.profile_fields if active else ()
        recipe = PHASE_1 if active is None else PHASE_2
        return Found(
            session,
            await profiles.get_user_agent_context(user_id),
            active,
            await profiles.load_profile_fields(user_id, declared) if declared else _NOTHING,
            await sessions.window(session.id, recipe.texts),
            await ContextService(tx).last_sent(session.id) if was_asked else None,
        )

    async def made(self, asked: Asked, beside: Beside, found: Found) -> Loaded:
        """The moment, from what was looked up."""
        catalogue, files, active, fields = beside.catalogue, beside.files, found.active, found.fields
        situation = Situation(
            user=found.user,
            agent=_agent(asked, found.session, active, fields),
            now=asked.at.astimezone(_zone(found.user.settings.preferences.timezone)),
            core=_core(catalogue, asked.voice_mode),
            catalogue=_lines(catalogue),
            always=tuple(_always(each) for each in catalogue.always() if each.name != CORE),
            skill=await self._skill(active, fields, asked.words) if active else None,
            files=files.files,
            memory=files.memory,
            recall=asked.recall,
            execution_context=asked.execution_context,
            tools=asked.tools,
        )
        history = await history_of(found.seen, self._workspace.look_at)
        return Loaded(situation, history, tuple(choosable(catalogue)), found.last)

    async def _skill(self, listed: Listed, fields: Mapping[str, Any], words: str) -> ActiveSkill:
        skill = listed.skill
        matches = await self._skills.match_cases(listed, words, MOST_CASES) if skill.cases else []
        return ActiveSkill(
            name=skill.name,
            persona=skill.body,
            source=_source(listed),
            trust=_trust(listed),
            sop=await self._skills.sop_text(listed) if skill.sop else "",
            compute=skill.compute_type if skill.requires_compute else None,
            tools=skill.allowed_tools,
            profile_fields=fields,
            missing=missing_of(skill, dict(fields)),
            cases=tuple(_case(match) for match in matches),
        )


@cache
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def _active(catalogue: Snapshot, session: SessionView) -> Listed | None:
    """The skill that the session is in; one that was taken away since, or lacks something now, is left by itself."""
    if session.skill is None or session.skill == CORE:
        return None
    listed = catalogue.skills.get(session.skill)
    return listed if listed is not None and listed.available else None


def _agent(asked: Asked, session: SessionView, active: Listed | None, fields: Mapping[str, Any]) -> AgentContext:
    own = f"skill_data.{active.name}" if active else ""
    return AgentContext(
        skill=active.name if active else None,
        scenario=session.scenario if active else None,
        conversation_id=str(asked.session_id),
        voice_mode=asked.voice_mode,
        channel=asked.channel,
        chat_id=asked.chat_id,
        profile_fields={field: value for field, value in fields.items() if field != own},
        skill_data=fields.get(own) or _NOTHING,
    )


def _core(catalogue: Snapshot, voice: str) -> Persona:
    """Who speaks when no expert does: the operator's core, or the shipped one."""
    listed = catalogue.skills.get(CORE)
    if listed is None:
        raise SkillNotFoundError(CORE, "is not installed, and every conversation begins with it")
    return Persona(listed.skill.body, voice_of(listed.skill, voice), _source(listed))


def _lines(catalogue: Snapshot) -> tuple[SkillLine, ...]:
    """The skills that can be called in; those that stand whole in the prompt are not named twice."""
    return tuple(
        SkillLine(each.name, each.skill.description, tuple(str(missing) for missing in each.missing), _trust(each))
        for each in catalogue.skills.values()
        if each.name != CORE and not each.skill.always
    )


def _always(listed: Listed) -> SkillText:
    return SkillText(listed.name, listed.skill.body, _source(listed), _trust(listed))


def _case(match: Match) -> MatchedCase:
    said = tuple(dict.fromkeys(why.asked for why in match.why))
    return MatchedCase(match.case.title, match.case.situation, match.case.advice, said[:MOST_REASONS])


def _source(listed: Listed) -> str:
    return f"skills:{listed.level}/{listed.name}"


def _trust(listed: Listed) -> Trust:
    return Trust.USER if listed.level == "user" else Trust.OPERATOR
