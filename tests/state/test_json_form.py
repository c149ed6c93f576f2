"""What is written is read again as it was, and nothing else is read."""

import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given

from tests.state.histories import histories
from weft.state import changes
from weft.state.action import Action, ActionContext, Next
from weft.state.calls import ToolCall
from weft.state.changes import Change, ToolsAsked, TurnBegan
from weft.state.errors import StateInvalidError
from weft.state.files import FileMapping
from weft.state.json_form import load_action, record_action
from weft.state.token_usage import TokenUsage

WHOLE = Action(
    7,
    "tool:read_file",
    "looked for it",
    "found it",
    {"lines": 3},
    ActionContext("text", "the file", True, "analysis", FileMapping("aws", "b/a.md")),
    0.5,
    TokenUsage(10, 5, 15),
    (Next("reflection", call_id="c1"),),
    (TurnBegan("read it"), ToolsAsked((ToolCall("c1", "read_file", {"path": "a.md"}),))),
)


@given(histories(most_turns=2))
def test_actions_are_read_as_they_were_written(actions: list[Action]) -> None:
    """STATE-2: byte for byte on the way there and back, and from what JSONB makes of it."""
    for action in actions:
        recorded = record_action(action)
        assert recorded.value == load_action(recorded.json) == load_action(json.loads(recorded.json)) == action
        assert record_action(recorded.value).json == recorded.json


def test_an_action_is_spelled_as_the_rule_spells_it() -> None:
    """STATE-2: the exact names; what is written with `?` is left out where there is nothing."""
    written = json.loads(record_action(WHOLE).json)
    assert list(written) == (
        "id node preparation summary result context relevance usage next changes".split()  # noqa: SIM905
    )
    assert list(written["usage"]) == ["prompt_tokens", "completion_tokens", "total_tokens"]
    assert written["context"] == {
        "type": "text",
        "content": "the file",
        "important": True,
        "usage_type": "analysis",
        "mapping": {"provider": "aws", "path": "b/a.md"},
    }
    bare = json.loads(record_action(replace(WHOLE, context=ActionContext("text", "x"))).json)
    assert "mapping" not in bare["context"]


def test_every_kind_of_change_has_a_name_of_its_own() -> None:
    """DESIGN 4: a closed union, told apart by `kind`."""
    kinds = get_args(get_args(Change)[0])
    names = [kind.__dataclass_fields__["kind"].default for kind in kinds]
    assert len(set(names)) == len(kinds) == 19
    assert all(getattr(changes, kind.__name__) is kind for kind in kinds)


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("id",), "7", "action.id"),
        (("id",), 0, "action.id"),
        (("node",), "", "action.node"),
        (("relevance",), 1.5, "action.relevance"),
        (("usage", "total_tokens"), 16, "action.usage"),
        (("usage", "prompt_tokens"), True, "action.usage.prompt_tokens"),
        (("context", "type"), "video", "action.context.type"),
        (("context", "usage_type"), "other", "action.context.usage_type"),
        (("context", "mapping", "provider"), "azure", "action.context.mapping.provider"),
        (("next", 0, "node"), None, "action.next[0].node"),
        (("next", 0, "more"), 1, "action.next[0].more"),
        (("changes", 0, "kind"), "turn_ended", "action.changes[0]"),
        (("changes", 1, "calls", 0, "arguments"), [], "action.changes[1].tools_asked.calls[0].arguments"),
        (("changes", 1, "calls", 0, "arguments"), {"a": "\x00"}, "action.changes[1].tools_asked.calls[0].arguments"),
        (("extra",), 1, "action.extra"),
    ],
)
def test_what_is_wrong_is_named_by_its_path(path: tuple[Any, ...], value: Any, field: str) -> None:
    """STATE-2: nothing is coerced, guessed or dropped."""
    written = json.loads(record_action(WHOLE).json)
    inner = written
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(StateInvalidError) as error:
        load_action(written)
    assert error.value.field == field
    assert error.value.detail.startswith(f"{field}: ")


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", "null", b"\xff", {"id": object()}])
def test_what_is_no_action_at_all_is_refused(raw: Any) -> None:
    with pytest.raises(StateInvalidError):
        load_action(raw)


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (replace(WHOLE, result={"a": [{"b": "\ud800"}]}), "action.result.a[0].b: contains half of a surrogate"),
        (replace(WHOLE, changes=(TurnBegan("\udfff"),)), "action.changes[0].prompt: contains half of a surrogate"),
        (replace(WHOLE, relevance=float("nan")), "action.relevance: "),
        (replace(WHOLE, result={"a": "\x00"}), "action.result: a contains a NUL character"),
        (replace(WHOLE, result=2**70), "action.result: value is an integer of more than 64 bits"),
        (replace(WHOLE, result=object()), "action: cannot be written as JSON"),
        (replace(WHOLE, node=3), "action: cannot be written as JSON"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(action: Action, said: str) -> None:
    """STATE-5: a run that is resumed never meets an action it cannot read."""
    with pytest.raises(StateInvalidError) as error:
        record_action(action)
    assert error.value.detail.startswith(said)
