"""The compiler: order, stable bytes, where each part stands, and what does not fit."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.context.attacks import ATTACKS
from tests.context.blocks import CARD, TOOLS, card, conversation, data, memory, pair, profile, said, says, usual
from tests.kit.arbitrary import ANY_TEXT
from weft.context.blocks import Block, Scope, Trust
from weft.context.compiling import Compiled, compile_context
from weft.context.conversation import Stored
from weft.context.errors import ContextError, DoesNotFitError
from weft.context.recipes import FILES, PHASE_1, PHASE_2, PROMPT
from weft.context.window import History
from weft.llm.tokens import TokenCounter

COUNTER = TokenCounter()
NOW = [Stored("now", "user_input", "and now?")]
SHOW = "from tests.context.test_compiling import everything; print(everything())"


def compiled(*blocks: Block, rows: list[Stored] | None = None, phase: int = 2, **more: Any) -> Compiled:
    recipe = PHASE_1 if phase == 1 else PHASE_2
    chosen = {"card": CARD, **more}
    return compile_context(recipe, blocks, History(NOW if rows is None else rows), TOOLS, counter=COUNTER, **chosen)


def everything() -> str:
    """The bytes of a prompt with a bit of everything, cuts included."""
    cases = data("cases", shrinks="items", items=[{"text": "长" * 300, "n": at} for at in range(40)])
    made = compiled(*usual(memory("茶\n" * 9000), cases), rows=[*conversation(30), *pair("x", "y" * 9000)])
    return json.dumps([made.messages, made.manifest.as_json(), made.sent.text], default=str)


def test_every_process_writes_the_same_bytes(root: Path) -> None:
    """SKILL-10: whatever Python's hashes are seeded with."""
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": str(root)}
    run = [sys.executable, "-c", SHOW]
    other = subprocess.run(run, env=environment, cwd=root, capture_output=True, text=True, check=True)
    assert other.stdout.strip() == everything()


@given(st.permutations(usual(memory(), data("cases", items=["a"]), says("sop", scope=Scope.SKILL))))
@settings(max_examples=30)
def test_order_of_the_given_does_not_matter(blocks: list[Block]) -> None:
    """SKILL-10: by scope, then by declared position."""
    made = compiled(*blocks)
    assert [entry.id for entry in made.manifest.entries[2:]] == [
        "policy", "persona", "sop", "user_context/policy", "user_context/profile", "memory", "time", "cases", "stage",
        "message/now",
    ]  # fmt: skip


def test_turn_data_stands_before_the_words_of_the_newest_message() -> None:
    """WORK-2, SKILL-10: apart from them, and never in the prefix."""
    made = compiled(*usual(data("cases", items=["a"])), rows=[*said(1), *NOW, *pair("x")])
    roles = [message["role"] for message in made.messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "tool", "system"]
    lines = made.messages[3]["content"].splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "# TIME (JSON, external)",
        "# CASES (JSON, external)",
        "# USER_MESSAGE",
    ]
    assert lines[-1] == "and now?"
    assert made.messages[1]["content"] == "question 1"
    assert "2026-11-18" not in made.messages[0]["content"]


def test_stage_stands_last_or_at_the_end_of_the_system_text() -> None:
    """SAFE-3: what the calls of a turn share comes before what differs."""
    late = compiled(*usual(), rows=[*said(1), *NOW])
    assert late.messages[-1] == {"role": "system", "content": "Instructions of stage."}
    assert "stage" not in late.messages[0]["content"]
    early = compiled(*usual(), rows=[*said(1), *NOW], card=card(late_system_message=False))
    assert early.messages[0]["content"].endswith("\n\nInstructions of stage.")
    assert [message["role"] for message in early.messages] == ["system", "user", "assistant", "user"]


def test_phase_1_has_nothing_of_a_skill_and_half_the_history() -> None:
    """SKILL-1, SKILL-2: whatever a caller hands over."""
    given = usual(
        data("cases", items=["a"]), says("sop", scope=Scope.SKILL), data("profile_fields/birth_info", Scope.USER)
    )
    first, second = (compiled(*given, rows=conversation(30), phase=phase) for phase in (1, 2))
    unwanted = {entry.id for entry in first.manifest.entries if entry.state == "unwanted"}
    assert unwanted == {"cases", "sop", "profile_fields/birth_info"}
    assert 5 <= first.manifest.window[1] <= 10
    assert 10 <= second.manifest.window[1] <= 20


def test_manifest_lists_every_part() -> None:
    """SKILL-10, SKILL-11: source, trust, scope, tokens and hash; the sums agree."""
    made = compiled(*usual(memory()), rows=[*said(1), *NOW, *pair("x")])
    for entry in made.manifest.entries:
        assert entry.source
        assert entry.tokens > 0
        assert len(entry.hash) == 32
    listed = {entry.id: entry for entry in made.manifest.entries}
    assert listed["memory"].trust is Trust.USER
    assert listed["message/x-result"].trust is Trust.EXTERNAL
    assert listed["tool/read_file"].place == "tools"
    assert made.manifest.spent[FILES] == listed["memory"].tokens
    counted = COUNTER.raw_count_messages(CARD.name, made.messages, made.tools)
    assert abs(made.manifest.total - counted) <= 0.03 * counted + 5
    json.dumps(made.manifest.as_json())


@given(st.sampled_from(ATTACKS) | ANY_TEXT)
@settings(max_examples=60)
def test_no_payload_changes_the_structure(payload: str) -> None:
    """SAFE-5: over profile, memory, skill data, cases, recall, file and tool result at once."""
    assert structure(payload) == structure("harmless")


def structure(payload: str) -> list[Any]:
    given = [block for block in usual() if block.id != "user_context/profile"]
    made = compiled(
        *given,
        profile(username=payload, bio=payload),
        memory(payload),
        data("file/SOUL.md", Scope.USER, Trust.USER, name=payload, text=payload),
        data("skill_data", Scope.USER, chart={payload: payload}),
        data("cases", items=[payload]),
        data("recall", items=[{"text": payload}]),
        rows=[Stored("now", "user_input", "hi", files=(payload,)), *pair("x", payload)],
    )
    shape: list[Any] = []
    for message in made.messages:
        lines = (message["content"] or "").splitlines()
        ours = ["{}" if line.startswith("{") else line for line in lines]
        shape.append((message["role"], sorted(message), ours))
    return shape


def test_missing_block_is_named() -> None:
    """SAFE-3: a prompt without its policy is never sent."""
    with pytest.raises(ContextError, match="user_context/profile is missing"):
        compiled(*[block for block in usual() if block.id != "user_context/profile"])


def test_doubled_block_is_named() -> None:
    """SKILL-10"""
    with pytest.raises(ContextError, match="stage was given twice"):
        compiled(*usual(says("stage", scope=Scope.STAGE)))


def test_run_that_no_user_typed_has_its_data_alone() -> None:
    """WORK-3"""
    made = compiled(*usual(), rows=[])
    assert made.messages[1]["content"].splitlines()[0] == "# TIME (JSON, external)"
    assert "USER_MESSAGE" not in made.messages[1]["content"]


def test_small_model_gets_less_history_and_the_manifest_says_so() -> None:
    """SKILL-11, SKILL-2: down to what is guaranteed, then shorter tool results."""
    rows = [row for at in range(10) for row in said(at, words="长" * 200)]
    long = [row for at in range(6) for row in pair(f"t{at}", "12 " * 1300)]
    small = replace(CARD, context_window=10_000, max_output=1_000)
    made = compiled(*usual(), rows=[*rows, *NOW, *long], card=small)
    (cut,) = made.manifest.cuts
    assert cut.id == "history"
    assert "tool results were shortened to 1000" in cut.why
    assert made.manifest.window[1] == 10
    assert made.manifest.total <= 8_000


def test_history_that_cannot_fit_is_a_clear_error() -> None:
    """SKILL-11"""
    rows = [row for at in range(10) for row in said(at, words="长" * 4000)]
    with pytest.raises(DoesNotFitError, match=r"history has \d+ tokens .* budget of deepseek-chat") as raised:
        compiled(*usual(), rows=[*rows, *NOW], card=replace(CARD, context_window=10_000))
    assert raised.value.tokens > raised.value.budget


def test_unchanged_blocks_are_not_rendered_or_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """SKILL-10"""
    given = usual(memory("茶\n" * 5000))
    compiled(*given)
    rendered: list[Any] = []
    monkeypatch.setattr("weft.context.blocks.data_block", lambda *a: rendered.append(a) or "")
    monkeypatch.setattr("weft.llm.tokens._count", lambda text, family: rendered.append(text) or 1)
    compiled(*given)
    assert rendered == []


def test_budget_counts_the_tools() -> None:
    """SKILL-1, SKILL-2"""
    made = compiled(*usual())
    listed = {entry.id: entry.tokens for entry in made.manifest.entries if not entry.id.startswith(("message", "tool"))}
    tools = COUNTER.raw_count_messages(CARD.name, (), TOOLS) - COUNTER.raw_count_messages(CARD.name, ())
    assert made.manifest.spent[PROMPT] == sum(listed.values()) + tools
