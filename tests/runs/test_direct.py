"""A turn that is answered at once: one model call, streamed, booked, remembered."""

from tests.turns import House


async def test_a_direct_answer_costs_one_call_and_leaves_two_rows(house: House) -> None:
    """FLOW-2, FLOW-6, LED-4: the intent's words are the answer; a user row and an assistant row are visible."""
    ann = await house.someone()
    house.says("你好！今天想聊些什么？")
    told = await house.turn(ann, "你好")
    assert told.run.status == "completed"
    assert told.text == "你好！今天想聊些什么？"
    assert len(house.asked) == 1
    rows = await house.messages(ann, told.session_id)
    assert [(row.role, row.content) for row in rows] == [("user", "你好"), ("assistant", "你好！今天想聊些什么？")]
    assert rows[1].call_id is not None
    assert rows[1].input_tokens > 0
