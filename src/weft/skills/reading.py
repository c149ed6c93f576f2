"""Reading a skill's folder leniently: whatever can be used is used, and what was odd about it is told.

Skills written for other agents load unchanged. A skill is broken only when its file cannot be read, has no YAML
between its fences, says nothing of itself, or names files outside its folder.
"""

import re
from dataclasses import dataclass, replace

from weft.kit.errors import CallerError
from weft.kit.skill_name import MAX_SKILL_NAME, is_skill_name
from weft.skills.fields import Fields
from weft.skills.files import SkillFiles
from weft.skills.findings import Finding, Findings, errors
from weft.skills.front_matter import Split, decode, parse, split
from weft.skills.skill import (
    MAX_COMPATIBILITY,
    MAX_DESCRIPTION,
    SKILL_FILE,
    STANDARD_KEYS,
    WEFT_KEYS,
    Skill,
)
from weft.skills.voices import read_voices
from weft.skills.yaml_events import Document

LARGEST = 1 << 20  # bytes of SKILL.md
_MOST_DESCRIPTION = 8 * MAX_DESCRIPTION  # longer ones are told of; past this they are cut, for they stand in prompts
_PARAGRAPH = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Reading:
    """A skill, if it can be used, and everything that was found while it was read."""

    skill: Skill | None
    findings: tuple[Finding, ...] = ()


def read_skill(files: SkillFiles, folder: str, shown_as: str | None = None) -> Reading:
    """The skill in these files, whose folder has this name; findings name the file as it is to be shown."""
    findings = Findings(f"{shown_as or folder}/{SKILL_FILE}")
    try:
        content = files.read(SKILL_FILE, LARGEST)
    except CallerError as error:
        findings.error(error.detail)
        return Reading(None, tuple(findings))
    reading = read_text(content, folder, findings)
    if reading.skill is None:
        return reading
    spoken = read_voices(files, shown_as or folder, findings)
    return Reading(replace(reading.skill, voices=spoken) if spoken else reading.skill, tuple(sorted(findings)))


def read_text(content: bytes, folder: str, findings: Findings) -> Reading:
    """The skill that a `SKILL.md` of this content makes."""
    text = decode(content, findings)
    parts = split(text, findings) if text is not None else None
    document = parse(parts, findings) if parts is not None else None
    skill = None
    if parts is not None and document is not None:
        skill = _skill(parts, document, folder, findings)
    usable = skill is not None and not errors(findings)
    return Reading(skill if usable else None, tuple(sorted(findings)))


def _skill(parts: Split, document: Document, folder: str, findings: Findings) -> Skill | None:
    fields = Fields(document, findings)
    name = _name(fields.text("name"), folder, document, findings)
    description = _description(fields.text("description"), parts, document, findings)
    if name is None or description is None:
        return None
    schemas = fields.paths("data_schema")
    return Skill(
        name=name,
        description=description,
        body=parts.body,
        body_line=parts.body_line,
        license=fields.text("license"),
        compatibility=_compatibility(fields.text("compatibility"), document, findings),
        metadata=fields.mapping("metadata"),
        allowed_tools=fields.tools("allowed-tools"),
        requires_birth_info=fields.flag("requires_birth_info"),
        requires_compute=fields.flag("requires_compute"),
        compute_type=fields.text("compute_type"),
        profile_fields=fields.words("profile_fields"),
        always=fields.always(),
        requires=fields.requirements(),
        sop=fields.paths("sop"),
        cases=fields.paths("cases"),
        data_schema=schemas[0] if schemas else None,
        others=fields.others(STANDARD_KEYS | WEFT_KEYS),
    )


def _name(given: str | None, folder: str, document: Document, findings: Findings) -> str | None:
    """The name that others will write: the given one, or what a folder or a title makes of one."""
    line = document.line("name")
    name = given or folder
    if not is_skill_name(name):
        repaired = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:MAX_SKILL_NAME].strip("-")
        name = repaired if is_skill_name(repaired) else folder
        if not is_skill_name(name):
            findings.error(
                f"name {given or folder!r} cannot be used; use small letters, digits and single hyphens, "
                f"at most {MAX_SKILL_NAME}, for example 'tarot-reading'",
                line,
            )
            return None
        findings.warning(f"name {given or folder!r} is not a skill's name; taken as {name!r}", line)
    elif given is None:
        findings.warning(f"has no name; taken from its folder, {folder!r}", line)
    if name != folder:
        findings.warning(f"name {name!r} is not that of its folder, {folder!r}", line)
    return name


def _description(given: str | None, parts: Split, document: Document, findings: Findings) -> str | None:
    line = document.line("description")
    if given is None:
        paragraphs = (each.strip() for each in _PARAGRAPH.split(parts.body))
        given = next((each for each in paragraphs if each and not each.startswith(("#", "```", "---", "|"))), None)
        if given is None:
            findings.error("has no description; say what it does and when to use it", line)
            return None
        given = " ".join(given.split())[:MAX_DESCRIPTION]
        findings.warning("has no description; taken from the first paragraph of its text", line)
    if len(given) > MAX_DESCRIPTION:
        findings.warning(f"description has {len(given)} characters; at most {MAX_DESCRIPTION} should stand there", line)
    return given[:_MOST_DESCRIPTION]


def _compatibility(given: str | None, document: Document, findings: Findings) -> str | None:
    if given is not None and len(given) > MAX_COMPATIBILITY:
        line = document.line("compatibility")
        findings.warning(f"compatibility has {len(given)} characters; at most {MAX_COMPATIBILITY} should stand", line)
        return given[:MAX_COMPATIBILITY]
    return given
