"""The expected cache hit, the block to blame, and the marks for vendors that want them."""

import os
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.context.blocks import TOOLS, card, conversation, data, memory, pair, says, usual
from weft.context.blocks import Block, Scope
from weft.context.compiling import Compiled, compile_context
from weft.context.conversation import Stored
from weft.context.manifest import Expectation
from weft.context.prefix import Segment, Sent, as_json, expectation
from weft.context.recipes import PHASE_2
from weft.context.window import History
from weft.llm.tokens import TokenCounter

COUNTER = TokenCounter()
LONG = says("guidelines", "Read before you change. " * 60)
FEW = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=8)


def compiled(*blocks: Block, rows: list[Stored], last: Compiled | None = None, **abilities: Any) -> Compiled:
    chosen = card(**{"cache_unit": 1, **abilities})
    sent, standing = (last.sent, last.standing) if last else (None, None)
    return compile_context(PHASE_2, blocks, History(rows), TOOLS, chosen, COUNTER, last=sent, standing=standing)


def test_first_call_expects_nothing() -> None:
    """SKILL-11"""
    assert compiled(*usual(), rows=conversation(1)).manifest.expected.tokens == 0


def test_same_call_again_is_expected_whole() -> None:
    """SKILL-11"""
    first = compiled(*usual(), rows=conversation(3))
    again = compiled(*usual(), rows=conversation(3), last=first).manifest.expected
    assert again.tokens == again.total
    assert again.changed == ""
    assert not again.collapsed


def test_next_turn_expects_all_before_the_last_ones_data() -> None:
    """SKILL-10: the new turn's words and data are new, and blame nobody."""
    first = compiled(*usual(LONG), rows=conversation(3))
    expected = compiled(*usual(LONG), rows=conversation(4), last=first).manifest.expected
    stable = sum(segment.tokens for segment in first.sent.segments if segment.stable)
    assert stable <= expected.tokens < expected.total
    assert not expected.collapsed


def test_next_stage_and_next_tool_result_share_everything_before_the_stage() -> None:
    """SKILL-10, SAFE-3"""
    rows = conversation(3)
    first = compiled(*usual(LONG), rows=rows)
    other = [block for block in usual(LONG) if block.id != "stage"]
    second = compiled(*other, says("stage", "Do it.", Scope.STAGE), rows=[*rows, *pair("x")], last=first)
    before_stage = sum(segment.tokens for segment in first.sent.segments if not segment.name.startswith("stage"))
    assert second.manifest.expected.tokens >= before_stage
    assert not second.manifest.expected.collapsed


def test_collapsed_prefix_names_the_block() -> None:
    """SKILL-10, SKILL-11: what it costs, too."""
    first = compiled(*usual(LONG, memory()), rows=conversation(3))
    changed = compiled(*usual(says("guidelines", "Short."), memory()), rows=conversation(3), last=first)
    expected = changed.manifest.expected
    assert expected.collapsed
    assert expected.changed == "guidelines"
    assert expected.lost > 300


def test_block_that_went_and_block_that_came_are_named() -> None:
    """SKILL-11"""
    with_file, without = (
        compiled(*usual(*more), rows=conversation(2)) for more in ((data("file/A", Scope.USER, text="x"),), ())
    )
    gone = expectation(without.sent, with_file.sent, 1)
    came = expectation(with_file.sent, without.sent, 1)
    assert gone.changed == came.changed == "file/A"


@given(FEW, FEW, st.integers(1, 8))
def test_common_prefix_is_that_of_the_bytes(one: list[str], other: list[str], unit: int) -> None:
    """SKILL-10: with a token a character, however the two are cut into segments of their own names."""
    now, last = (
        Sent(tuple(Segment(text, text + ".", len(text) + 1, True) for text in texts)) for texts in (one, other)
    )
    found = expectation(now, last, unit).tokens
    common = len(os.path.commonprefix([now.text, last.text]))  # noqa: RUF071
    assert found % unit == 0
    assert found <= common
    assert found > common - unit


@given(st.integers(0, 12), st.booleans())
@settings(max_examples=20, deadline=None)
def test_segments_are_the_bytes_of_the_call(turns: int, late: bool) -> None:
    """SKILL-10: tools, then messages, nothing left out."""
    made = compiled(*usual(memory("“引号” \\ \n\t")), rows=conversation(turns), late_system_message=late)
    tools = "".join(
        as_json({"name": tool.name, "description": tool.description, "parameters": tool.parameters})
        for tool in made.tools
    )
    assert made.sent.text == tools + "".join("\n" + as_json(message) for message in made.messages)


def test_report_far_below_the_expectation_is_an_alarm() -> None:
    """SKILL-11: and one that lost a block or two is not."""
    expected = Expectation(6400, 8000, unit=64)
    assert expected.fell_short(0)
    assert not expected.fell_short(6336)
    assert not Expectation(128, 500, unit=64).fell_short(0)


def test_marks_stand_at_the_end_of_the_prefix_of_the_history_and_of_the_call() -> None:
    """SKILL-10: at most the four that Anthropic takes; the words stay the same."""
    rows = [*conversation(2), *pair("x")]
    plain = compiled(*usual(), rows=rows, late_system_message=False)
    made = compiled(*usual(), rows=rows, prompt_cache_markers=True, late_system_message=False)
    prefix, stage = made.messages[0]["content"]
    assert prefix["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in stage
    assert prefix["text"] + stage["text"] == plain.messages[0]["content"]
    marks = [at for at, message in enumerate(made.messages) if "cache_control" in as_json(message)]
    assert marks == [0, 4, len(made.messages) - 1]
    assert made.sent == plain.sent
