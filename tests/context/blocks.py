"""Blocks, models and conversations for the compiler's tests."""

from typing import Any

from weft.context.blocks import Block, Scope, Trust
from weft.context.conversation import Stored
from weft.llm.ports import Abilities, ModelCard
from weft.llm.types import ToolSpec

CARD = ModelCard("deepseek-chat", "deepseek", "chat", 131_072, 8_192, Abilities(cache_unit=64))
SHAPE = {"type": "object", "properties": {"query": {"type": "string"}}}
TOOLS = (ToolSpec("use_skill", "Switch.", SHAPE), ToolSpec("read_file", "Read.", SHAPE))


def card(**abilities: Any) -> ModelCard:
    return ModelCard("deepseek-chat", "deepseek", "chat", 131_072, 8_192, Abilities(**abilities))


def says(name: str, text: str = "", scope: Scope = Scope.GLOBAL, trust: Trust = Trust.OPERATOR) -> Block:
    return Block(name, "test", trust, scope, text or f"Instructions of {name}.")


def data(
    block: str, scope: Scope = Scope.TURN, trust: Trust = Trust.EXTERNAL, *, shrinks: str = "", **values: Any
) -> Block:
    return Block(block, "test", trust, scope, values, title=block.partition("/")[0].upper(), shrinks=shrinks)


def memory(text: str = "- likes tea\n- lives in Kunming") -> Block:
    return data("memory", Scope.USER, Trust.USER, shrinks="text", text=text)


def profile(*, shrinks: str = "", **values: str) -> Block:
    shown, title = values or {"username": "小雨"}, "USER_PROFILE"
    return Block("user_context/profile", "profiles", Trust.USER, Scope.USER, shown, title=title, shrinks=shrinks)


def usual(*more: Block) -> list[Block]:
    """The blocks that no prompt is without, and a stage and the time."""
    return [
        says("policy", trust=Trust.POLICY),
        says("persona"),
        says("user_context/policy", scope=Scope.USER, trust=Trust.POLICY),
        profile(),
        says("stage", scope=Scope.STAGE),
        data("time", now="2026-11-18 09:00"),
        *more,
    ]


def said(number: int, *, words: str = "") -> list[Stored]:
    """A turn of two texts."""
    user = Stored(f"u{number}", "user_input", words or f"question {number}")
    return [user, Stored(f"a{number}", "assistant_output", f"answer {number}")]


def pair(name: str, result: str = "done") -> list[Stored]:
    """A tool call and its result."""
    call = Stored(f"{name}-call", "tool_call", None, name, "read_file", {"query": name})
    return [call, Stored(f"{name}-result", "tool_result", result, name, "read_file")]


def conversation(turns: int) -> list[Stored]:
    """So many whole turns, and the user's next words: those that the same with one turn more begins its last with."""
    return [row for number in range(turns + 1) for row in said(number)][:-1]
