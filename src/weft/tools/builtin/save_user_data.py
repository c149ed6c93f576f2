"""`save_user_data`: what users tell about themselves, into their profile, validated (PRO-8)."""

from typing import Annotated, Any, ClassVar

from pydantic import Field

from weft.kit.text import shown_path
from weft.state.runtime import RuntimeState
from weft.tools.ports import UserPort
from weft.tools.tool import Effect, Tool, ToolInput, ToolResult


class SaveUserDataInput(ToolInput):
    """Which field, and what of it is new."""

    field: Annotated[str, Field(min_length=1, max_length=100)]
    value: dict[str, Any]


class SaveUserData(Tool[SaveUserDataInput]):
    """What is not named stays; null takes a key away."""

    name: ClassVar[str] = "save_user_data"
    description: ClassVar[str] = (
        "Put what the user says of themselves into their profile; other keys stay, null removes one. Fields:\n"
        "birth_info {date YYYY-MM-DD, time? HH:MM, calendar solar|lunar, gender?, "
        "place? {name, latitude, longitude, timezone}}\n"
        "life_context {occupation, industry, stage, goals[], concerns[]}\n"
        "extracted {fact, source, confidence 0-1}: adds one fact\n"
        "skill_data.<skill> {…}"
    )
    effect: ClassVar[Effect] = Effect.WRITE
    transactional: ClassVar[bool] = True
    changes_prompt: ClassVar[bool] = True
    input = SaveUserDataInput

    def __init__(self, user: UserPort) -> None:
        self._user = user

    async def run(self, state: RuntimeState) -> ToolResult:
        """Save it."""
        asked = self.arguments(state)
        now = await self._user.save_user_data(asked.field, asked.value)
        said = {"status": "saved", "field": asked.field, "now": now}
        return ToolResult.of(said, summary=f"saved {shown_path([asked.field])}")
