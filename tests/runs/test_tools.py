"""Turns that use tools: few calls, nothing twice, everything kept."""

from tests.turns import House, calls
from weft.llm.scripted import Answer


async def test_a_turn_with_one_tool_makes_two_calls(house: House) -> None:
    """FLOW-2, STATE-4: the intent names the call, the tool runs, the answer is worded from what it gave."""
    ann = await house.someone()
    house.says(calls("write_file", path="notes.md", content="买牛奶"), "记下了：买牛奶。")
    told = await house.turn(ann, "记一下：买牛奶")
    assert told.run.status == "completed", told.run
    assert told.text == "记下了：买牛奶。"
    assert len(house.asked) == 2
    (ended,) = told.of("tool_ended")
    assert ended.status == "succeeded"
    rows = await house.messages(ann, told.session_id)
    assert [row.metadata.type for row in rows] == ["user_input", "tool_call", "tool_result", "assistant_output"]
    assert [row.call_id is not None for row in rows] == [False, True, False, True]


async def test_taking_on_a_skill_and_answering_makes_two_calls(house: House) -> None:
    """SKILL-3, SKILL-4: activated in the same turn, prompt rebuilt in place, remembered by the session."""
    ann = await house.someone()
    house.says(calls("use_skill", skill="tarot"), "我们来抽一张牌。")
    told = await house.turn(ann, "帮我算一卦塔罗")
    assert told.run.status == "completed", told.run
    assert len(house.asked) == 2
    assert [event.skill for event in told.of("skill_changed")] == ["tarot"]
    first, second = (request["messages"][0]["content"] for request in house.asked)
    assert first != second
    assert (await house.session(ann, told.session_id)).skill == "tarot"
    house.says("好的。")
    again = await house.turn(ann, "继续", session_id=told.session_id)
    assert again.run.status == "completed"
    assert house.asked[2]["messages"][0]["content"] == second


async def test_independent_reads_run_side_by_side(house: House) -> None:
    """STATE-4: several calls of one answer; each has its result, in the order they were asked for."""
    ann = await house.someone()
    house.says(
        (calls("list_dir", "a", path="."), calls("user_context", "b"), calls("read_file", "c", path="none.md")),
        Answer('{"verdict":"done","why":"two of three are enough"}'),
        "我看过了。",
    )
    told = await house.turn(ann, "看看我的文件")
    assert told.run.status == "completed", told.run
    ended = told.of("tool_ended")
    assert [(each.call_id, each.status) for each in ended] == [("a", "succeeded"), ("b", "succeeded"), ("c", "failed")]
    assert "none.md" in ended[2].content
