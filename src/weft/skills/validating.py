"""Checking a skill strictly, before it is published: everything that readers elsewhere might stumble over."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from weft.context.recipes import LONGEST_PERSONA
from weft.kit.errors import CallerError
from weft.kit.skill_name import is_skill_name
from weft.llm.token_estimate import estimate
from weft.skills.cases import read_cases
from weft.skills.files import SkillFiles
from weft.skills.findings import Finding, Findings
from weft.skills.front_matter import decode, parse, split
from weft.skills.paths import path_problem
from weft.skills.reading import LARGEST, read_skill
from weft.skills.side_files import read_schema, read_sop
from weft.skills.skill import SKILL_FILE, STANDARD_KEYS, WEFT_KEYS, Skill
from weft.skills.yaml_events import Document

MOST_LINES = 500  # what the standard recommends for the text that is read when the skill is used
MOST_SOP = 2_000  # tokens of all rules of procedure, which are never cut
_PLAIN_FIELDS = frozenset({"birth_info", "life_context", "extracted"})
_REQUIRES = frozenset({"binaries", "environment", "libraries"})
_TEXTS = (".md", ".yaml", ".yml", ".json", ".txt", ".py", ".sh", ".js")
# Controls, zero widths but for the joiner of emoji and scripts, bidirectional marks, tags, line separators.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
# Bounded, and nothing is tried twice: what is checked may be written to keep us busy.
_LINK = re.compile(r"\[[^\[\]\n]{0,400}+\]\(<?([^)\s>#?]{1,400}+)[^)\n]{0,400}+\)")


def validate_skill(files: SkillFiles, folder: str, shown_as: str | None = None) -> tuple[Finding, ...]:
    """Everything wrong or odd. What reading forgives is an error here; it stays a warning where it is advice."""
    reading = read_skill(files, folder, shown_as)
    strict = [replace(finding, severity="error") for finding in reading.findings]
    if reading.skill is None:
        return tuple(sorted(strict))
    prefix = shown_as or folder
    own = Findings(f"{prefix}/{SKILL_FILE}")
    if (document := _front_matter(files)) is not None:
        _check_keys(reading.skill, document, own)
        _check_body(reading.skill, files, own)
    return tuple(sorted([*strict, *own, *_side_files(reading.skill, files, prefix), *_unseen(files, prefix)]))


def _front_matter(files: SkillFiles) -> Document | None:
    again = Findings(SKILL_FILE)  # what is odd here was told while it was read
    text = decode(files.read(SKILL_FILE, LARGEST), again)
    parts = split(text, again) if text is not None else None
    return parse(parts, again) if parts is not None else None


def _check_keys(skill: Skill, document: Document, findings: Findings) -> None:
    for key in document.value:
        if key not in STANDARD_KEYS | WEFT_KEYS:
            findings.warning(f"{key!r} is a key that neither the standard nor Weft knows", document.line(key))
    for key in _mapping(document, "requires"):
        if key not in _REQUIRES:
            allowed = ", ".join(sorted(_REQUIRES))
            findings.error(f"requires.{key} is not known; there are {allowed}", document.line("requires", key))
    for key, value in _mapping(document, "metadata").items():
        if not isinstance(value, str):
            message = f"metadata.{key} is not text, which is all that the standard allows there; put it in quotes"
            findings.warning(message, document.line("metadata", key))
    line = document.line("profile_fields")
    for field in skill.profile_fields:
        if field not in _PLAIN_FIELDS and not _is_skill_data(field):
            known = ", ".join(sorted(_PLAIN_FIELDS))
            findings.error(f"profile_fields: {field!r} is none; there are {known} and skill_data.<skill>", line)
    if skill.requires_birth_info and "birth_info" not in skill.profile_fields:
        message = "requires_birth_info without 'birth_info' among its profile_fields: it would ask and never see it"
        findings.error(message, document.line("requires_birth_info"))
    if skill.requires_compute and skill.compute_type is None:
        findings.error(
            "requires_compute without compute_type, which says what to compute", document.line("requires_compute")
        )
    if skill.compute_type is not None and not skill.requires_compute:
        findings.warning("compute_type without requires_compute: nothing is computed", document.line("compute_type"))


def _mapping(document: Document, key: str) -> dict[str, object]:
    value = document.value.get(key)
    return value if isinstance(value, dict) else {}


def _is_skill_data(field: str) -> bool:
    column, _, skill = field.partition(".")
    return column == "skill_data" and is_skill_name(skill)


def _check_body(skill: Skill, files: SkillFiles, findings: Findings) -> None:
    if not skill.body.strip():
        findings.error("has no instructions after its front matter", skill.body_line)
    lines = skill.body.split("\n")
    if len(lines) > MOST_LINES:
        message = f"has {len(lines)} lines of instructions; move what is not always needed into files of its own"
        findings.warning(message, skill.body_line)
    if (tokens := _tokens(skill.body)) > LONGEST_PERSONA:
        message = (
            f"has about {tokens} tokens of instructions; of more than {LONGEST_PERSONA} a prompt shows the beginning"
        )
        findings.warning(message, skill.body_line)
    there = {resource.path for resource in files.list()}
    for number, line in enumerate(lines, skill.body_line):
        for target in _targets(line):
            if target not in there and not any(path.startswith(target + "/") for path in there):
                findings.warning(f"points to {target!r}, which is not in the skill", number)


def _tokens(text: str) -> int:
    """As the vocabulary counts them that takes the most for Chinese."""
    return estimate(text, "cl100k")


def _targets(line: str) -> Iterator[str]:
    for found in _LINK.finditer(line):
        target = found[1]
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target) or target.startswith(("/", "~", "$", "{")):
            continue
        path = str(PurePosixPath(target))
        yield path if path_problem(path) is None else target


def _side_files(skill: Skill, files: SkillFiles, prefix: str) -> Iterator[Finding]:
    tokens = 0
    for path in skill.sop:
        findings = Findings(f"{prefix}/{path}")
        tokens += _tokens(read_sop(files, path, findings) or "")
        if tokens > MOST_SOP:
            findings.error(f"makes about {tokens} tokens of rules, which stand whole in prompts; at most {MOST_SOP}")
        yield from findings
    for path in skill.cases:
        findings = Findings(f"{prefix}/{path}")
        try:
            read_cases(files, path, findings)
        except CallerError as error:
            findings.error(error.detail)
        yield from findings
    if skill.data_schema is not None:
        findings = Findings(f"{prefix}/{skill.data_schema}")
        read_schema(files, skill.data_schema, findings)
        yield from findings


def _unseen(files: SkillFiles, prefix: str) -> Iterator[Finding]:
    """Characters by which a text can say something else than a reviewer reads."""
    for resource in files.list():
        if not resource.path.endswith(_TEXTS) or resource.size > LARGEST:
            continue
        findings = Findings(f"{prefix}/{resource.path}")
        try:
            text = files.read(resource.path, LARGEST).decode("utf-8-sig")
        except (CallerError, UnicodeDecodeError):
            continue  # told where the file is used
        for number, line in enumerate(text.split("\n"), 1):
            if found := _INVISIBLE.search(line):
                message = f"has a character that cannot be seen or turns the text around (U+{ord(found[0]):04X})"
                findings.warning(message, number)
        yield from findings
