"""`use_skill`: an expert is called in, and sent away again (SKILL-3)."""

import pytest

from tests.people import People
from tests.tools.conftest import Hand
from weft.kit.errors import CallerError
from weft.state.changes import SetScenario
from weft.state.events import SkillChanged
from weft.tools.builtin.use_skill import MOST_NAMED, UseSkill
from weft.tools.errors import ToolArgumentsError


async def test_a_skill_is_taken_on_and_left(hand: Hand) -> None:
    """SKILL-3, SKILL-4: the session row, the state and those who watch hear of it; the result is as ruled."""
    result = await hand.run("use_skill", skill="tarot", scenario="love")
    assert result.content == '{"status":"activated","skill":"tarot","scenario":"love"}'
    assert result.changes == (SetScenario("tarot", "love"),)
    assert result.events == (SkillChanged("tarot", "love"),)
    session = await hand.session()
    assert (session.skill, session.scenario) == ("tarot", "love")
    result = await hand.run("use_skill", skill="core")
    assert result.content == '{"status":"activated","skill":"core"}'
    assert result.changes == (SetScenario(None, None),)
    assert (await hand.session()).skill is None


async def test_the_same_again_changes_nothing(hand: Hand) -> None:
    """SKILL-3: deduplicated."""
    await hand.run("use_skill", skill="career")
    again = await hand.run("use_skill", skill="career")
    assert again.content == '{"status":"already_active","skill":"career"}'
    assert (again.changes, again.events) == ((), ())


async def test_what_is_missing_is_named(hand: Hand) -> None:
    """SKILL-7: so that the agent asks for it; no longer once it is there."""
    assert (await hand.call("use_skill", skill="bazi"))["missing"] == ["birth_info"]
    await hand.call("save_user_data", field="birth_info", value={"date": "1990-05-17", "calendar": "solar"})
    assert "missing" not in await hand.call("use_skill", skill="bazi")


def test_the_names_that_there_are_stand_as_an_enum(hand: Hand) -> None:
    """SKILL-1: with `core`, in the order of the catalogue; a long catalogue names them itself."""
    skill = hand.tools.get("use_skill").spec().parameters["properties"]["skill"]
    assert skill == {"enum": ["core", *hand.names], "type": "string"}
    many = UseSkill(None, [f"skill{number}" for number in range(MOST_NAMED + 1)])  # type: ignore[arg-type]
    assert many.spec().parameters["properties"]["skill"] == {"type": "string"}
    none = UseSkill(None, [])  # type: ignore[arg-type]
    assert none.check({"skill": "core"}).skill == "core"


async def test_a_skill_that_there_is_not_changes_nothing(hand: Hand) -> None:
    """SKILL-3: refused with the names; also where the enum does not stand."""
    with pytest.raises(ToolArgumentsError, match="tarot"):
        await hand.run("use_skill", skill="Tarot")
    hand.names = [f"skill{number}" for number in range(MOST_NAMED + 1)]
    with pytest.raises(CallerError, match=r"not installed; there are core, bazi"):
        await hand.run("use_skill", skill="nonsense")
    with pytest.raises(ToolArgumentsError, match="scenario"):
        await hand.run("use_skill", skill="tarot", scenario="x" * 129)
    assert (await hand.session()).skill is None


async def test_each_session_has_its_own(hand: Hand, people: People) -> None:
    """SEC-1"""
    other = await hand.of(await people.user(hand.actor.business_id, "bob"))
    await hand.run("use_skill", skill="tarot")
    assert (await other.session()).skill is None


async def test_it_happens_with_its_step_or_not_at_all(hand: Hand) -> None:
    """STATE-5: a step that is not written leaves the session as it was."""
    tool = hand.tools.get("use_skill")
    with pytest.raises(RuntimeError, match="killed"):
        async with hand.database.transaction(hand.actor) as tx:
            with hand.units.within(tx):
                await tool.run(hand.state("use_skill", {"skill": "tarot"}))
            raise RuntimeError("killed")
    assert (await hand.session()).skill is None
