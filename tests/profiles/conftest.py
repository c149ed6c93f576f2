"""A profile service over a transaction of its own, and what the database was asked meanwhile."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import event

from tests.people import People
from weft.kit.actor import Actor
from weft.kit.db import Database
from weft.profiles.repository import ProfileRepository
from weft.profiles.schemas import ProfileView
from weft.profiles.service import ProfileRules, ProfileService

SCHEMAS: dict[str, Any] = {
    "bazi": {"type": "object", "properties": {"day_master": {"type": "string", "maxLength": 100}}},
    "tarot": {"type": "object"},
}
RULES = ProfileRules(skill_schema=SCHEMAS.get)
LAZY = ProfileRules(upgrade_on_write=False, skill_schema=SCHEMAS.get)
BORN = {"date": "1990-05-17", "time": "08:30", "calendar": "solar"}
FACT = {"fact": "养了一只猫", "source": "session 1", "at": "2026-03-06T08:00:00Z", "confidence": 0.9}
FULL = {
    "username": "小雨",
    "bio": "产品经理，喜欢徒步",
    "settings": {"preferences": {"ai_language": "en-US", "country": "us"}, "privacy": {"share": False}},
    "birth_info": BORN,
    "life_context": {"occupation": "产品经理", "goals": ["跑完马拉松"]},
    "extracted": [FACT],
    "skill_data": {"bazi": {"day_master": "甲"}},
}

Serving = Callable[..., AbstractAsyncContextManager[ProfileService]]
Statements = Callable[[], AbstractContextManager[list[str]]]


@dataclass(frozen=True)
class Stored:
    """The rows as they stand: `await stored(actor)`; `put` writes one past every check, as an older Weft might have."""

    database: Database

    async def __call__(self, actor: Actor) -> dict[str, Any] | None:
        async with self.database.transaction(actor) as tx:
            return await ProfileRepository(tx.connection).whole(actor.owner_id)

    async def put(self, actor: Actor, **columns: Any) -> None:
        assert actor.business_id is not None
        async with self.database.transaction(actor) as tx:
            rows = ProfileRepository(tx.connection)
            await rows.locked(actor.owner_id, actor.business_id)
            await rows.write(actor.owner_id, columns)


async def change(serving: Serving, actor: Actor, patch: dict[str, Any], rules: ProfileRules = RULES) -> ProfileView:
    """One change in a transaction of its own."""
    async with serving(actor, rules) as profiles:
        return await profiles.change(actor.owner_id, patch)


@pytest.fixture
async def ann(people: People) -> Actor:
    """A user who never wrote anything."""
    return await people.user()


@pytest.fixture
def stored(database: Database) -> Stored:
    return Stored(database)


@pytest.fixture
def serving(database: Database) -> Serving:
    """`async with serving(actor) as profiles`: commits at the end, as the way in does."""

    @asynccontextmanager
    async def serve(actor: Actor, rules: ProfileRules = RULES) -> AsyncIterator[ProfileService]:
        async with database.transaction(actor) as tx:
            yield ProfileService(tx, rules)

    return serve


@pytest.fixture
def statements(database: Database) -> Statements:
    """`with statements() as asked`: every statement sent to the database meanwhile."""

    @contextmanager
    def listen() -> Iterator[list[str]]:
        asked: list[str] = []

        def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
            asked.append(f"{statement} -- {parameters}")

        engine = database.engine.sync_engine
        event.listen(engine, "before_cursor_execute", note)
        try:
            yield asked
        finally:
            event.remove(engine, "before_cursor_execute", note)

    return listen
