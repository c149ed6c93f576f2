"""Marks and cache keys as they leave for a vendor: from the compiler, through the lane, to the bytes of the request."""

from typing import Any

import pytest

from tests.context.blocks import TOOLS, card, conversation, pair, usual
from weft.context.compiling import Compiled, compile_context
from weft.context.recipes import PHASE_2
from weft.context.window import History
from weft.llm import litellm_lane, openai_compatible
from weft.llm.errors import ModelError
from weft.llm.scripted import Answer, ScriptedVendor
from weft.llm.tokens import TokenCounter
from weft.llm.types import ModelCall

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    # LiteLLM reads pydantic's fields the old way, and declares types that pydantic cannot guard.
    pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning"),
]
MARK = {"type": "ephemeral"}
KEY = "sk-canary-7f3a9b2c4d5e"


@pytest.fixture(autouse=True)
def blocking_is_an_error() -> None:
    """Not here: LiteLLM reads certificates in the event loop when it makes a client."""


def _compiled(turns: int, *, after: Compiled | None = None, rows: Any = ()) -> Compiled:
    chosen = card(prompt_cache_markers=True, late_system_message=False)
    last = {} if after is None else {"last": after.sent, "standing": after.standing}
    history = History([*conversation(turns), *rows])
    return compile_context(PHASE_2, usual(), history, TOOLS, chosen, TokenCounter(), **last)


async def _received(vendor: ScriptedVendor, made: Compiled) -> Any:
    """What Anthropic would be sent; here it is refused, for the scripted vendor does not speak its language."""
    root = vendor.base_url.removesuffix("/v1")
    target = vendor.target("litellm", vendor="anthropic", base_url=root, model="claude-sonnet-4-5", api_key=KEY)
    with pytest.raises(ModelError):
        await litellm_lane.complete(target, ModelCall(made.messages, made.tools, max_output_tokens=100))
    exchange = vendor.log[-1]
    assert exchange.path.partition("?")[0] == "/v1/messages"
    return exchange.json


def _marked(parts: Any) -> list[bool]:
    return [part.get("cache_control") == MARK for part in parts]


async def test_marks_reach_anthropic(vendor: ScriptedVendor) -> None:
    """SKILL-10: on the end of the stable system text, of the history and of the call; never more than four."""
    made = _compiled(2, rows=pair("x"))
    body = await _received(vendor, made)
    assert "".join(part["text"] for part in body["system"]).startswith("Instructions of policy.")
    assert _marked(body["system"]) == [True, False], "the stage stands after the mark"
    assert "Instructions of stage." in body["system"][1]["text"]
    ends = [number for number, message in enumerate(body["messages"]) if any(_marked(message["content"]))]
    assert ends == [3, len(body["messages"]) - 1], "the last answer of the history, the result that ends the call"
    assert str(body).count("cache_control") == 3
    (result,) = body["messages"][-1]["content"]
    assert (result["type"], result["cache_control"]) == ("tool_result", MARK), "on the result, which takes none inside"
    assert "cache_control" not in str(result["content"])


async def test_what_was_marked_comes_again_in_the_next_call(vendor: ScriptedVendor) -> None:
    """SKILL-10: a mark is worth something only if the bytes before it are the same the next time."""
    first = _compiled(2)
    second = _compiled(3, after=first)
    before, now = await _received(vendor, first), await _received(vendor, second)
    assert now["system"] == before["system"]
    assert now["tools"] == before["tools"]

    def plain(message: Any) -> Any:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        return message["role"], [{key: part[key] for key in part if key != "cache_control"} for part in parts]

    shared = [plain(message) for message in before["messages"]]
    assert [plain(message) for message in now["messages"][: len(shared)]] == shared


@pytest.mark.parametrize("lane", [openai_compatible, litellm_lane])
async def test_cache_keys_go_to_those_who_take_them(vendor: ScriptedVendor, lane: Any) -> None:
    """SKILL-10: OpenAI routes calls of one key to where their prefix is cached; others refuse what they do not know."""
    vendor.enqueue(Answer("Hello."), Answer("Hello."), Answer("Hello."))
    call = ModelCall([{"role": "user", "content": "Hi"}], cache_key="conversation-1")
    name = "litellm" if lane is litellm_lane else "openai_compatible"
    await lane.complete(vendor.target(name, vendor="openai"), call)
    await lane.complete(vendor.target(name, vendor="deepseek"), call)
    await lane.complete(vendor.target(name, vendor="openai"), ModelCall(call.messages))
    assert [exchange.json.get("prompt_cache_key") for exchange in vendor.log] == ["conversation-1", None, None]
