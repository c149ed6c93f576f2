"""The data of a turn stays where it was sent for as long as the prefix stands, and is not said twice."""

import json
from typing import Any

import pytest

from tests.context.blocks import CARD, TOOLS, card, conversation, data, memory, pair, said, says, usual
from weft.context.blocks import Block, Scope
from weft.context.compiling import Compiled, compile_context
from weft.context.conversation import Stored
from weft.context.recipes import PHASE_2, PROMPT
from weft.context.revisions import Standing
from weft.context.window import History
from weft.llm.ports import ModelCard
from weft.llm.tokens import TokenCounter

COUNTER = TokenCounter()
LONG = says("guidelines", "Read before you change. " * 60)


def compiled(
    *blocks: Block, rows: list[Stored], after: Compiled | None = None, model: ModelCard = CARD, time: str = "09:00"
) -> Compiled:
    given = [block for block in usual(LONG, *blocks) if block.id != "time"]
    now = data("time", now=time)
    last, standing = (after.sent, after.standing) if after else (None, None)
    history = History(rows)
    return compile_context(PHASE_2, [*given, now], history, TOOLS, model, COUNTER, last=last, standing=standing)


def cases(*titles: str, matched: str = "", size: int = 1) -> Block:
    items = [{"title": title, "advice": f"Advice of {title}. " * size, "matched": [matched]} for title in titles]
    return data("cases", shrinks="items", items=items)


def shown(made: Compiled, heading: str, message: int = -2) -> Any:
    lines = str(made.messages[message]["content"]).splitlines()
    found = [at for at, line in enumerate(lines) if line.startswith(f"# {heading} (JSON")]
    return json.loads(lines[found[0] + 1]) if found else None


@pytest.mark.parametrize("model", [CARD, card(cache_unit=64, late_system_message=False)])
def test_next_turn_begins_with_all_that_this_one_was_sent(model: ModelCard) -> None:
    """SKILL-10: words, data, tool results; only what a stage adds is gone."""
    tool = pair("x", "a result " * 50)
    first = compiled(cases("one"), rows=[*conversation(2), *tool], model=model)
    rows = [*conversation(2), *tool, said(2)[1], *said(3)[:1]]
    second = compiled(cases("two"), rows=rows, after=first, time="09:07", model=model)
    turn = [message for message in first.messages[1:] if message["role"] != "system"]
    assert second.messages[1 : 1 + len(turn)] == turn
    assert not second.manifest.expected.collapsed


def test_case_that_stands_above_is_pointed_at() -> None:
    """SKILL-6: whatever words called it this time; it is neither paid for twice nor counted twice."""
    first = compiled(cases("one", "two", matched="offer"), rows=conversation(2))
    second = compiled(cases("two", "three", matched="pay"), rows=conversation(3), after=first)
    assert [case["title"] for case in shown(second, "CASES")["items"]] == ["three"]
    assert shown(second, "CASES")["shown_above"] == ["two"]
    third = compiled(cases("two", "three"), rows=conversation(4), after=second)
    assert shown(third, "CASES") == {"items": [], "shown_above": ["two", "three"]}
    assert third.manifest.spent[PROMPT] > COUNTER.raw_count(CARD.name, cases("one", "two", "three").text)


def test_everything_is_said_again_once_the_prefix_is_written_anew() -> None:
    """SKILL-10: a skill switch takes the data of earlier turns with it, and the history back to what is guaranteed."""
    first = compiled(cases("one"), rows=conversation(9))
    second = compiled(cases("one"), says("sop", scope=Scope.SKILL), rows=conversation(10), after=first)
    assert [case["title"] for case in shown(second, "CASES")["items"]] == ["one"]
    assert second.manifest.window == (10, 10)
    assert [message["content"] for message in second.messages[1:3]] == ["question 5", "answer 5"]


def test_cases_give_way_together_when_they_fill_the_budget() -> None:
    """SKILL-2: at most 8,000 tokens, cases included wherever they stand; the matched ones are never the ones to go."""
    made: Compiled | None = None
    rewritten = 0
    for turn in range(24):
        before = made
        made = compiled(cases(f"case {turn}", size=180), rows=conversation(turn), after=before)
        assert made.manifest.spent[PROMPT] <= 8_000
        assert shown(made, "CASES")["items"], "what was matched now is shown"
        assert made.manifest.window[1] <= 20
        rewritten += before is not None and before.standing.start != made.standing.start
    assert rewritten <= 6


def test_what_changes_within_a_turn_stands_late() -> None:
    """SKILL-10, WORK-2: a turn that was paused for an hour, and a memory that it wrote itself."""
    old, new = memory("- tea\n" * 40), memory("- tea\n" * 40 + "- Dali\n")
    first = compiled(old, rows=conversation(2))
    again = compiled(new, rows=[*conversation(2), *pair("x")], after=first, time="10:00")
    assert again.messages[: len(first.messages) - 1] == first.messages[:-1]
    assert shown(again, "TIME", -1) == {"now": "10:00"}
    assert shown(again, "CHANGED_SINCE", -1)["added"] == ["- Dali"]
    later = compiled(new, rows=[*conversation(2), *pair("x"), said(2)[1], *said(3)[:1]], after=again, time="10:05")
    assert shown(later, "CHANGED_SINCE")["added"] == ["- Dali"]
    told = compiled(new, rows=conversation(4), after=later, time="10:09")
    assert shown(told, "CHANGED_SINCE") is None, "it stands above already"


def test_change_that_was_told_and_taken_back_is_not_left_standing() -> None:
    """SKILL-10, WORK-1"""
    old, new = memory("- tea\n" * 40), memory("- tea\n" * 40 + "- Dali\n")
    made = compiled(old, rows=conversation(2))
    made = compiled(new, rows=conversation(3), after=made)
    made = compiled(old, rows=conversation(4), after=made)
    assert "Dali" not in json.dumps(made.messages)


def test_what_was_recalled_is_of_one_call_alone() -> None:
    """WORK-6: what the user deletes is not shown once more for the price's sake."""
    first = compiled(data("recall", items=["loves Dali"]), rows=conversation(2))
    assert shown(first, "RECALL", -1) == {"items": ["loves Dali"]}
    second = compiled(rows=conversation(3), after=first)
    assert "Dali" not in json.dumps(second.messages)
    assert second.messages[: len(first.messages) - 1] == first.messages[:-1]


def test_conversation_goes_on_the_same_after_a_restart() -> None:
    """SKILL-10: through JSONB, which gives keys back in another order."""
    first = compiled(cases("one", "two"), memory(), rows=conversation(3))
    again = Standing.load(json.loads(json.dumps(first.standing.dump(), sort_keys=True)))
    assert again == first.standing
    assert again.turns.keys() == {"u3"}


def test_data_of_earlier_turns_is_listed() -> None:
    """SKILL-11: each block with its source and trust, the words with what is left."""
    first = compiled(cases("one"), rows=conversation(1))
    second = compiled(rows=conversation(2), after=first)
    listed = {entry.id: entry for entry in second.manifest.entries}
    assert listed["message/u1/cases"].trust is data("cases").trust
    assert listed["message/u1/cases"].place == "history"
    assert listed["message/u1"].tokens < listed["message/u1/cases"].tokens


def test_result_that_was_answered_is_shortened_once_the_prefix_is_written_anew() -> None:
    """SKILL-11: with a pointer to the whole; while the prefix stands, not a byte of it changes."""
    rows = [*said(0)[:1], *pair("x", "a long result " * 100), said(0)[1], *conversation(3)[2:]]
    first = compiled(rows=[*said(0)[:1], *pair("x", "a long result " * 100)])
    second = compiled(rows=rows, after=first)
    whole = [json.loads(message["content"]) for message in second.messages if message["role"] == "tool"]
    assert list(whole[0]) == ["trust", "result"]
    anew = compiled(says("sop", scope=Scope.SKILL), rows=rows, after=second)
    (short,) = [json.loads(message["content"]) for message in anew.messages if message["role"] == "tool"]
    assert short["whole"] == {"message": "x-result", "characters": 1_400}
    assert len(json.dumps(short)) < 600
