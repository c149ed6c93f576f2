"""The files that a skill names beside its own: standing procedures and the schema of what it keeps for a user."""

import json
from collections.abc import Mapping
from typing import Any

import jsonschema

from weft.kit.errors import CallerError
from weft.skills.files import SkillFiles
from weft.skills.findings import Findings
from weft.skills.front_matter import decode
from weft.skills.yaml_events import Document, YamlProblem, read_yaml

LARGEST = 1 << 20


def read_side_text(files: SkillFiles, path: str, findings: Findings) -> str | None:
    """A text file of the skill, or None with the reason among the findings."""
    try:
        content = files.read(path, LARGEST)
    except CallerError as error:
        findings.error(error.detail)
        return None
    return decode(content, findings)


def read_side_yaml(text: str, findings: Findings) -> Document | None:
    """YAML of any shape, or None with the reason among the findings."""
    try:
        return read_yaml(text)
    except YamlProblem as problem:
        findings.error(problem.message, problem.line)
        return None


def is_yaml(path: str) -> bool:
    """Whether a file is YAML by its name; JSON is YAML too."""
    return path.lower().endswith((".yaml", ".yml", ".json"))


def read_sop(files: SkillFiles, path: str, findings: Findings) -> str | None:
    """Rules of procedure as Markdown: as written, or from a list of rules, each a text or `{when, do}`."""
    text = read_side_text(files, path, findings)
    if text is None or not is_yaml(path):
        return text and text.strip()
    if (document := read_side_yaml(text, findings)) is None:
        return None
    rules = document.value.get("rules") if isinstance(document.value, dict) else document.value
    if not isinstance(rules, list) or not rules:
        findings.error("holds no list of rules; write '- when: …' with 'do: …', or plain texts", 1)
        return None
    lines = [_rule(rule) for rule in rules]
    prefix: tuple[str, ...] = ("rules",) if isinstance(document.value, dict) else ()
    for index, line in enumerate(lines):
        if line is None:
            message = "is no rule; write a text, or 'when' and 'do', each a text"
            findings.error(f"rule {index + 1} {message}", document.line(*prefix, index))
    return "\n".join(line for line in lines if line is not None)


def _rule(rule: Any) -> str | None:
    match rule:
        case str() if rule.strip():
            return f"- {_one_line(rule)}"
        case {"when": str(when), "do": str(do)} if do.strip():
            return f"- {_one_line(when)}: {_one_line(do)}" if when.strip() else f"- {_one_line(do)}"
        case {"do": str(do)} if do.strip() and "when" not in rule:
            return f"- {_one_line(do)}"
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split())


def read_schema(files: SkillFiles, path: str, findings: Findings) -> Mapping[str, Any] | None:
    """The JSON schema of a skill's data, if it is one."""
    text = read_side_text(files, path, findings)
    document = read_side_yaml(text, findings) if text is not None else None
    if document is None:
        return None
    if not isinstance(document.value, dict):
        findings.error('holds no JSON schema; write for example {"type": "object"}', 1)
        return None
    try:
        jsonschema.Draft202012Validator.check_schema(json.loads(json.dumps(document.value)))
    except jsonschema.SchemaError as error:
        findings.error(f"is no JSON schema: {error.message}", document.line(*error.absolute_path))
        return None
    return document.value
