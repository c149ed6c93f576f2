"""Before a skill is published, everything that others might stumble over is told, by file and line."""

from collections.abc import Mapping

import pytest

from tests.kit.endless import assert_quick
from weft.skills.files import MemoryFiles
from weft.skills.validating import validate_skill

FRONT = "name: tarot\ndescription: Draws cards."
GOOD = {
    "SKILL.md": f"---\n{FRONT}\nsop: sop.yaml\ncases: cases.yaml\ndata_schema: schema.json\n---\n[C](ref/cards.md)\n",
    "sop.yaml": "- when: 用户害怕\n  do: 先安抚\n- Never foretell death.\n",
    "cases.yaml": "- {id: a, title: t, when: 死神, advice: x}\n",
    "schema.json": '{"type": "object", "properties": {"draws": {"type": "array"}}}',
    "ref/cards.md": "愚者",
}


def check(files: Mapping[str, str], folder: str = "tarot") -> list[str]:
    return [
        str(each) for each in validate_skill(MemoryFiles({name: text.encode() for name, text in files.items()}), folder)
    ]


def skill(front: str, body: str = "Draw.") -> dict[str, str]:
    return {"SKILL.md": f"---\n{front}\n---\n{body}\n"}


def test_a_good_skill_has_no_findings() -> None:
    """SKILL-5"""
    assert check(GOOD) == []


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (skill(f"{FRONT}\nmodel: opus"), "tarot/SKILL.md:4: warning: 'model'"),
        (skill("name: Tarot\ndescription: x"), "tarot/SKILL.md:2: error: name 'Tarot'"),
        (skill("name: other\ndescription: x"), "tarot/SKILL.md:2: error: name 'other'"),
        (skill("name: tarot\ndescription: a: b"), "tarot/SKILL.md:3: error: is not valid YAML"),
        (skill("name: tarot\ndescription: " + "x" * 1025), "tarot/SKILL.md:3: error: description has 1025"),
        (skill(f"{FRONT}\nrequires: {{bins: [gh]}}"), "tarot/SKILL.md:4: error: requires.bins"),
        (skill(f"{FRONT}\nmetadata: {{a: 1}}"), "tarot/SKILL.md:4: warning: metadata.a"),
        (skill(f"{FRONT}\nprofile_fields: [birthday]"), "tarot/SKILL.md:4: error: profile_fields: 'birthday'"),
        (skill(f"{FRONT}\nrequires_birth_info: true"), "tarot/SKILL.md:4: error: requires_birth_info"),
        (skill(f"{FRONT}\nrequires_compute: true"), "tarot/SKILL.md:4: error: requires_compute"),
        (skill(f"{FRONT}\ncompute_type: x"), "tarot/SKILL.md:4: warning: compute_type"),
        (skill(FRONT, ""), "error: has no instructions"),
        (skill(FRONT, "a\n" * 501), "tarot/SKILL.md:5: warning: has 501 lines"),
        (skill(FRONT, "说一说这份报告\n" * 499), "tarot/SKILL.md:5: warning: has about"),
        ({**GOOD, "sop.yaml": "- 先看报告\n" * 800}, "tarot/sop.yaml: error: makes about"),
        (skill(FRONT, "a\n[b](b.md) [web](https://x.y) [top](#top)"), "tarot/SKILL.md:6: warning: points to 'b.md'"),
        (skill(FRONT, "[b](../../b.md)"), "warning: points to '../../b.md'"),
        (skill(f"{FRONT}\nsop: none.md"), "tarot/none.md: error: the skill has no file 'none.md'"),
        ({**GOOD, "sop.yaml": "- a\n- {when: b}\n"}, "tarot/sop.yaml:2: error: rule 2"),
        ({**GOOD, "cases.yaml": "- {id: a}\n"}, "tarot/cases.yaml:1: error: case 1"),
        ({**GOOD, "schema.json": '{\n"type": "objekt"}'}, "tarot/schema.json:2: error: is no JSON schema"),
        ({**GOOD, "schema.json": "[]"}, "tarot/schema.json:1: error: holds no JSON schema"),
        (skill(FRONT, "a\nb \u202e c"), "tarot/SKILL.md:6: warning: has a character that cannot be seen or turns the"),
        ({**GOOD, "sop.yaml": "- a\n- b\u200b\n"}, "tarot/sop.yaml:2: warning: has a character that cannot be seen"),
        ({**GOOD, "ref/run.py": "x = 1 \U000e0041"}, "tarot/ref/run.py:1: warning: has a character that cannot be"),
        ({**GOOD, "voices/Loud.md": "x"}, "tarot/voices/Loud.md: error: is no name for a voice"),
        ({**GOOD, "voices/loud.md": " "}, "tarot/voices/loud.md:1: error: says nothing"),
        ({}, "tarot/SKILL.md: error: the skill has no file"),
    ],
)
def test_each_flaw_is_told_by_file_and_line(files: dict[str, str], says: str) -> None:
    """SKILL-5"""
    found = check(files)
    assert any(says in each for each in found), found
    assert len(found) == 1 or "Tarot" in says, found


def test_endless_skills_are_checked_in_no_time() -> None:
    """SEC-4: whoever may ask for a check may send anything."""
    assert_quick(lambda text: check(skill(FRONT, text)))
    assert_quick(lambda text: check(skill(f"{FRONT} {text[:60_000]}")))
    assert_quick(
        lambda text: check({**GOOD, "SKILL.md": skill(f"{FRONT}\ncases: c.md")["SKILL.md"], "c.md": f"## a{text}"})
    )
