"""A user as the profile service makes them, and the same with other words in the fields."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.people import People
from weft.context.user import UserAgentContext
from weft.kit.db import Database
from weft.profiles.service import ProfileService

Having = Callable[..., UserAgentContext]


@pytest.fixture(scope="session")
async def nobody(database: Database) -> UserAgentContext:
    """A user who never wrote anything; whoever reads it changes nothing, so one serves all tests."""
    actor = await People(database).user()
    async with database.transaction(actor) as tx:
        return await ProfileService(tx).get_user_agent_context(actor.owner_id)


@pytest.fixture
def having(nobody: UserAgentContext) -> Having:
    """`having(username=…, bio=…, ai_language=…)`: the rest is as the service gave it, and nothing is validated."""

    def make(username: str = "", bio: str | None = None, **preferences: Any) -> UserAgentContext:
        settings: Any = nobody.settings
        changed = settings.model_copy(update={"preferences": settings.preferences.model_copy(update=preferences)})
        return replace(nobody, username=username, bio=bio, settings=changed)

    return make
