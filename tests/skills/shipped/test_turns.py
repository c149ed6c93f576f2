"""Whole turns with the shipped skills: the expert called in, the birth asked for and saved, the chart or draw kept."""

from typing import Any

import pytest

from tests.skills.shipped.full import BORN
from tests.skills.shipped.shipped import EXPERTS, skill
from tests.turns import House, calls
from weft.kit.actor import Actor
from weft.profiles.service import ProfileService


async def profile(house: House, actor: Actor, *fields: str) -> dict[str, Any]:
    """What is stored of a user."""
    async with house.database.transaction(actor) as tx:
        return await ProfileService(tx).load_profile_fields(actor.owner_id, fields)


def system_of(house: House, call: int) -> str:
    """The system text of a call."""
    content: str = house.asked[call]["messages"][0]["content"]
    return content


@pytest.mark.parametrize("name", EXPERTS)
async def test_each_expert_takes_the_turn_on(house: House, name: str) -> None:
    """SKILL-3: two calls; the second is the expert's, with procedure and rules, and the core is gone."""
    ann = await house.someone()
    house.says(calls("use_skill", skill=name), "我在，先说说你的情况。")
    told = await house.turn(ann, "我想请教一下")
    assert told.run.status == "completed", told.run
    assert len(house.asked) == 2
    before, after = system_of(house, 0), system_of(house, 1)
    assert skill("core").body.strip() in before
    assert skill(name).body.strip() not in before
    assert skill(name).body.strip() in after
    assert skill("core").body.strip() not in after
    assert "# Procedure" in after


async def test_a_birth_is_asked_for_saved_and_computed_with(house: House) -> None:
    """SKILL-7: named as missing, saved from the answer, the chart kept, and in the next turn's prompt."""
    ann = await house.someone()
    house.says(calls("use_skill", skill="bazi"), "你是哪一天、几点、在哪里出生的？")
    asked = await house.turn(ann, "帮我看看八字")
    assert "The user has not given `birth_info`" in system_of(house, 1)
    house.says(
        calls("save_user_data", field="birth_info", value=BORN),
        calls("compute", "call_2", options={}),
        "你的日主是壬水。",
    )
    answered = await house.turn(ann, "1990年5月17日早上八点半，成都，女", session_id=asked.session_id)
    assert answered.run.status == "completed", answered.run
    stored = await profile(house, ann, "birth_info", "skill_data.bazi")
    assert stored["birth_info"]["date"] == "1990-05-17"
    if stored["skill_data.bazi"] is None:  # the answer was worded before the chart was asked for
        house.says(calls("compute", "call_3", options={}), "你的日主是壬水。")
        await house.turn(ann, "请排盘", session_id=asked.session_id)
        stored = await profile(house, ann, "birth_info", "skill_data.bazi")
    assert stored["skill_data.bazi"]["chart"]["day_master"] == "壬 (water)"
    house.says("接着说大运。")
    await house.turn(ann, "继续", session_id=asked.session_id)
    last = system_of(house, -1)
    assert "has not given" not in last
    assert "壬午 日主" in last
