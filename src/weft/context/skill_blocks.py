"""The blocks that skills give to a prompt: the catalogue, the active expert, its procedure, data and cases."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

from weft.context.blocks import Block, Scope, Trust, block_id
from weft.context.data_block import written_length, written_within
from weft.context.sections import prompt_texts
from weft.context.situation import ActiveSkill, SkillLine, SkillText

CATALOGUE_CHARACTERS = 2_400  # of all descriptions together as written; past it each is cut to its share
LONGEST_DESCRIPTION = 1_024  # of one skill, which is what the Agent Skills standard allows
MOST_DESCRIBED = 40  # skills; a share of fewer than sixty characters would tell nothing
NAMES_CHARACTERS = 3_000  # of the names of all others
MOST_MISSING, LONGEST_MISSING = 5, 128  # things that a skill lacks, and characters of each as written
MOST_CASES = 3  # the right one is hardly ever further down (tests/skills/test_shipped_cases.py)
LONGEST_OWN = 24_000  # characters of a user's skill that are looked at: more than any prompt has room for
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")  # of a tool, a computation, a field
_OURS = "weft:prompt.yaml"
_SKILL_DATA = "skill_data."


@lru_cache(maxsize=256)
def catalogue(lines: tuple[SkillLine, ...]) -> tuple[Block, ...]:
    """What can be called in: the same for everybody, and what a user keeps apart from it."""
    texts = prompt_texts()
    ours = [line for line in lines if line.trust is not Trust.USER]
    own = [line for line in lines if line.trust is Trust.USER]
    made: list[Block] = []
    if ours:
        made.append(Block("skills", _OURS, Trust.POLICY, Scope.GLOBAL, texts.skills.render()))
        made.append(_listed("catalogue", "SKILLS", Trust.OPERATOR, Scope.GLOBAL, ours))
    if own:
        made.append(Block("skills/own", _OURS, Trust.POLICY, Scope.USER, texts.own_skills.render()))
        made.append(_listed("catalogue/own", "MY_SKILLS", Trust.USER, Scope.USER, own))
    return tuple(made)


def _listed(name: str, title: str, trust: Trust, scope: Scope, lines: Sequence[SkillLine]) -> Block:
    described, others = lines[:MOST_DESCRIBED], [line.name for line in lines[MOST_DESCRIBED:]]
    lengths = [written_length(line.description) for line in described]
    longest = min(_share(lengths, CATALOGUE_CHARACTERS), LONGEST_DESCRIPTION)
    values: dict[str, Any] = {"skills": [_line(line, longest) for line in described]}
    if others:
        ends = accumulate(len(other) + 3 for other in others)  # quotes and a comma
        values["others"] = others[: sum(end <= NAMES_CHARACTERS for end in ends)]
    if left := len(others) - len(values.get("others", ())):
        values["left_out"] = {"items": left}
    return Block(name, "skills", trust, scope, values, title=title, shrinks="skills")


def _line(line: SkillLine, longest: int) -> dict[str, Any]:
    said = written_within(line.description, longest)
    shown: dict[str, Any] = {"name": line.name}
    if longest:
        shown["what"] = said if said == line.description else said.rstrip() + "…"
    missing = [written_within(each, LONGEST_MISSING) for each in line.missing[:MOST_MISSING]]
    return shown | ({"missing": missing} if missing else {})


def _share(lengths: Sequence[int], room: int) -> int:
    """How long each may be at the most for all of them to fit: short ones leave their rest to the others."""
    left = room
    for at, length in enumerate(sorted(lengths)):
        share = left // (len(lengths) - at)
        if length > share:
            return share
        left -= length
    return max(lengths, default=0)


@lru_cache(maxsize=256)
def always(skill: SkillText) -> Block:
    """A skill that stands whole in every prompt: an instruction once somebody reviewed it, else the user's data."""
    name = block_id("always", skill.name)
    if skill.trust is Trust.USER:
        values = {"name": skill.name, "text": skill.text}
        return Block(name, skill.source, Trust.USER, Scope.USER, values, title="MY_SKILL")
    return Block(name, skill.source, Trust.OPERATOR, Scope.GLOBAL, f"# Skill {skill.name}\n{skill.text}")


def file_of(name: str) -> str:
    """Where `read_file` finds a skill whole."""
    return f"skills/{name}/SKILL.md" if _NAME.fullmatch(name) else "its SKILL.md"


def active(skill: ActiveSkill, at_hand: Collection[str] = ()) -> Iterator[Block]:
    """The active skill but for its cases, which vary by what was said.

    Whoever wrote it named tools and fields; of these only names stand in our sentences, and tools that are `at_hand`.
    """
    yield from _expert(skill.name, skill.persona, skill.source, skill.trust, skill.sop)
    yield _tool_rules(_name(skill.compute), tuple(tool for tool in skill.tools if tool in at_hand and _name(tool)))
    if missing := tuple(field for field in skill.missing if _name(field)):
        yield _missing(missing)
    for field, value in skill.profile_fields.items():
        if value is not None:
            yield _declared(field, value)


def _name(given: str | None) -> str | None:
    return given if given and _NAME.fullmatch(given) else None


@lru_cache(maxsize=512)
def _expert(name: str, persona: str, source: str, trust: Trust, sop: str) -> tuple[Block, ...]:
    if trust is Trust.USER:
        return tuple(_own(name, persona, source, sop))
    made = [Block("persona", source, trust, Scope.SKILL, persona, shrinks=file_of(name))]
    if sop:
        made.append(Block("sop", source, trust, Scope.SKILL, f"# Procedure\n{sop}"))
    return tuple(made)


def _own(name: str, persona: str, source: str, sop: str) -> Iterator[Block]:
    """A skill that nobody reviewed: data, each part of which may lose its end."""
    yield Block("own_skill/use", _OURS, Trust.POLICY, Scope.SKILL, prompt_texts().own_skill.render())
    for part, key, text in (("own_skill", "text", persona), ("own_skill/procedure", "procedure", sop)):
        if text:
            values: dict[str, Any] = {"name": name, key: text[:LONGEST_OWN]}
            if len(text) > LONGEST_OWN:
                values["left_out"] = {"characters": len(text) - LONGEST_OWN}
            yield Block(part, source, Trust.USER, Scope.SKILL, values, title="MY_SKILL", shrinks=key)


@lru_cache(maxsize=512)
def _tool_rules(compute: str | None, tools: tuple[str, ...]) -> Block:
    rules = prompt_texts().tool_rules
    lines = [f"# {rules.title}"]
    if compute:
        lines.append(rules.compute.format(compute=compute))
    if tools:
        lines.append(rules.prefer.format(tools=", ".join(f"`{tool}`" for tool in tools)))
    return Block("tool_rules", _OURS, Trust.POLICY, Scope.SKILL, "\n".join([*lines, rules.leave]))


@lru_cache(maxsize=512)
def _missing(fields: tuple[str, ...]) -> Block:
    said = prompt_texts().missing.render(fields=", ".join(f"`{field}`" for field in fields))
    return Block("missing", _OURS, Trust.POLICY, Scope.SESSION, said)


def _declared(field: str, value: Any) -> Block:
    """A field of the profile: its column is a word of ours, and so its title can be."""
    if field.startswith(_SKILL_DATA):
        values = value if isinstance(value, Mapping) else {"value": value}
        return Block("skill_data", "profiles", Trust.USER, Scope.USER, values, title="SKILL_DATA")
    if isinstance(value, Mapping):
        return Block(f"profile_fields/{field}", "profiles", Trust.USER, Scope.USER, value, title=field.upper())
    values = {"items": value}
    return Block(
        f"profile_fields/{field}", "profiles", Trust.USER, Scope.USER, values, title=field.upper(), shrinks="items"
    )


def cases(skill: ActiveSkill) -> Block:
    """The cases that fit best, and what in the user's words called each of them."""
    trust = Trust.EXTERNAL if skill.trust is Trust.USER else skill.trust
    items = [
        {"title": case.title, "situation": case.situation, "advice": case.advice, "matched": case.matched}
        for case in skill.cases[:MOST_CASES]
    ]
    return Block("cases", skill.source, trust, Scope.TURN, {"items": items}, title="CASES", shrinks="items")
