"""`user_context`: who the user is, and what the active skill may know of them, as it stands now."""

from typing import ClassVar

from weft.state.runtime import RuntimeState
from weft.tools.ports import UserPort
from weft.tools.tool import Effect, Tool, ToolInput, ToolResult


class UserContextInput(ToolInput):
    """Nothing is asked."""


class UserContext(Tool[UserContextInput]):
    """The profile's part that this conversation may see (PRO-7)."""

    name: ClassVar[str] = "user_context"
    description: ClassVar[str] = "Look up what is stored about the user: their profile as it is now."
    effect: ClassVar[Effect] = Effect.READ
    input = UserContextInput

    def __init__(self, user: UserPort) -> None:
        self._user = user

    async def run(self, state: RuntimeState) -> ToolResult:
        """Read it."""
        self.arguments(state)
        return ToolResult.of(dict(await self._user.user_context()), summary="read the profile")
