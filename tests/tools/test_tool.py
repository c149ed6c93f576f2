"""What all tools have in common: what a model is told of them, and what it is told when it calls them wrongly."""

from typing import Annotated, Any

import pytest
from pydantic import Field

from tests.tools.conftest import Hand
from weft.llm.tokens import TokenCounter
from weft.tools.builtin import NAMES
from weft.tools.errors import ToolArgumentsError, ToolUnknownError
from weft.tools.tool import Approval, Effect, Kind, ToolInput, lean_schema

MOST_TOKENS = 900
TRANSACTIONAL = {"use_skill", "save_user_data", "compute"}
READS = {"read_file", "list_dir", "search_history", "user_context", "set_goal", "report"}


@pytest.mark.parametrize("model", ["deepseek-chat", "qwen-plus", "gpt-4"])
def test_all_tools_together_are_lean(hand: Hand, model: str) -> None:
    """SKILL-1: they stand in every prompt, so that phase 1 with them stays within 2,000 tokens."""
    message = [{"role": "user", "content": "hello"}]
    counter = TokenCounter()
    cost = counter.count_messages(model, message, hand.tools.specs) - counter.count_messages(model, message)
    assert cost <= MOST_TOKENS


def test_each_tool_says_what_it_is(hand: Hand) -> None:
    """TOOL-1: name, schema, description, kinds, effect, approval."""
    tools = hand.tools.tools
    assert set(tools) == NAMES
    for name, tool in tools.items():
        spec = tool.spec()
        assert spec.name == name
        assert 10 <= len(spec.description) <= 500
        assert spec.parameters["type"] == "object"
        assert tool.kinds
        assert tool.approval is Approval.NEVER
        assert tool.effect is (Effect.READ if name in READS else Effect.WRITE)
        assert tool.transactional is (name in TRANSACTIONAL)


def test_the_output_tool_is_not_told_of(hand: Hand) -> None:
    """STATE-4: `report` is the organization stage; no model calls it."""
    assert hand.tools.get("report").kinds == {Kind.OUTPUT}
    assert {spec.name for spec in hand.tools.specs} == NAMES - {"report"}


async def test_a_model_that_calls_the_output_tool_is_led_on(hand: Hand) -> None:
    """STATE-4"""
    assert await hand.call("report") == {"status": "the answer is worded next"}


def test_schemas_are_made_once(hand: Hand) -> None:
    """SCALE-1: a turn costs no schema, not even that of `use_skill` with its names."""
    for name in ("read_file", "use_skill"):
        assert hand.tools.get(name).spec().parameters is hand.tools.get(name).spec().parameters


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("read_file", {}, "path: Field required"),
        ("read_file", {"path": "a", "line": 0}, "line: Input should be greater than or equal to 1"),
        ("read_file", {"path": "a", "encoding": "x"}, "encoding: Extra inputs are not permitted"),
        ("write_file", {"path": "a"}, "content: Field required"),
        ("edit_file", {"path": "a", "old_text": "", "new_text": "b"}, "old_text: String should have at least 1"),
        ("use_skill", {"skill": "astrology"}, "skill: Input should be 'core', 'bazi'"),
        ("search_history", {}, "give query: a few words"),
        ("search_history", {"query": "x" * 401}, "query: String should have at most 400"),
        ("save_user_data", {"field": "birth_info", "value": "1990"}, "value: Input should be a valid dictionary"),
        ("compute", {"options": []}, "options: Input should be a valid dictionary"),
        ("user_context", {"fields": ["bio"]}, "fields: Extra inputs are not permitted"),
        ("remember", {"fact": 5}, "fact: Input should be a valid string"),
    ],
)
async def test_wrong_arguments_are_told_so_that_a_model_can_mend_them(
    hand: Hand, name: str, arguments: dict[str, Any], said: str
) -> None:
    """TOOL-1: which argument, what is wrong with it, and to call again."""
    with pytest.raises(ToolArgumentsError) as refused:
        await hand.run(name, **arguments)
    assert refused.value.detail.startswith(f"{name}: ")
    assert said in refused.value.detail
    assert "Call it again" in refused.value.detail


def test_a_tool_that_there_is_not_is_told_with_those_that_there_are(hand: Hand) -> None:
    """TOOL-1"""
    with pytest.raises(ToolUnknownError, match=r"no tool 'google'; there are compute, edit_file"):
        hand.tools.get("google")


class _Inner(ToolInput):
    """Prose for people."""

    title: Annotated[str, Field(max_length=3)]
    minimum: int | None = None


class _Outer(ToolInput):
    """Prose for people."""

    default: Annotated[list[_Inner], Field(max_length=2)]
    anyOf: str | None = None  # noqa: N815 - a name that the schema's own keys have too


def test_a_lean_schema_keeps_names_and_shapes() -> None:
    """TOOL-1: whatever the arguments are called; only what is checked and told anyway is left out."""
    assert lean_schema(_Outer) == {
        "type": "object",
        "properties": {"default": {"type": "array", "items": {"$ref": "#/$defs/_Inner"}}, "anyOf": {"type": "string"}},
        "required": ["default"],
        "$defs": {
            "_Inner": {
                "type": "object",
                "description": "Prose for people.",
                "properties": {"title": {"type": "string"}, "minimum": {"type": "integer"}},
                "required": ["title"],
            }
        },
    }
