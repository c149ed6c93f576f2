"""A memory that changes in mid-conversation keeps its place; the change is a note until the next cut."""

import json

from tests.context.blocks import CARD, TOOLS, conversation, data, memory, says, usual
from weft.context.blocks import Block, Scope, Trust
from weft.context.compiling import Compiled, compile_context
from weft.context.recipes import PHASE_2
from weft.context.revisions import Standing
from weft.context.window import History
from weft.llm.tokens import TokenCounter

COUNTER = TokenCounter()
LINES = [f"- fact {line} about the user" for line in range(40)]
OLD = memory("\n".join(LINES))
NEW = memory("\n".join(["- moved to Dali", *LINES[1:]]))


def compiled(*blocks: Block, turns: int = 3, after: Compiled | None = None) -> Compiled:
    standing, last = (after.standing, after.sent) if after else (None, None)
    history = History(conversation(turns))
    return compile_context(PHASE_2, blocks, history, TOOLS, CARD, COUNTER, standing=standing, last=last)


def test_change_travels_as_a_note() -> None:
    """SKILL-10, WORK-1: the prefix stays, the note stands with the turn's data and has the file's trust."""
    first = compiled(*usual(OLD))
    second = compiled(*usual(NEW), turns=4, after=first)
    assert second.messages[0] == first.messages[0]
    assert not second.manifest.expected.collapsed
    lines = second.messages[-2]["content"].splitlines()
    note = json.loads(lines[lines.index("# CHANGED_SINCE (JSON, user)") + 1])
    assert note == {"block": "MEMORY", "name": "memory", "added": ["- moved to Dali"], "removed": [LINES[0]]}


def test_note_stays_until_the_window_steps() -> None:
    """SKILL-10: then the file is folded in."""
    made = compiled(*usual(OLD))
    made = compiled(*usual(NEW), after=made)
    made = compiled(*usual(NEW), turns=10, after=made)
    assert "CHANGED_SINCE" in made.messages[-2]["content"]
    made = compiled(*usual(NEW), turns=11, after=made)
    assert "CHANGED_SINCE" not in made.messages[-2]["content"]
    assert NEW.text in made.messages[0]["content"]


def test_change_before_it_folds_it_in() -> None:
    """SKILL-10: a skill switch costs the prefix anyway."""
    first = compiled(*usual(OLD))
    second = compiled(*usual(NEW, says("sop", scope=Scope.SKILL)), after=first)
    assert NEW.text in second.messages[0]["content"]


def test_large_change_is_folded_in_at_once() -> None:
    """SKILL-10: a note as long as the file saves nothing."""
    second = compiled(*usual(memory("- all\n- new\n" * 30)), after=compiled(*usual(OLD)))
    assert "CHANGED_SINCE" not in second.messages[-2]["content"]


def test_file_that_is_gone_is_gone_at_once() -> None:
    """WORK-6: what a user deletes is not shown once more for the price's sake."""
    file = data("file/SOUL.md", Scope.USER, Trust.USER, shrinks="text", text="soul")
    second = compiled(*usual(OLD), after=compiled(*usual(OLD, file)))
    assert "soul" not in second.messages[0]["content"]


def test_taking_a_change_back_needs_no_note() -> None:
    """SKILL-10"""
    made = compiled(*usual(OLD), after=compiled(*usual(NEW), after=compiled(*usual(OLD))))
    assert "CHANGED_SINCE" not in made.messages[-2]["content"]
    assert made.manifest.expected.changed != "memory"


def test_standing_survives_a_restart() -> None:
    """SKILL-10: through JSONB, which gives keys back in another order."""
    first = compiled(*usual(OLD))
    loaded = Standing.load(json.loads(json.dumps(first.standing.dump(), sort_keys=True)))
    assert loaded == first.standing
    history = History(conversation(3))
    again = compile_context(PHASE_2, usual(NEW), history, TOOLS, CARD, COUNTER, standing=loaded)
    assert again.messages == compiled(*usual(NEW), after=first).messages


def test_other_tools_fold_it_in() -> None:
    """SKILL-10: they stand before everything, so that nothing is left to be kept."""
    first, history = compiled(*usual(OLD)), History(conversation(3))
    made = compile_context(PHASE_2, usual(NEW), history, TOOLS[:1], CARD, COUNTER, standing=first.standing)
    assert NEW.text in made.messages[0]["content"]
