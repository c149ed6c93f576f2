"""What skills give to a prompt: as much as there is room for, whatever somebody wrote into their front matter."""

import json
from typing import Any

from weft.context.blocks import Block, Scope, Trust
from weft.context.data_block import written_length
from weft.context.situation import ActiveSkill, SkillLine
from weft.context.skill_blocks import (
    CATALOGUE_CHARACTERS,
    LONGEST_DESCRIPTION,
    LONGEST_MISSING,
    LONGEST_OWN,
    MOST_DESCRIBED,
    MOST_MISSING,
    active,
    catalogue,
)


def lines(count: int, description: str, **others: Any) -> tuple[SkillLine, ...]:
    return tuple(SkillLine(f"skill-{number:04}", description, **others) for number in range(count))


def shown(block: Block) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(block.text.splitlines()[1])
    return values


def test_short_descriptions_stand_whole() -> None:
    """SKILL-8"""
    listed = shown(catalogue(lines(5, "读三张牌。"))[-1])
    assert [skill["what"] for skill in listed["skills"]] == ["读三张牌。"] * 5


def test_descriptions_share_what_room_there_is_as_they_are_written() -> None:
    """SKILL-1, SKILL-8: what is escaped takes more, and counts for it."""
    for description in ("d" * 3_000, "<" * 3_000, "\u202e" * 3_000):
        for count in (1, 7, MOST_DESCRIBED):
            skills = shown(catalogue(lines(count, description))[-1])["skills"]
            lengths = [written_length(skill["what"]) for skill in skills]
            assert sum(lengths) <= CATALOGUE_CHARACTERS + count
            assert max(lengths) <= LONGEST_DESCRIPTION + 1
            assert all(skill["what"].endswith("…") for skill in skills)


def test_what_lacks_a_hundred_things_names_some() -> None:
    """SKILL-8: what is missing is named, and nobody fills the prompt with it."""
    missing = tuple(f"binary {'x' * 190}{number}" for number in range(300))
    (skill,) = shown(catalogue(lines(1, "Draws.", missing=missing))[-1])["skills"]
    assert len(skill["missing"]) == MOST_MISSING
    assert all(name.startswith("binary x") and len(name) <= LONGEST_MISSING for name in skill["missing"])


def test_more_skills_than_can_be_described_are_named_and_the_rest_counted() -> None:
    """SKILL-1: a thousand skills cost what a few hundred do."""
    listed = shown(catalogue(lines(1_000, "Does something."))[-1])
    assert len(listed["skills"]) == MOST_DESCRIBED
    assert len(listed["others"]) + listed["left_out"]["items"] == 1_000 - MOST_DESCRIBED
    assert len(listed["others"]) > 200


def test_endless_own_skill_costs_no_more_than_a_long_one() -> None:
    """SEC-4, SKILL-11: nobody waits for somebody's megabyte to be written out; what is left out is counted."""
    skill = ActiveSkill("mine", "说" * 900_000, "skills:user/mine", Trust.USER)
    _, text, *_ = active(skill)
    assert len(text.text) < LONGEST_OWN + 200
    assert shown(text)["left_out"] == {"characters": 900_000 - LONGEST_OWN}


def test_users_own_skill_is_data_in_parts_that_may_shrink() -> None:
    """SAFE-4: nobody reviewed it, so none of it instructs."""
    skill = ActiveSkill("mine", "Be kind.", "skills:user/mine", Trust.USER, sop="First listen.")
    said, text, procedure, *_ = active(skill)
    assert (said.trust, said.scope) == (Trust.POLICY, Scope.SKILL)
    assert [(block.id, block.trust, block.shrinks) for block in (text, procedure)] == [
        ("own_skill", Trust.USER, "text"),
        ("own_skill/procedure", Trust.USER, "procedure"),
    ]
    assert shown(text) == {"name": "mine", "text": "Be kind."}
    assert shown(procedure) == {"name": "mine", "procedure": "First listen."}
    assert not any("Be kind" in block.text for block in active(skill) if not block.is_data)
