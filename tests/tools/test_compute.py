"""`compute`: the active skill's chart or draw, told in few words and kept once (SKILL-7)."""

import asyncio
import json

import pytest

from tests.people import People
from tests.tools.conftest import Hand
from weft.kit.errors import CallerError
from weft.skills.compute.told_tarot import repeated
from weft.tools.errors import NotComputedError

BIRTH = {"date": "1990-05-17", "time": "08:30", "calendar": "solar", "gender": "female"}
PLACE = {"name": "成都", "latitude": 30.57, "longitude": 104.07, "timezone": "Asia/Shanghai"}


@pytest.fixture
async def bazi(hand: Hand) -> Hand:
    """Somebody whose birth is known, with the expert for it."""
    await hand.call("save_user_data", field="birth_info", value={**BIRTH, "place": PLACE})
    await hand.run("use_skill", skill="bazi")
    return hand


async def test_a_chart_is_computed_and_kept(bazi: Hand) -> None:
    """SKILL-7: real pillars, under the skill's own data, where `user_context` finds them."""
    told = await bazi.call("compute", type="bazi")
    assert told["chart"]["pillars"]["year"].startswith("庚午")
    assert told["chart"]["pillars"]["month"].startswith("辛巳")
    kept = (await bazi.call("user_context"))["fields"]["skill_data.bazi"]
    assert kept["chart"]["day_master"] == told["chart"]["day_master"]
    assert len(json.dumps(told, ensure_ascii=False)) < 6_000


async def test_without_a_type_the_skills_own_is_meant(bazi: Hand) -> None:
    """SKILL-7"""
    assert (await bazi.call("compute"))["chart"] == (await bazi.call("compute", type="bazi"))["chart"]


async def test_another_persons_chart_is_not_kept(bazi: Hand) -> None:
    """PRO-8: what is kept is the user's own."""
    await bazi.call("compute")
    before = await bazi.fields("skill_data.bazi")
    birth = {"date": "1985-01-02", "calendar": "solar"}
    told = await bazi.call("compute", options={"birth": birth})
    assert told["whose"] == "another's, not kept"
    assert await bazi.fields("skill_data.bazi") == before


async def test_a_birth_that_is_missing_is_asked_for(hand: Hand) -> None:
    """SKILL-7: the model is told to ask, and to save what the user answers."""
    await hand.run("use_skill", skill="zodiac")
    with pytest.raises(CallerError, match=r"ask the user.*save_user_data"):
        await hand.call("compute")
    await hand.call("save_user_data", field="birth_info", value={**BIRTH, "place": PLACE})
    assert "sun" in json.dumps(await hand.call("compute")).lower()


async def test_a_draw_is_kept_with_its_proof(hand: Hand) -> None:
    """SKILL-7: an honest shuffle; each draw beside those before it."""
    await hand.run("use_skill", skill="tarot")
    await hand.call("compute", type="tarot", options={"spread": "three", "question": "要不要换工作"})
    await hand.call("compute", type="tarot", options={"spread": "single"})
    draws = (await hand.fields("skill_data.tarot"))["skill_data.tarot"]["draws"]
    assert [draw["spread"] for draw in draws] == ["single", "three"]
    assert draws[1]["question"] == "要不要换工作"
    assert len(repeated(draws[1]).cards) == 3


async def test_draws_at_once_are_all_kept(hand: Hand) -> None:
    """SCALE-1: from several conversations of one user."""
    tables = [await hand.of(hand.actor) for _ in range(4)]
    for table in tables:
        await table.run("use_skill", skill="tarot")
    await asyncio.gather(*(table.call("compute", options={"spread": "single"}) for table in tables))
    assert len((await hand.fields("skill_data.tarot"))["skill_data.tarot"]["draws"]) == 4


async def test_a_draw_that_was_not_written_was_not_kept(hand: Hand) -> None:
    """STATE-5: a card that nobody was shown leaves no trace."""
    await hand.run("use_skill", skill="tarot")
    tool = hand.tools.get("compute")
    with pytest.raises(RuntimeError, match="killed"):
        async with hand.database.transaction(hand.actor) as tx:
            with hand.units.within(tx):
                await tool.run(hand.state("compute", {}))
            raise RuntimeError("killed")
    assert (await hand.fields("skill_data.tarot"))["skill_data.tarot"] is None


async def test_what_cannot_be_computed_is_told(hand: Hand) -> None:
    """TOOL-1: no skill, a skill that computes nothing, another computation, an option that there is not."""
    with pytest.raises(NotComputedError, match="call use_skill"):
        await hand.call("compute", type="tarot")
    await hand.run("use_skill", skill="career")
    with pytest.raises(NotComputedError, match="computes nothing; these do: bazi, tarot, zodiac"):
        await hand.call("compute")
    await hand.run("use_skill", skill="tarot")
    with pytest.raises(NotComputedError, match="'tarot' computes 'tarot', not 'bazi'"):
        await hand.call("compute", type="bazi")
    for options in ({"spread": "hundred"}, {"cards": 3}):
        with pytest.raises(CallerError, match=r"three|there are"):
            await hand.call("compute", options=options)


async def test_it_computes_for_its_user_alone(bazi: Hand, people: People) -> None:
    """SEC-1"""
    other = await bazi.of(await people.user(bazi.actor.business_id, "bob"))
    await other.run("use_skill", skill="bazi")
    with pytest.raises(CallerError, match="ask the user"):
        await other.call("compute")


async def test_a_goal_is_noted_in_the_turn(hand: Hand) -> None:
    """STATE-4: task goals are written by a tool of their own."""
    result = await hand.run("set_goal", goal=" 找出三次聊到换工作的时间 ")
    (change,) = result.changes
    assert (change.kind, change.task_goal) == ("set_task_goal", "找出三次聊到换工作的时间")
