"""Whole turns against a vendor over real HTTP: what it received is what is shown, what it reports what was expected."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import text

from tests.turns import House, calls
from weft.calls.context_schemas import ContextView
from weft.calls.contexts import ContextService
from weft.calls.schemas import CallFilter, CallLine
from weft.calls.service import CallService
from weft.kit.actor import Actor
from weft.llm.scripted import Answer, Refusal


async def _calls(house: House, actor: Actor, session_id: UUID) -> list[CallLine]:
    """Oldest first."""
    async with house.database.transaction(actor) as tx:
        return (await CallService(tx).recent(CallFilter(session_id=session_id), None, 100))[::-1]


async def _views(house: House, actor: Actor, session_id: UUID) -> list[ContextView]:
    made = await _calls(house, actor, session_id)
    async with house.database.transaction(actor) as tx:
        return [await ContextService(tx).view(call.id) for call in made]


def _bytes(messages: Sequence[Any]) -> list[bytes]:
    return [orjson.dumps(message) for message in messages]


async def test_what_is_shown_is_what_the_vendor_received(house: House) -> None:
    """SKILL-11: byte for byte; tool calls, results, a skill taken on and the schema of a structured answer among it."""
    ann = await house.someone()
    house.says(
        calls("use_skill", skill="tarot"),
        "“Quotes” \\ and\nlines.",
        (calls("list_dir", "a", path="."), calls("read_file", "b", path="none.md")),
        Answer('{"verdict":"done","why":"it is enough"}'),
        "我看过了。",
    )
    first = await house.turn(ann, "帮我算一卦塔罗")
    await house.turn(ann, "看看我的文件", session_id=first.session_id)
    views = await _views(house, ann, first.session_id)
    assert len(views) == len(house.asked) == 5
    assert any("JSON schema" in str(asked["messages"][-1]["content"]) for asked in house.asked)
    for view, asked in zip(views, house.asked, strict=True):
        assert _bytes(view.messages) == _bytes(asked["messages"])
        assert view.tools == [tool["function"] for tool in asked.get("tools", [])]


async def test_each_try_has_what_it_was_sent(house: House) -> None:
    """SKILL-11: a vendor that had to be asked again was sent the same; the texts are stored once all the same."""
    ann = await house.someone()
    house.says("你好！")
    told = await house.turn(ann, "你好")
    house.vendor.enqueue(Refusal(500), Answer("好。"))
    await house.turn(ann, "再说一次", session_id=told.session_id)
    views = await _views(house, ann, told.session_id)
    assert [view.call.outcome for view in views[1:]] == ["failed", "succeeded"]
    assert views[1].messages == views[2].messages
    async with house.database.transaction(ann) as tx:
        counts = "SELECT count(*), count(DISTINCT text), count(DISTINCT hash) FROM ai_call_texts"
        assert len(set((await tx.connection.execute(text(counts))).one())) == 1


async def test_the_report_agrees_with_what_was_expected(house: House) -> None:
    """SKILL-11: over a conversation with tool calls, and a skill switch, nothing warmed up."""
    ann = await house.someone()
    house.says(calls("write_file", "note", path="notes.md", content="买牛奶 " * 40), "记下了。")
    told = await house.turn(ann, "记一下：买牛奶")
    for number in range(8):
        if number == 3:
            house.says(calls("use_skill", "switch", skill="tarot"))
        house.says("好的，我记住了，还有什么想聊的吗？")
        await house.turn(ann, f"第 {number} 个问题：今天怎么样？", session_id=told.session_id)
    views = await _views(house, ann, told.session_id)
    expected = sum(view.cache.expected_tokens for view in views)
    reported = sum(view.cache.reported_tokens or 0 for view in views)
    assert expected > 0
    ours = expected / sum(view.total for view in views)
    theirs = reported / sum(view.call.input_tokens for view in views)
    assert abs(ours - theirs) < 0.03, (ours, theirs)
    assert [view.cache.why for view in views if view.cache.collapsed] == ["skill"]
    assert not [alarm.detail for view in views for alarm in view.cache.alarms]
