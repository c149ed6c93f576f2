"""What prompts with the shipped skills cost: a real user with everything filled in, the real tools, every stage."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.people import People
from tests.skills.shipped.full import BORN, CAREER, DRAWS, FACTS, IDENTITY, LIFE
from tests.skills.shipped.shipped import EXPERTS, cases, skill
from weft.context.compiling import Compiled
from weft.context.payload import build_stage_prompt_payload
from weft.context.recipes import PROMPT
from weft.context.stages import shipped_stages
from weft.kit.actor import Actor
from weft.kit.db import Database
from weft.llm.ports import Abilities, ModelCard
from weft.llm.tokens import TokenCounter
from weft.profiles.service import ProfileService
from weft.runs.situations import Asked, Loaded, Situations
from weft.runs.skill_work import rules_for
from weft.sessions.metadata import UserInput
from weft.sessions.schemas import NewMessage
from weft.sessions.service import SessionService
from weft.skills.computing import Given, compute
from weft.skills.library import SkillLibrary
from weft.skills.voices import voices
from weft.tools.builtin import built_in
from weft.tools.toolbox import Toolbox
from weft.workspaces.service import Workspaces, WorkspaceService

NOW = datetime(2026, 11, 19, 6, 30, tzinfo=UTC)
MODELS = ("deepseek-chat", "qwen-max", "gpt-4o")
STAGES = tuple(shipped_stages().tasks)
NOBODY: Any = None  # tools are only described here, never run
HELLO = "最近睡不好，也不知道要不要换工作，想跟你聊聊。"


@dataclass
class Somebody:
    """A user with a full profile, and a conversation in one skill."""

    database: Database
    actor: Actor
    library: SkillLibrary
    folder: Path

    async def fill(self) -> None:
        """Everything that can be told is told; every computation has been carried out."""
        catalogue = await self.library.look(self.actor.business_id, self.actor.owner_id)
        kept: dict[str, Any] = {"career": CAREER}
        for name in ("bazi", "zodiac"):
            kept[name] = (await compute(name, {}, Given(NOW, BORN))).keep
        for at, spread in enumerate(DRAWS):
            options = {"spread": spread, "question": f"第{at + 1}次问：我和现在这份工作的关系里，我需要看清什么"}
            kept["tarot"] = (await compute("tarot", options, Given(NOW, kept=kept.get("tarot") or {}))).keep
        fields = {"birth_info": BORN, "life_context": LIFE, "extracted": FACTS}
        fields |= {f"skill_data.{name}": data for name, data in kept.items()}
        for field, value in fields.items():
            rules = await rules_for(catalogue, field)
            async with self.database.transaction(self.actor) as tx:
                await ProfileService(tx, rules).save_user_data(self.actor.owner_id, field, value)
        async with self.database.transaction(self.actor) as tx:
            await ProfileService(tx).change(self.actor.owner_id, IDENTITY)

    async def moment(self, words: str, name: str | None, voice: str = "warm") -> Loaded:
        """The moment at which this was just said, in this skill."""
        async with self.database.transaction(self.actor) as tx:
            sessions = SessionService(tx)
            session = await sessions.create()
            await sessions.append(session.id, [NewMessage(content=words, metadata=UserInput())])
            if name is not None:
                await sessions.remember_skill(session.id, name, None)
        workspace = WorkspaceService(self.actor, Workspaces(self.folder))
        situations = Situations(self.database, self.actor, self.library, workspace)
        toolbox = _toolbox()
        return await situations.load(Asked(session.id, words, NOW, voice, tools=toolbox.names))


@pytest.fixture
async def somebody(database: Database, people: People, tmp_path: Path) -> Somebody:
    made = Somebody(database, await people.user(), SkillLibrary(tmp_path), tmp_path / "workspaces")
    await made.fill()
    return made


def everything(name: str) -> str:
    """Words that call the five longest cases of a skill at once."""
    longest = sorted(cases(name), key=lambda case: len(case.text), reverse=True)[:5]
    return " ".join(words for case in longest for words in (case.title, case.situation, *case.when))


def _toolbox() -> Toolbox:
    return Toolbox(built_in(NOBODY, EXPERTS))


def compiled(loaded: Loaded, stage: str, model: str) -> Compiled:
    card = ModelCard(model, "vendor", model, 131_072, 8_192, Abilities())
    tools = _toolbox().specs
    return build_stage_prompt_payload(stage, loaded.situation, loaded.history, tools, card, TokenCounter())


def system_and_tools(made: Compiled) -> int:
    """The tokens of the system text and the tool schemas, what a vendor puts around them included."""
    counter, model = TokenCounter(), made.manifest.model
    return counter.raw_count_messages(model, made.messages[:1], made.tools)


@pytest.mark.parametrize("model", MODELS)
async def test_phase_1_stays_within_its_tokens(somebody: Somebody, model: str) -> None:
    """SKILL-1: the system text and the tool schemas, in each voice, with all shipped skills in the catalogue."""
    for voice in voices(skill("core")):
        loaded = await somebody.moment(HELLO, None, voice)
        made = compiled(loaded, "intent", model)
        assert made.messages[0]["role"] == "system"
        assert system_and_tools(made) <= 2_000, system_and_tools(made)
        assert not made.manifest.cuts


async def test_phase_1_shows_who_may_be_called_in_and_nothing_of_theirs(somebody: Somebody) -> None:
    """SKILL-1, PRO-7: no profile fields, no cases, no procedure."""
    made = compiled(await somebody.moment(HELLO, None), "intent", MODELS[0])
    entries = {entry.id for entry in made.manifest.entries}
    text = str(made.messages)
    assert {"skills", "catalogue", "persona", "tool/use_skill"} <= entries
    assert not entries & {"sop", "cases", "skill_data", "tool_rules", "missing"}
    assert not [entry for entry in entries if entry.startswith("profile_fields/")]
    for name in EXPERTS:
        assert skill(name).description.split("。")[0] in text
        assert skill(name).body.splitlines()[1] not in text
    assert skill("core").voices["warm"] in text


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", EXPERTS)
async def test_phase_2_stays_within_its_tokens_with_everything_there(somebody: Somebody, name: str, model: str) -> None:
    """SKILL-2: in every stage, the cases included wherever they stand, nothing cut."""
    loaded = await somebody.moment(everything(name), name)
    active = loaded.situation.skill
    assert active is not None
    assert len(active.cases) == 5
    assert not active.missing
    assert all(active.profile_fields[field] for field in skill(name).profile_fields)
    for stage in STAGES:
        made = compiled(loaded, stage, model)
        assert made.manifest.spent[PROMPT] <= 6_000, (stage, made.manifest.spent)
        assert not made.manifest.cuts


@pytest.mark.parametrize("name", EXPERTS)
async def test_phase_2_holds_the_expert_with_all_that_it_declares(somebody: Somebody, name: str) -> None:
    """SKILL-2: persona, procedure, tool rules, cases and data each stand there once."""
    made = compiled(await somebody.moment(everything(name), name), "intent", MODELS[0])
    whole = [entry.id for entry in made.manifest.entries if entry.state == "whole"]
    wanted = {"persona", "sop", "tool_rules", "cases"}
    for field in skill(name).profile_fields:
        wanted.add("skill_data" if field.startswith("skill_data.") else f"profile_fields/{field}")
    assert wanted <= set(whole)
    assert len(whole) == len(set(whole))
    assert skill(name).body.strip() in made.messages[0]["content"]


@pytest.mark.parametrize("name", ["bazi", "zodiac"])
async def test_without_a_birth_the_agent_is_told_to_ask_for_it(
    database: Database, people: People, tmp_path: Path, name: str
) -> None:
    """SKILL-7"""
    stranger = Somebody(database, await people.user(), SkillLibrary(tmp_path), tmp_path / "workspaces")
    loaded = await stranger.moment(everything(name), name)
    assert loaded.situation.skill is not None
    assert loaded.situation.skill.missing == ("birth_info",)
    text = compiled(loaded, "intent", MODELS[0]).messages[0]["content"]
    assert "The user has not given `birth_info`" in text
    assert f"call `compute` with `{name}`" in text
