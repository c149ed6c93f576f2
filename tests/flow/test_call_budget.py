"""FLOW-2: how many calls a turn makes, whatever it needs, on a vendor that counts them; and each is booked."""

import pytest

from tests.turns import House, calls
from weft.llm.scripted import Answer

NAMES_THE_CALL = Answer(
    '{"route":"NEEDS_EXECUTION","execution_brief":"list the files",'
    '"first_calls":[{"name":"list_dir","arguments":{"path":"."}}]}'
)
BRIEF = Answer('{"route":"NEEDS_EXECUTION","execution_brief":"list the files"}')
LOOK, SEVERAL = calls("list_dir", path="."), (calls("list_dir", "a", path="."), calls("user_context", "b"))
SKILL_AND_DATA = (calls("use_skill", "s", skill="tarot"), calls("compute", "c", type="tarot"))


@pytest.mark.parametrize(
    "script",
    [
        ["Hello."],
        ['{"route":"DIRECT_EXECUTION","assistant_text":"Hello."}'],
        [calls("use_skill", skill="tarot"), "Hello."],
        [SKILL_AND_DATA, "Hello."],
        [LOOK, "Hello."],
        [SEVERAL, "Hello."],
        [NAMES_THE_CALL, "Hello."],
        [BRIEF, LOOK, "Hello."],
    ],
    ids=[
        "direct: 1",
        "direct in JSON: 1",
        "skill and answer: 2",
        "skill, its computation and answer: 2",
        "a tool called by the intent: 2",
        "several tools at once: 2",
        "first_calls: 2",
        "a tool by way of the planner: 3",
    ],
)
async def test_a_turn_makes_no_more_calls_than_it_needs(house: House, script: list[object]) -> None:
    """FLOW-2, LED-7: one for a direct answer, two with a skill or a named tool, three with a planner."""
    ann = await house.someone()
    house.says(*script)  # type: ignore[arg-type]
    told = await house.turn(ann, "hi")
    assert (told.run.status, told.text) == ("completed", "Hello."), told.run
    assert len(house.asked) == len(script) == len(told.of("call_made"))
