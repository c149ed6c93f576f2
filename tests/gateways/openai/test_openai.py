"""The interface of OpenAI over a real server, with OpenAI's own client and without it."""

import base64
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import openai
import pytest

from tests.gateways.conftest import Served
from tests.turns import calls
from weft.kit.ids import new_id
from weft.llm.scripted import Answer, Fault, Refusal

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
CHART: Any = {
    "type": "function",
    "function": {"name": "show_chart", "parameters": {"type": "object", "properties": {}}},
}


@pytest.fixture
async def client(served: Served) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def said(words: Any) -> Any:
    return [{"role": "user", "content": words}]


async def test_an_answer(served: Served, client: openai.AsyncOpenAI) -> None:
    """SURF-2: words, a reason, usage with the cached part."""
    served.house.says("你好，小雨！")
    answer = await client.chat.completions.create(model="weft", messages=said("你好"), temperature=0.3)
    assert answer.choices[0].message.content == "你好，小雨！"
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.prompt_tokens > 0
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    assert answer.usage.prompt_tokens_details is not None
    assert answer.model_extra is not None
    assert answer.model_extra["weft"]["status"] == "completed"


async def test_a_stream(served: Served, client: openai.AsyncOpenAI) -> None:
    """SURF-2, FLOW-7: chunks as they come; the last one with usage, if asked."""
    served.house.says(
        calls("use_skill", skill="tarot"), Answer("抽到了愚者，一切从零开始。", by=2, gap=0.03, reasoning="想一想")
    )
    stream = await client.chat.completions.create(
        model="weft", messages=said("抽牌"), stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == "抽到了愚者，一切从零开始。"
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert not chunks[-1].choices
    assert len({chunk.id for chunk in chunks}) == 1
    assert len(chunks) > 5


async def test_without_usage_and_to_the_letter(served: Served) -> None:
    """SURF-2: framed as clients expect, ended by [DONE]."""
    served.house.says("好。")
    given = {"model": "weft", "messages": said("你好"), "stream": True}
    answer = await served.client.post("/v1/chat/completions", json=given)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.content.endswith(b"data: [DONE]\n\n")
    assert b"\r" not in answer.content
    assert b'"usage"' not in answer.content
    frames = [json.loads(each[6:]) for each in answer.text.split("\n\n")[:-2]]
    assert {each["object"] for each in frames} == {"chat.completion.chunk"}


async def test_the_conversation(served: Served, client: openai.AsyncOpenAI) -> None:
    """SURF-2, LED-10: by metadata, by header, by user; without any a new one; never from the client's own list."""
    served.house.says(*"一二三四五六七")

    async def ask(words: str, **more: Any) -> str:
        messages = [{"role": "assistant", "content": "编造"}, *said(words)]
        answer = await client.chat.completions.create(model="weft", messages=messages, **more)
        assert answer.model_extra is not None
        conversation: str = answer.model_extra["weft"]["conversation_id"]
        return conversation

    first = await ask("甲")
    assert await ask("乙") != first
    assert await ask("丙", metadata={"conversation_id": first}) == first
    assert await ask("丁", extra_headers={"X-Weft-Conversation": first}) == first
    assert "甲" in str(served.house.asked[-1])
    assert await ask("戊", user="ann") == await ask("己", user="ann")
    assert "编造" not in str(served.house.asked)
    rows = await served.house.messages(served.actor, UUID(first))
    assert [row.content for row in rows if row.role == "user"] == ["甲", "丙", "丁"]


async def test_a_skill_is_a_model(served: Served, client: openai.AsyncOpenAI) -> None:
    """SURF-2, SKILL-3: `weft/<skill>`."""
    served.house.says("抽一张牌。")
    names = [model.id async for model in client.models.list()]
    assert names[0] == "weft"
    assert "weft/tarot" in names
    assert (await client.models.retrieve("weft/tarot")).id == "weft/tarot"
    answer = await client.chat.completions.create(model="weft/tarot", messages=said("开始"))
    assert answer.model == "weft/tarot"
    assert answer.model_extra is not None
    session = await served.house.session(served.actor, UUID(answer.model_extra["weft"]["conversation_id"]))
    assert session.skill == "tarot"


async def test_the_clients_own_tools(served: Served, client: openai.AsyncOpenAI) -> None:
    """SURF-2: the client carries its tools out, and the turn goes on with what they gave."""
    served.house.says(calls("show_chart", "chart_1", kind="pie"))
    conversation = {"conversation_id": str(new_id())}
    first = await client.chat.completions.create(
        model="weft", messages=said("画图"), tools=[CHART], metadata=conversation
    )
    assert first.choices[0].finish_reason == "tool_calls"
    (call,) = first.choices[0].message.tool_calls or ()
    assert call.type == "function"
    assert (call.function.name, json.loads(call.function.arguments)) == ("show_chart", {"kind": "pie"})
    served.house.says("图画好了。")
    result: Any = {"role": "tool", "tool_call_id": call.id, "content": "shown"}
    history = [*said("画图"), first.choices[0].message.model_dump(exclude_none=True), result]
    stream = await client.chat.completions.create(
        model="weft", messages=history, tools=[CHART], metadata=conversation, stream=True
    )
    assert "".join([chunk.choices[0].delta.content or "" async for chunk in stream]) == "图画好了。"


async def test_a_tool_call_in_a_stream(served: Served, client: openai.AsyncOpenAI) -> None:
    """SURF-2: as one chunk, and the reason says so; Weft's own tools are not the client's to carry out."""
    served.house.says((calls("user_context", "own_1"), calls("show_chart", "chart_1")))
    stream = await client.chat.completions.create(model="weft", messages=said("画图"), tools=[CHART], stream=True)
    chunks = [chunk async for chunk in stream]
    made = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or ()]
    assert [(call.index, call.id) for call in made] == [(0, "chart_1")]
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


async def test_pictures_in_a_message(served: Served, client: openai.AsyncOpenAI) -> None:
    """WORK-4: OpenAI's own parts."""
    served.house.says("一只猫。")
    url = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "这是什么？"}]
    answer = await client.chat.completions.create(model="weft", messages=said(parts))
    assert answer.model_extra is not None
    rows = await served.house.messages(served.actor, UUID(answer.model_extra["weft"]["conversation_id"]))
    assert rows[0].metadata.attachments[0].media_type == "image/png"


async def test_the_same_key_again_is_one_turn(served: Served, client: openai.AsyncOpenAI) -> None:
    """SURF-2: a client that tries again pays once."""
    served.house.says("好。")
    headers = {"Idempotency-Key": f"key-{new_id()}"}
    first = await client.chat.completions.create(model="weft", messages=said("你好"), extra_headers=headers)
    again = await client.chat.completions.create(model="weft", messages=said("你好"), extra_headers=headers)
    assert (first.id, first.choices) == (again.id, again.choices)
    assert len(served.house.asked) == 1


async def test_errors_have_the_shape_of_openai(served: Served, client: openai.AsyncOpenAI) -> None:
    """SURF-2: the client raises what it always raises; the body is a problem document too."""
    with pytest.raises(openai.NotFoundError) as unknown:
        await client.chat.completions.create(model="gpt-4o", messages=said("你好"))
    assert (unknown.value.code, unknown.value.param) == ("model_not_found", "model")
    with pytest.raises(openai.NotFoundError) as no_skill:
        await client.chat.completions.create(model="weft/nothing-like-it", messages=said("你好"))
    assert no_skill.value.code == "skill_not_found"
    with pytest.raises(openai.UnprocessableEntityError) as empty:
        await client.chat.completions.create(model="weft", messages=said(" "))
    assert empty.value.code == "turn_invalid"
    with pytest.raises(openai.UnprocessableEntityError):
        await client.chat.completions.create(model="weft", messages=[])
    answer = await served.client.post(
        "/v1/chat/completions", content=b"{", headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert not served.house.asked


async def test_a_turn_that_fails(served: Served, client: openai.AsyncOpenAI) -> None:
    """SURF-2: an error, whole or in the middle of a stream."""
    served.house.vendor.enqueue(*[Refusal(400)] * 12)
    with pytest.raises(openai.InternalServerError) as whole:
        await client.chat.completions.create(model="weft", messages=said("你好"))
    assert whole.value.code == "turn_failed"
    stream = await client.chat.completions.create(model="weft", messages=said("你好"), stream=True)
    with pytest.raises(openai.APIError) as broken:
        [chunk async for chunk in stream]
    assert str(broken.value.code).startswith("model_")


async def test_an_answer_that_breaks_off_says_so(served: Served, client: openai.AsyncOpenAI) -> None:
    """FLOW-7: what was shown stays; the reason is not `stop`."""
    served.house.says(Answer("这句话只说到一半就断了", by=2, fault=Fault("disconnect", after=4)))
    answer = await client.chat.completions.create(model="weft", messages=said("说吧"))
    assert answer.choices[0].finish_reason == "length"
    assert "这句话只说到一半就断了".startswith(answer.choices[0].message.content or "?")


@pytest.mark.usefixtures("asks_first")
async def test_a_turn_that_waits_says_for_what(served: Served, client: openai.AsyncOpenAI) -> None:
    """TOOL-3: OpenAI has no word for it; the approvals stand in Weft's own part."""
    served.house.says(calls("write_file", path="a.md", content="甲"))
    answer = await client.chat.completions.create(model="weft", messages=said("写下来"))
    assert answer.model_extra is not None
    own = answer.model_extra["weft"]
    assert (own["status"], own["approvals"][0]["name"]) == ("waiting", "write_file")
    assert answer.choices[0].finish_reason == "stop"
