"""`use_skill`: call an expert in, or send them away (SKILL-3)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, create_model

from weft.state.changes import SetScenario
from weft.state.events import SkillChanged
from weft.state.runtime import RuntimeState
from weft.tools.ports import SkillsPort
from weft.tools.tool import Effect, Tool, ToolInput, ToolResult

CORE = "core"
MOST_NAMED = 64  # past it the names stand in the catalogue alone


class UseSkillInput(ToolInput):
    """Which skill, and in which of its scenarios."""

    skill: str
    scenario: Annotated[str | None, Field(max_length=128)] = None


class UseSkill(Tool[UseSkillInput]):
    """The session goes on in the skill; the prompt is another one from the next call on."""

    name: ClassVar[str] = "use_skill"
    description: ClassVar[str] = "Call in an expert of SKILLS for what belongs to them. core sends the active one away."
    effect: ClassVar[Effect] = Effect.WRITE
    transactional: ClassVar[bool] = True
    changes_prompt: ClassVar[bool] = True

    def __init__(self, skills: SkillsPort, names: Sequence[str]) -> None:
        self._skills = skills
        self.input = _input_of(tuple(names))

    async def run(self, state: RuntimeState) -> ToolResult:
        """Take it on, or leave the one that is active."""
        asked = self.arguments(state)
        said = await self._skills.activate_skill(asked.skill, asked.scenario)
        skill = None if asked.skill == CORE else asked.skill
        scenario = said.get("scenario")
        if (state.shared.skill, state.shared.scenario) == (skill, scenario):
            return ToolResult.of(dict(said), summary=f"{asked.skill} is active already")
        return ToolResult.of(
            dict(said),
            summary=f"{said['status']}: {asked.skill}",
            changes=(SetScenario(skill, scenario),),
            events=(SkillChanged(skill, scenario),),
        )


@lru_cache(maxsize=512)
def _input_of(names: tuple[str, ...]) -> type[UseSkillInput]:
    """The input with the names that there are as an enum: the same object for the same names."""
    if len(names) > MOST_NAMED:
        return UseSkillInput
    choice: Any = Literal[(CORE, *names)]
    return create_model("UseSkillInput", __base__=UseSkillInput, skill=(choice, ...))
