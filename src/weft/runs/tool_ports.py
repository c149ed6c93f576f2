"""What the tools of a run reach: services on behalf of the run's user, in the step's transaction where there is one."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, zip_longest
from typing import Any
from uuid import UUID

import anyio.to_thread

from weft.context.user_prompt import profile_values
from weft.kit import clock
from weft.kit.finding import Wanted
from weft.profiles.service import ProfileService
from weft.runs.engine import Engine
from weft.runs.journal import Held
from weft.runs.prompting import RunPrompts
from weft.runs.skill_work import check_type, known_to, rules_for
from weft.runs.units import Units
from weft.runs.user_data import save
from weft.sessions.errors import MessageUnknownError
from weft.sessions.service import SessionService
from weft.skills.activation import BIRTH_INFO, SkillActivation, usable
from weft.skills.catalogue import Snapshot
from weft.skills.compute.telling import Given
from weft.skills.computing import compute
from weft.tools.ports import PastLine, Place
from weft.workspaces.log import Found
from weft.workspaces.service import WorkspaceService
from weft.workspaces.texts import text_of

_SKILLS = "skills/"


class RunPorts:
    """Implements `weft.tools.ports.Ports` for one run."""

    def __init__(self, engine: Engine, held: Held, units: Units, workspace: WorkspaceService) -> None:
        self._skills = engine.skills
        self._owner = held.owner
        self._units = units
        self._workspace = workspace
        self.prompts: RunPrompts | None = None  # set once they are made: they are made with the tools in sight

    async def activate_skill(self, skill: str, scenario: str | None) -> Mapping[str, Any]:
        """Let the conversation go on in it."""
        catalogue = await self._catalogue()
        async with self._units.open() as tx:
            activated = await SkillActivation(tx, catalogue).activate(self._owner.session_id, skill, scenario)
        return activated.result()

    async def read_text(self, path: str) -> str:
        """A text file of the workspace, or of a skill that the user sees."""
        if (found := await self._of_a_skill(path)) is not None:
            return found
        return await self._workspace.read_text(path)

    async def list_folder(self, path: str) -> Sequence[Place]:
        """What is in a folder of the workspace, or in one of a skill."""
        listed = await self._skill_at(path)
        if listed is None:
            return [Place(each.name, each.is_folder, each.size) for each in await self._workspace.list(path)]
        found, within = listed
        resources = await anyio.to_thread.run_sync(found.resources)
        prefix = f"{within}/" if within else ""
        return [
            Place(each.path.removeprefix(prefix), False, each.size)
            for each in resources
            if each.path.startswith(prefix)
        ]

    async def write_text(self, path: str, text: str) -> bool:
        """Write a file whole; whether there was one before."""
        return await self._workspace.write_text(path, text, by_agent=True)

    async def edit_text(self, path: str, old: str, new: str, *, everywhere: bool) -> int:
        """Put a passage in the place of another; how often."""
        return await self._workspace.edit(path, old, new, everywhere=everywhere, by_agent=True)

    async def search_past(self, query: str, limit: int) -> Sequence[PastLine]:
        """Texts of all the user's conversations but this turn's, and lines of the log, by turns the best of each."""
        async with self._units.open() as tx:
            said = await SessionService(tx).find(Wanted.of(query), limit, but_not=self._owner.run_id)
        lines = [PastLine(_moment(each.created_at), each.role, each.content, str(each.id)) for each in said]
        logged = [_line(each) for each in await self._workspace.search_history(query, limit)]
        both = chain.from_iterable(zip_longest(lines, logged))
        return [each for each in both if each is not None][:limit]

    async def whole_message(self, message: str) -> str:
        """What one message says, whole."""
        try:
            message_id = UUID(message)
        except ValueError:
            raise MessageUnknownError(
                f"{message!r:.80} is no message's id; take it from a hit", field="message"
            ) from None
        async with self._units.open() as tx:
            return await SessionService(tx).content(message_id)

    async def remember(self, fact: str, section: str | None) -> str:
        """Keep a fact; what became of it."""
        return (await self._workspace.remember(fact, section)).status

    async def save_user_data(self, field: str, value: Any) -> Any:
        """Save a field of the profile; what stands there now."""
        rules = await rules_for(await self._catalogue(), field)
        async with self._units.open() as tx:
            return await save(ProfileService(tx, rules), self._owner.user_id, field, value)

    async def user_context(self) -> Mapping[str, Any]:
        """Who the user is, and the fields that the active skill declares."""
        catalogue = await self._catalogue()
        async with self._units.open() as tx:
            profiles = ProfileService(tx)
            session = await SessionService(tx).get(self._owner.session_id)
            user = await profiles.get_user_agent_context(self._owner.user_id)
            fields = await profiles.load_profile_fields(self._owner.user_id, known_to(catalogue, session.skill))
        return {"user": profile_values(user), "fields": fields}

    async def compute(self, skill: str, compute_type: str | None, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Carry out a skill's computation; what is to be kept of it is kept."""
        catalogue, own = await self._catalogue(), f"skill_data.{skill}"
        listed = usable(catalogue, skill)
        wanted = check_type(catalogue, listed.skill, compute_type)
        rules = await rules_for(catalogue, own)
        async with self._units.open() as tx:
            profiles, user_id = ProfileService(tx, rules), self._owner.user_id
            await profiles.change(user_id, {})  # locks it: of two draws at once, neither is lost
            fields = await profiles.load_profile_fields(user_id, {*known_to(catalogue, skill), own})
            given = Given(clock.now(), fields.get(BIRTH_INFO), fields[own] or {})
            computed = await compute(wanted, options, given)
            if computed.keep is not None:
                await profiles.save_user_data(user_id, own, computed.keep)
        return computed.result

    async def _catalogue(self) -> Snapshot:
        return await self._skills.look(self._owner.business_id, self._owner.user_id)

    async def _of_a_skill(self, path: str) -> str | None:
        listed = await self._skill_at(path)
        if listed is None:
            return None
        found, within = listed
        return text_of(path, await anyio.to_thread.run_sync(found.read, within))

    async def _skill_at(self, path: str) -> Any:
        """The skill that a path `skills/<name>/…` leads into, and the rest of the path."""
        plain = path.removeprefix("./").removesuffix("/")
        if not plain.startswith(_SKILLS):
            return None
        name, _, within = plain.removeprefix(_SKILLS).partition("/")
        listed = (await self._catalogue()).skills.get(name)
        if listed is None:
            return None  # one that cannot be used still lies in the workspace, where somebody may look what is wrong
        return listed, within


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ")  # as the log of what happened has it


def _line(found: Found) -> PastLine:
    return PastLine("", found.file, found.text)
