"""Budgets: what is cut, in which order, and what is never cut."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.context.blocks import data, memory, profile, says
from weft.context.blocks import Block, Scope, Trust
from weft.context.cutting import SMALLEST, Fitted, fit, shortened, spent
from weft.context.errors import DoesNotFitError
from weft.context.recipes import FILES, PHASE_2, PROMPT, Recipe
from weft.llm.tokens import TokenCounter

COUNTER = TokenCounter()
MODEL = "deepseek-chat"
BASE = [
    says("policy", trust=Trust.POLICY),
    says("persona"),
    says("user_context/policy", scope=Scope.USER, trust=Trust.POLICY),
    Block("user_context/profile", "p", Trust.USER, Scope.USER, {"username": "x"}, title="USER_PROFILE"),
]


def fitted(*blocks: Block, tools: int = 0, recipe: Recipe = PHASE_2) -> dict[str, Fitted]:
    placed, _ = recipe.place([*BASE, *blocks])
    return {each.block.id: each for each in fit(placed, recipe, tools, COUNTER, MODEL)}


def fitted_with(profile: Block, *blocks: Block, tools: int = 0) -> dict[str, Fitted]:
    placed, _ = PHASE_2.place([*BASE[:-1], profile, *blocks])
    return {each.block.id: each for each in fit(placed, PHASE_2, tools, COUNTER, MODEL)}


def cases(count: int, size: int = 40) -> Block:
    return data("cases", shrinks="items", items=[{"n": at, "text": "例" * size} for at in range(count)])


def recall(count: int) -> Block:
    return data("recall", shrinks="items", items=["忆" * 40 for _ in range(count)])


def test_what_fits_is_whole() -> None:
    """SKILL-10"""
    assert all(each.state == "whole" for each in fitted(cases(2), memory()).values())


def test_block_is_held_to_its_slots_limit() -> None:
    """SKILL-2, SKILL-11: the best cases stand first, so the last go; the reason and the loss are written down."""
    cut = fitted(cases(200))["cases"]
    assert cut.state == "shortened"
    assert cut.tokens <= 1_500 < cut.whole_tokens
    assert cut.why == "cases may have 1500 tokens"
    values = json.loads(cut.block.text.splitlines()[1])
    assert [item["n"] for item in values["items"]] == list(range(len(values["items"])))
    assert values["left_out"] == {"items": 200 - len(values["items"])}


def test_the_last_in_the_prompt_goes_first() -> None:
    """SKILL-10: a turn's data before anything of the prefix."""
    given = fitted(cases(10), recall(8), data("skill_data", Scope.USER, shrinks="text", text="盘" * 1000), tools=7_500)
    assert given["recall"].state == "whole"  # what was found has a purse of its own
    assert given["cases"].state == "dropped"
    assert given["skill_data"].state == "shortened"
    assert "prompt was" in given["cases"].why


def test_files_have_a_purse_of_their_own() -> None:
    """SKILL-2: 2,000 tokens, whatever the rest costs."""
    given = fitted(memory("茶叶\n" * 4000), cases(3), tools=6_000)
    assert given["memory"].state == "shortened"
    assert given["memory"].tokens <= 2_000
    assert given["cases"].state == "whole"


def test_half_a_skill_is_none() -> None:
    """SKILL-8: a skill that always stands there stands there whole, or not at all."""
    given = fitted(says("always/one", "说" * 1000), says("always/two", "说" * 3000))
    assert given["always/one"].state == "whole"
    assert given["always/two"].state == "dropped"


def test_what_is_never_cut_and_does_not_fit_is_named() -> None:
    """SKILL-2: which block, how many tokens, which budget."""
    with pytest.raises(DoesNotFitError, match=r"sop has \d+ tokens .* budget of prompt has \d+ left") as raised:
        fitted(says("sop", "做" * 20_000, Scope.SKILL))
    assert raised.value.field == "sop"
    assert raised.value.tokens > 8_000 > raised.value.budget


def test_bio_gives_way_last_and_never_whole() -> None:
    """SAFE-1, SKILL-10: the policy speaks of a profile, so one stands there, whatever a user wrote into it."""
    bio = "\u202e" * 512  # about four tokens each, once they are escaped
    given = fitted_with(profile(username="小雨", bio=bio, shrinks="bio"), cases(3), tools=7_000)
    assert given["cases"].state == "dropped"
    cut = given["user_context/profile"]
    assert (cut.state, cut.why[:10]) == ("shortened", "prompt was")
    values = json.loads(cut.block.text.splitlines()[1])
    assert values["username"] == "小雨"
    assert bio.startswith(values["bio"])
    assert values["left_out"] == {"characters": 512 - len(values["bio"])}
    assert fitted_with(profile(username="小雨", bio=bio, shrinks="bio"))["user_context/profile"].state == "whole"


def test_profile_is_not_dropped_for_want_of_room() -> None:
    """SKILL-2: it is not dropped for want of room, so what takes the room is said."""
    with pytest.raises(DoesNotFitError, match="tools has 7990 tokens"):
        fitted_with(profile(username="小雨", bio="徒步", shrinks="bio"), tools=7_990)
    with pytest.raises(DoesNotFitError, match="user_context/profile has"):
        fitted_with(profile(username="\u202e" * 4_000, bio="徒步", shrinks="bio"), tools=500)


def test_own_skill_is_held_to_a_length() -> None:
    """SKILL-8, SKILL-11: a user may write an endless skill, and still talks on; what is left out is said."""
    own = data("own_skill", Scope.SKILL, Trust.USER, shrinks="text", name="mine", text="说一说" * 9_000)
    cut = fitted(own)["own_skill"]
    assert (cut.state, cut.why) == ("shortened", "own_skill may have 3000 tokens")
    assert cut.tokens <= 3_000
    assert '"left_out"' in cut.block.text


def test_long_persona_says_where_it_goes_on() -> None:
    """SKILL-5, SKILL-8: skills of other agents load unchanged; what is more than a prompt holds is read on demand."""
    lines = [f"{number}. Read the report before you say what matters in it." for number in range(900)]
    persona = Block("persona", "s", Trust.OPERATOR, Scope.SKILL, "\n".join(lines), shrinks="skills/docs/SKILL.md")
    placed, _ = PHASE_2.place([BASE[0], persona, *BASE[2:]])
    (cut,) = [each for each in fit(placed, PHASE_2, 0, COUNTER, MODEL) if each.block.id == "persona"]
    assert (cut.state, cut.why) == ("shortened", "persona may have 4500 tokens")
    assert 4_000 < cut.tokens <= 4_500
    *kept, said = cut.block.text.splitlines()
    assert kept == lines[: len(kept)], "whole lines"
    assert "`skills/docs/SKILL.md`" in said
    assert cut.block.trust is Trust.OPERATOR


def test_what_is_cut_twice_counts_all_that_is_gone() -> None:
    """SKILL-11: by its own limit, and then because others need the room."""
    items = [{"n": at, "text": "例" * 40} for at in range(200)]
    cut = fitted(data("cases", shrinks="items", items=items), tools=7_000)["cases"]
    values = json.loads(cut.block.text.splitlines()[1])
    assert cut.why.startswith("prompt was")
    assert 0 < len(values["items"]) < 40
    assert values["left_out"] == {"items": 200 - len(values["items"])}


def test_one_case_that_is_too_long_hides_no_other() -> None:
    """SKILL-6: a case is there whole or not; that the best is too long is counted, and the next best stand there."""
    items = [{"n": 0, "text": "例" * 9_000}, {"n": 1, "text": "例" * 40}, {"n": 2, "text": "例" * 40}]
    cut = fitted(data("cases", shrinks="items", items=items))["cases"]
    values = json.loads(cut.block.text.splitlines()[1])
    assert [item["n"] for item in values["items"]] == [1, 2]
    assert values["left_out"] == {"items": 1}
    assert fitted(data("cases", shrinks="items", items=items[:1]))["cases"].state == "dropped"


def test_tools_that_do_not_fit_are_named() -> None:
    """SKILL-1"""
    with pytest.raises(DoesNotFitError, match="tools has 9000 tokens"):
        fitted(tools=9_000)


@given(st.integers(0, 60), st.integers(0, 30), st.integers(0, 7_800), st.integers(1, 4000))
@settings(max_examples=60, deadline=None)
def test_no_budget_is_ever_exceeded(many: int, remembered: int, tools: int, size: int) -> None:
    """SKILL-1, SKILL-2"""
    given = fitted(cases(many), recall(remembered), memory("茶" * size), tools=tools)
    each = list(given.values())
    assert spent(each, PROMPT) + tools <= PHASE_2.budgets[PROMPT]
    assert spent(each, FILES) <= PHASE_2.budgets[FILES]
    assert all(one.why for one in each if one.state != "whole")
    assert all(given[block.id].state == "whole" for block in BASE)


@given(st.integers(SMALLEST, 3000), st.text(max_size=400))
@settings(max_examples=60, deadline=None)
def test_shortened_block_has_room_and_its_trust(room: int, text: str) -> None:
    """SAFE-4, SKILL-10"""
    whole = memory(text * 3 + "x")
    shorter = shortened(whole, room, COUNTER, MODEL)
    assert shorter is not None
    assert COUNTER.raw_count(MODEL, shorter.text) <= room
    assert (shorter.trust, shorter.id, shorter.title) == (whole.trust, whole.id, whole.title)
