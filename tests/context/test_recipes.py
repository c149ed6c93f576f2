"""Recipes: what each phase wants, and in which order."""

import pytest

from tests.context.blocks import says, usual
from weft.context.blocks import Scope
from weft.context.recipes import FILES, FOUND, PHASE_1, PHASE_2, PROMPT, Cut, Recipe

BOTH = pytest.mark.parametrize("recipe", [PHASE_1, PHASE_2], ids=lambda recipe: recipe.name)
NEVER_CUT = ("policy", "sop", "user_context/policy", "stage", "time")


def test_budgets_and_history_of_the_phases() -> None:
    """SKILL-1, SKILL-2"""
    assert (PHASE_1.texts, PHASE_1.expected) == (5, 2_000)
    assert PHASE_1.budgets == {PROMPT: 6_000, FILES: 2_000, FOUND: 3_000}
    assert (PHASE_2.texts, PHASE_2.expected) == (10, 6_000)
    assert PHASE_2.budgets == {PROMPT: 8_000, FILES: 2_000, FOUND: 3_000}


@BOTH
def test_what_an_answer_cannot_do_without_is_never_cut(recipe: Recipe) -> None:
    """SKILL-1, SAFE-1: least of all the policy, or the profile that it speaks of."""
    assert all(slot.cut is Cut.NEVER for slot in recipe.slots if slot.id in NEVER_CUT)
    trimmed = {slot.id: slot.required for slot in recipe.slots if slot.cut is Cut.TRIM}
    assert trimmed == {"persona": True, "user_context/profile": True}, (
        "they may lose their ends; dropped they are never"
    )


@BOTH
def test_policy_stands_before_the_data_that_it_speaks_of(recipe: Recipe) -> None:
    """SAFE-1"""
    names = [slot.id for slot in recipe.slots]
    assert names.index("user_context/policy") < names.index("user_context/profile")


def test_phase_1_has_no_place_for_what_skills_bring() -> None:
    """SKILL-1: no profile fields, no cases, no SOP."""
    assert {slot.id for slot in PHASE_2.slots} - {slot.id for slot in PHASE_1.slots} == {
        "sop", "tool_rules", "profile_fields/*", "skill_data", "missing", "cases",
    }  # fmt: skip


def test_same_blocks_in_the_order_given_within_a_slot() -> None:
    """WORK-1: the bootstrap files have an order of their own."""
    files = [says(f"file/{name}", scope=Scope.USER) for name in ("AGENTS.md", "SOUL.md", "IDENTITY.md")]
    placed, left = PHASE_1.place([*files, *usual()])
    assert [block.id for block, _ in placed if block.id.startswith("file/")] == [block.id for block in files]
    assert left == []


def test_stages_differ_in_name_only() -> None:
    """SAFE-3: so that they share their prefix."""
    intent, organization = PHASE_1.for_stage("intent"), PHASE_1.for_stage("organization")
    assert (intent.name, organization.name) == ("phase1/intent", "phase1/organization")
    assert intent.slots is organization.slots
