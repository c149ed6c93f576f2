"""A model call is written as the vendor expects it, and nothing in it is changed."""

from types import MappingProxyType

import orjson
import pytest

from weft.kit.errors import InvalidError
from weft.llm.request import request_body
from weft.llm.types import ModelCall, Target, ToolSpec

TARGET = Target("deepseek", "deepseek-chat", "http://127.0.0.1/v1", "openai_compatible", "sk-canary-123456")
HI = [{"role": "user", "content": "Hi 你好"}]
TOOL = ToolSpec("search", "Finds things.", {"type": "object", "properties": {}})


def body(call: ModelCall, target: Target = TARGET, *, stream: bool = True) -> dict[str, object]:
    parsed: dict[str, object] = orjson.loads(request_body(target, call, stream=stream))
    return parsed


def test_a_plain_call_says_no_more_than_it_must() -> None:
    """INFRA-3: an option that was not asked for is not sent: vendors differ in their defaults."""
    assert body(ModelCall(HI), stream=False) == {"model": "deepseek-chat", "messages": HI}


def test_a_stream_asks_for_its_usage() -> None:
    """LED-7: without this most vendors report nothing in a stream."""
    sent = body(ModelCall(HI))
    assert sent["stream"] is True
    assert sent["stream_options"] == {"include_usage": True}


def test_messages_are_sent_byte_for_byte_in_their_order() -> None:
    """SKILL-10: the same messages give the same bytes, so that the vendor's prompt cache pays."""
    message = {"role": "user", "zebra": 1, "content": "你好", "apple": [1.0, None]}
    first = request_body(TARGET, ModelCall([MappingProxyType(message)]), stream=True)
    assert first == request_body(TARGET, ModelCall([message]), stream=True)
    assert orjson.dumps(message) in first


def test_every_option_has_its_place() -> None:
    """INFRA-3: tools, choice, temperature, limit, format and what only this vendor knows."""
    sent = body(
        ModelCall(
            HI,
            tools=(TOOL,),
            tool_choice="required",
            temperature=0.0,
            max_output_tokens=50,
            response_format={"type": "json_object"},
            extra={"enable_thinking": False},
        )
    )
    assert sent["tools"] == [
        {
            "type": "function",
            "function": {"name": "search", "description": "Finds things.", "parameters": TOOL.parameters},
        }
    ]
    assert sent["tool_choice"] == "required"
    assert (sent["temperature"], sent["max_tokens"]) == (0.0, 50)
    assert sent["response_format"] == {"type": "json_object"}
    assert sent["enable_thinking"] is False


def test_a_choice_by_name_is_an_object() -> None:
    """INFRA-3: the protocol wants the name wrapped; without tools there is no choice at all."""
    wrapped = {"type": "function", "function": {"name": "search"}}
    assert body(ModelCall(HI, tools=(TOOL,), tool_choice="search"))["tool_choice"] == wrapped
    assert "tool_choice" not in body(ModelCall(HI, tool_choice="search"))


def test_openai_knows_the_output_limit_by_its_newer_name() -> None:
    """INFRA-3: its reasoning models refuse the older one, the other vendors do not know the newer."""
    openai = Target("openai", "gpt", "http://127.0.0.1/v1", "openai_compatible")
    assert body(ModelCall(HI, max_output_tokens=5), openai)["max_completion_tokens"] == 5


def test_extra_cannot_change_what_the_call_is() -> None:
    """LED-7: the model that is booked is the model that is called."""
    sent = body(ModelCall(HI, extra={"model": "other", "messages": [], "stream": False}))
    assert (sent["model"], sent["messages"], sent["stream"]) == ("deepseek-chat", HI, True)


def test_text_that_is_no_unicode_is_refused_before_it_is_sent() -> None:
    """INFRA-2: half a surrogate pair has no UTF-8."""
    with pytest.raises(InvalidError) as caught:
        request_body(TARGET, ModelCall([{"role": "user", "content": "\ud83d"}]), stream=True)
    assert caught.value.field == "messages"


def test_a_target_does_not_show_its_key() -> None:
    """SEC-3: neither in its repr nor in the body of a request."""
    assert "canary" not in repr(TARGET)
    assert b"canary" not in request_body(TARGET, ModelCall(HI), stream=True)
