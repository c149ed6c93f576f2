"""`save_user_data` and `user_context`: what users tell about themselves, validated, and read as declared."""

import asyncio
from typing import Any

import pytest

from tests.people import People
from tests.tools.conftest import Hand
from weft.kit.errors import CallerError
from weft.profiles.service import ProfileService
from weft.profiles.shapes import MAX_FACTS

BIRTH = {"date": "1990-05-17", "calendar": "solar"}
PLACE = {"name": "成都", "latitude": 30.57, "longitude": 104.07, "timezone": "Asia/Shanghai"}


async def save(hand: Hand, field: str, **value: Any) -> Any:
    return await hand.call("save_user_data", field=field, value=value)


async def test_what_is_told_bit_by_bit_comes_together(hand: Hand) -> None:
    """PRO-8: what was not said stays, null takes away; the tool says what stands there now."""
    assert await save(hand, "birth_info", **BIRTH) == {
        "status": "saved",
        "field": "birth_info",
        "now": {**BIRTH, "leap_month": False},
    }
    assert (await save(hand, "birth_info", time="08:30", place=PLACE))["now"]["date"] == "1990-05-17"
    await save(hand, "birth_info", time=None, gender="female")
    assert (await hand.fields("birth_info"))["birth_info"] == {**BIRTH, "place": PLACE, "gender": "female"}
    await save(hand, "life_context", occupation="产品经理", goals=["换城市"])
    await save(hand, "life_context", stage="休息中")
    assert (await hand.fields("life_context"))["life_context"] == {
        "occupation": "产品经理",
        "goals": ["换城市"],
        "stage": "休息中",
    }


async def test_facts_are_added_one_by_one(hand: Hand) -> None:
    """PRO-8: none is lost by the next; the newest of two that say the same is kept, past the limit the oldest goes."""
    assert (await save(hand, "extracted", fact="喜欢徒步", source="said", confidence=0.5))["now"] == {"facts": 1}
    assert (await save(hand, "extracted", fact="养猫", confidence=1))["now"] == {"facts": 2}
    assert (await save(hand, "extracted", fact="喜欢徒步", confidence=0.9))["now"] == {"facts": 2}
    facts = (await hand.fields("extracted"))["extracted"]
    assert [(each["fact"], each["source"], each["confidence"]) for each in facts] == [
        ("养猫", "conversation", 1.0),
        ("喜欢徒步", "conversation", 0.9),
    ]
    many = [{"fact": f"fact {number}", "source": "s", "confidence": 1} for number in range(MAX_FACTS)]
    async with hand.database.transaction(hand.actor) as tx:
        await ProfileService(tx).change(hand.actor.owner_id, {"extracted": many})
    assert (await save(hand, "extracted", fact="one more", confidence=1))["now"] == {"facts": MAX_FACTS}
    facts = (await hand.fields("extracted"))["extracted"]
    assert (facts[0]["fact"], facts[-1]["fact"]) == ("fact 1", "one more")


async def test_facts_told_at_once_are_all_kept(hand: Hand) -> None:
    """SCALE-1: from several conversations of one user."""
    told = [(await hand.of(hand.actor)) for _ in range(6)]
    await asyncio.gather(*(save(each, "extracted", fact=f"f{at}", confidence=1) for at, each in enumerate(told)))
    assert {each["fact"] for each in (await hand.fields("extracted"))["extracted"]} == {f"f{at}" for at in range(6)}


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("birth_info", {"date": "17.5.1990", "calendar": "solar"}, "write for example '1990-05-17'"),
        ("birth_info", {"date": "1990-05-17"}, "birth_info.calendar: Field required"),
        ("birth_info", {**BIRTH, "time": "8 am"}, "leave it out where it is not known"),
        ("birth_info", {**BIRTH, "place": {**PLACE, "timezone": "CST"}}, "birth_info.place.timezone: 'CST' is not"),
        ("birth_info", {**BIRTH, "zodiac": "牛"}, "birth_info.zodiac: Extra inputs"),
        ("life_context", {"goals": "换城市"}, "life_context.goals: Input should be a valid list"),
        ("extracted", {"text": "x"}, 'give one fact: {"fact"'),
        ("extracted", {"fact": "x", "confidence": 2}, "confidence: Input should be less than or equal to 1"),
        ("username", {"name": "x"}, "there are birth_info, life_context, extracted and skill_data.<skill>"),
        ("skill_data.nonsense", {"a": 1}, "no skill named 'nonsense' is installed"),
        ("skill_data.bazi", {"chart": "good luck"}, "skill_data.bazi"),
        ("skill_data.Bad Name", {}, "is not a profile field"),
    ],
)
async def test_what_is_not_valid_is_told_by_its_field(hand: Hand, field: str, value: dict[str, Any], said: str) -> None:
    """PRO-8: with a valid example where there is one; nothing is stored."""
    with pytest.raises(CallerError) as refused:
        await save(hand, field, **value)
    assert said in refused.value.detail
    assert set((await hand.fields("birth_info", "life_context", "extracted")).values()) == {None}


async def test_a_skill_keeps_what_its_schema_says(hand: Hand) -> None:
    """PRO-8: merged, too; a skill without a schema keeps any object."""
    assert (await save(hand, "skill_data.lifecoach", habit="走路"))["now"] == {"keys": ["habit"]}
    await save(hand, "skill_data.lifecoach", goal="睡好")
    assert (await hand.fields("skill_data.lifecoach"))["skill_data.lifecoach"] == {"habit": "走路", "goal": "睡好"}


async def test_it_is_saved_with_its_step_or_not_at_all(hand: Hand) -> None:
    """STATE-5; and a refused value does not spoil the step's transaction."""
    tool = hand.tools.get("save_user_data")
    good = hand.state("save_user_data", {"field": "life_context", "value": {"stage": "x"}})
    bad = hand.state("save_user_data", {"field": "life_context", "value": {"stage": 5}})
    with pytest.raises(RuntimeError, match="killed"):
        async with hand.database.transaction(hand.actor) as tx:
            with hand.units.within(tx):
                await tool.run(good)
            raise RuntimeError("killed")
    assert (await hand.fields("life_context"))["life_context"] is None
    async with hand.database.transaction(hand.actor) as tx:
        with hand.units.within(tx):
            with pytest.raises(CallerError):
                await tool.run(bad)
            await tool.run(good)
    assert (await hand.fields("life_context"))["life_context"] == {"stage": "x"}


async def test_only_declared_fields_are_read(hand: Hand) -> None:
    """PRO-7: none without a skill; with one, those that it declares and no others."""
    await save(hand, "birth_info", **BIRTH)
    await save(hand, "life_context", stage="x")
    seen = await hand.call("user_context")
    assert seen["fields"] == {}
    assert seen["user"]["timezone"] == "Asia/Shanghai"
    await hand.run("use_skill", skill="bazi")
    assert (await hand.call("user_context"))["fields"] == {"birth_info": BIRTH, "skill_data.bazi": None}
    await hand.run("use_skill", skill="career")
    assert (await hand.call("user_context"))["fields"] == {"life_context": {"stage": "x"}, "skill_data.career": None}


async def test_nobody_reads_or_writes_the_profile_of_another(hand: Hand, people: People) -> None:
    """SEC-1"""
    other = await hand.of(await people.user(hand.actor.business_id, "bob"))
    await save(hand, "birth_info", **BIRTH)
    await other.run("use_skill", skill="bazi")
    assert (await other.call("user_context"))["fields"]["birth_info"] is None
