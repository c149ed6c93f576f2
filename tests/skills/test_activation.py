"""Taking on a skill and leaving it: what the session remembers, and what the user still has to give."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.people import People
from tests.skills.conftest import Write
from weft.kit.actor import Actor
from weft.kit.db import Database
from weft.kit.errors import CallerError, NotFoundError
from weft.profiles.service import ProfileService
from weft.sessions.service import SessionService
from weft.skills.activation import LONGEST_SCENARIO, Activated, SkillActivation, choosable, usable
from weft.skills.catalogue import Snapshot
from weft.skills.errors import ScenarioInvalidError, SkillNotFoundError, SkillUnavailableError
from weft.skills.library import SkillLibrary

BIRTH = {"date": "1990-05-17", "calendar": "solar"}
Activate = Callable[..., Awaitable[Activated]]


@pytest.fixture
async def catalogue(write: Write, tmp_path: Path) -> Snapshot:
    """A persona, two experts, one that lacks something, one that always stands in the prompt."""
    write("shipped/core")
    write("shipped/tarot")
    write("shipped/bazi", "name: bazi\ndescription: x\nrequires_birth_info: true\nprofile_fields: [birth_info]")
    write("shipped/needy", "name: needy\ndescription: x\nrequires: {environment: [WEFT_TEST_NO_SUCH]}")
    write("shipped/manners", "name: manners\ndescription: x\nalways: true")
    return await SkillLibrary(tmp_path / "home", shipped=tmp_path / "shipped").look(None)


@pytest.fixture
async def ann(people: People) -> Actor:
    return await people.user()


@pytest.fixture
async def session(database: Database, ann: Actor) -> UUID:
    async with database.transaction(ann) as tx:
        return (await SessionService(tx).create()).id


@pytest.fixture
def activate(database: Database, ann: Actor, session: UUID, catalogue: Snapshot) -> Activate:
    async def once(name: str, scenario: str | None = None, actor: Actor = ann) -> Activated:
        async with database.transaction(actor) as tx:
            return await SkillActivation(tx, catalogue).activate(session, name, scenario)

    return once


@pytest.fixture
def remembered(database: Database, ann: Actor, session: UUID) -> Callable[[], Awaitable[tuple[Any, Any]]]:
    async def read() -> tuple[Any, Any]:
        async with database.transaction(ann) as tx:
            view = await SessionService(tx).get(session)
        return view.skill, view.scenario

    return read


async def test_a_session_goes_on_in_the_skill_and_leaves_it(activate: Activate, remembered: Any) -> None:
    """SKILL-3, SKILL-4: the skill and its scenario stay with the session; `core` leaves it; the same again is said."""
    assert (await activate("tarot", " 三张牌 ")).result() == {
        "status": "activated",
        "skill": "tarot",
        "scenario": "三张牌",
    }
    assert await remembered() == ("tarot", "三张牌")
    assert (await activate("tarot", "三张牌")).status == "already_active"
    assert (await activate("tarot", "one card")).status == "activated"
    assert (await activate("bazi")).status == "activated"
    assert await remembered() == ("bazi", None)
    assert (await activate("core", "ignored")).result() == {"status": "activated", "skill": "core"}
    assert await remembered() == (None, None)
    assert (await activate("core")).status == "already_active"


async def test_what_the_user_has_not_given_is_named(activate: Activate, database: Database, ann: Actor) -> None:
    """SKILL-7: the agent asks for it; once it is there, nothing is missing."""
    assert (await activate("bazi")).result()["missing"] == ["birth_info"]
    assert (await activate("bazi")).missing == ("birth_info",)
    async with database.transaction(ann) as tx:
        await ProfileService(tx).change(ann.owner_id, {"birth_info": BIRTH})
    assert (await activate("bazi")).missing == ()


@pytest.mark.parametrize(
    ("name", "scenario", "error", "says"),
    [
        ("astrology", None, SkillNotFoundError, "there are core, bazi, tarot"),
        ("needy", None, SkillUnavailableError, "environment WEFT_TEST_NO_SUCH"),
        ("\x1b[2J" * 50, None, SkillNotFoundError, "is not installed"),
        ("tarot", "x" * (LONGEST_SCENARIO + 1), ScenarioInvalidError, "has 129 characters"),
        ("tarot", "a\x00b", ScenarioInvalidError, "NUL"),
    ],
)
async def test_what_cannot_be_taken_on_changes_nothing(
    activate: Activate, remembered: Any, name: str, scenario: str | None, error: type[CallerError], says: str
) -> None:
    """SKILL-3, SKILL-8: the model is told what there is, or what is missing."""
    await activate("bazi", "before")
    with pytest.raises(error, match=says) as refused:
        await activate(name, scenario)
    assert "\x1b" not in refused.value.detail
    assert await remembered() == ("bazi", "before")


async def test_nobody_changes_somebody_elses_session(activate: Activate, remembered: Any, people: People) -> None:
    """SEC-1"""
    with pytest.raises(NotFoundError):
        await activate("tarot", actor=await people.user())
    assert await remembered() == (None, None)


async def test_only_what_can_be_called_in_is_offered(catalogue: Snapshot) -> None:
    """SKILL-3, SKILL-8: neither the persona, nor what stands in the prompt anyway, nor what lacks something."""
    assert choosable(catalogue) == ["bazi", "tarot"]
    assert usable(catalogue, "tarot").name == "tarot"
