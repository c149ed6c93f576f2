"""Blocks: what was written by users and others can be made as data only, and stays data."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.context.attacks import ATTACKS
from tests.context.blocks import data, memory, says
from tests.kit.arbitrary import ANY_TEXT, OBJECTS
from weft.context.blocks import MAY_INSTRUCT, Block, Scope, Trust

LOW = [trust for trust in Trust if trust not in MAY_INSTRUCT]
low_trust = st.sampled_from(LOW)


def values_of(block: Block) -> dict[str, Any]:
    heading, line = block.text.split("\n")
    assert heading == f"# {block.title} (JSON, {block.trust})"
    values: dict[str, Any] = json.loads(line)
    return values


@given(low_trust, st.sampled_from(list(Scope)), ANY_TEXT)
def test_low_trust_can_never_instruct(trust: Trust, scope: Scope, text: str) -> None:
    """SAFE-4: there is no way to make such a block."""
    with pytest.raises(ValueError, match="never an instruction"):
        Block("file/x", "test", trust, scope, text)


@given(st.sampled_from(list(Trust)), st.sampled_from(list(Scope)), OBJECTS)
def test_data_is_a_heading_with_its_label_and_one_line(trust: Trust, scope: Scope, values: dict[str, Any]) -> None:
    """SAFE-4, SAFE-2: whatever the values are."""
    block = Block("cases", "test", trust, scope, values, title="CASES")
    assert values_of(block) == values
    assert len(block.text.splitlines()) == 2


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_no_attack_leaves_its_line(attack: str) -> None:
    """SAFE-5: as a value, as a key, and deep inside."""
    for values in ({"text": attack}, {attack: "x"}, {"items": [{"a": [attack]}]}):
        block = Block("recall", "test", Trust.EXTERNAL, Scope.TURN, values, title="RECALL")
        assert len(block.text.splitlines()) == 2
        assert block.text.startswith("# RECALL (JSON, external)\n{")
        values_of(block)


@given(low_trust, ANY_TEXT)
def test_other_values_keep_the_trust(trust: Trust, text: str) -> None:
    """SAFE-4: shortening and the like go through `having`, which cannot raise it."""
    changed = data("cases", trust=trust, text="x").having(text=text)
    assert changed.trust is trust
    assert changed.text.startswith(f"# CASES (JSON, {trust})\n")


def test_data_is_what_it_was_when_the_block_was_made() -> None:
    """SKILL-10: a later change of the mapping changes neither bytes nor hash."""
    inner = {"b": 1, "a": [1, 2]}
    block = data("cases", items=inner)
    inner["b"] = 2
    assert values_of(block)["items"]["b"] == 1
    with pytest.raises(TypeError):
        block.values["items"]["b"] = 3


def test_inner_keys_have_one_order() -> None:
    """SKILL-10: JSONB and libraries give keys in orders of their own."""
    one, other = (
        data("cases", item={"b": 1, "a": {"d": 1, "c": 2}}),
        data("cases", item={"a": {"c": 2, "d": 1}, "b": 1}),
    )
    assert one == other
    assert one.text == other.text
    assert hash(one) == hash(other)


def test_equal_text_of_another_trust_is_another_block() -> None:
    """SAFE-4"""
    assert says("persona") != says("persona", trust=Trust.POLICY)


@pytest.mark.parametrize("title", ["", "cases", "A B", "A\nB", "A)", "# A"])
def test_title_is_a_word_of_ours(title: str) -> None:
    """SAFE-2: a file's name is a value, never a heading."""
    with pytest.raises(ValueError, match="title"):
        Block("cases", "test", Trust.USER, Scope.TURN, {"a": 1}, title=title)


@pytest.mark.parametrize("name", ["", "a b", "a\nb", "../x\u0000", "长", "x" * 121])
def test_id_is_plain(name: str) -> None:
    """SKILL-11"""
    with pytest.raises(ValueError, match="block id"):
        says(name, "x")


def test_instruction_is_never_part_of_the_users_message() -> None:
    """SAFE-4: what stands there is read as the user's."""
    with pytest.raises(ValueError, match="user's message"):
        says("time", scope=Scope.TURN)


def test_empty_instruction_is_refused() -> None:
    """SKILL-10"""
    with pytest.raises(ValueError, match="empty"):
        says("persona", " \n ")


def test_only_a_text_or_list_shrinks() -> None:
    """SKILL-10"""
    assert memory().shrinks == "text"
    with pytest.raises(ValueError, match="no text or list"):
        data("cases", shrinks="items", items=5)


def test_profile_heading_is_the_one_that_its_policy_names() -> None:
    """SAFE-1: and nobody else can have a heading without a label."""
    ours = Block("user_context/profile", "profiles", Trust.USER, Scope.USER, {"username": "x"}, title="USER_PROFILE")
    assert ours.text == '# USER_PROFILE (JSON)\n{"username":"x"}'
    other = Block("file/x", "x", Trust.EXTERNAL, Scope.USER, {"username": "x"}, title="USER_PROFILE")
    assert other.text.startswith("# USER_PROFILE (JSON, external)\n")
