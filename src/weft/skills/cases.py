"""Cases of a skill: situations that came before, when they apply, and what was advised."""

import re
from dataclasses import dataclass, field
from typing import Any

from weft.skills.files import SkillFiles
from weft.skills.findings import Findings, line_at
from weft.skills.side_files import is_yaml, read_side_text, read_side_yaml
from weft.skills.yaml_events import Document

MOST_CASES = 2_000
LONGEST = 20_000  # characters of one case
_HEADING = re.compile(r"^##[ \t]+(.+)$", re.MULTILINE)
_ID = re.compile(r"\{#([\w.-]+)\}$")
_LABEL = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|#{3,6}[ \t]+)?(when|keywords|situation|advice|适用|何时|关键词|情况|情境|建议)"
    r"(?:\*\*)?[ \t]*(?:[:：](?:\*\*)?|$)",
    re.IGNORECASE | re.MULTILINE,
)
_CHINESE = {
    "适用": "when",
    "何时": "when",
    "关键词": "when",
    "情况": "situation",
    "情境": "situation",
    "建议": "advice",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One case."""

    id: str
    title: str
    situation: str
    advice: str
    when: tuple[str, ...] = field(default=())  # words or phrases that call it

    @property
    def text(self) -> str:
        """The case as it is shown to a model."""
        return "\n".join(part for part in (self.title, self.situation, self.advice) if part)


def read_cases(files: SkillFiles, path: str, findings: Findings) -> list[Case]:
    """The cases in one file; one that is wrong is reported and left out, the others are kept."""
    text = read_side_text(files, path, findings)
    if text is None:
        return []
    raw = _from_yaml(text, findings) if is_yaml(path) else _from_markdown(text, findings)
    cases: dict[str, Case] = {}
    for number, (value, line) in enumerate(raw, 1):
        case = _case(value, number, line, findings)
        if case is None:
            continue
        if case.id in cases:
            findings.error(f"the id {case.id!r} is taken by an earlier case; this one is left out", line)
        elif len(cases) >= MOST_CASES:
            findings.error(f"has more than {MOST_CASES} cases; the rest is left out", line)
            break
        else:
            cases[case.id] = case
    if not raw and not list(findings):
        findings.warning("holds no cases", 1)
    return list(cases.values())


def _case(value: Any, number: int, line: int, findings: Findings) -> Case | None:
    if not isinstance(value, dict):
        findings.error(f"case {number} is no mapping; write id, title, when, situation and advice", line)
        return None
    texts = {key: _text(value.get(key)) for key in ("id", "title", "situation", "advice")}
    when = _when(value.get("when")) + _when(value.get("keywords"))
    missing = [key for key in ("title", "advice") if not texts[key]]
    if missing or not (when or texts["situation"]):
        what = " and ".join(missing) or "situation or when"
        findings.error(f"case {number} has no {what}; it is left out", line)
        return None
    case = Case(
        id=texts["id"] or f"case-{number}",
        title=texts["title"],
        situation=texts["situation"],
        advice=texts["advice"],
        when=tuple(dict.fromkeys(when)),
    )
    if len(case.text) > LONGEST:
        findings.error(f"case {number} has more than {LONGEST} characters; it is left out", line)
        return None
    return case


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(f"- {_text(each)}" for each in value)
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _when(value: Any) -> tuple[str, ...]:
    listed = re.split(r"[,，、;；\n]", value) if isinstance(value, str) else value
    if not isinstance(listed, list):
        return ()
    return tuple(text for each in listed if (text := _text(each).removeprefix("- ").strip()))


def _from_yaml(text: str, findings: Findings) -> list[tuple[Any, int]]:
    document = read_side_yaml(text, findings) or Document()
    value: Any = document.value
    prefix: tuple[str, ...] = ()
    if isinstance(value, dict) and "cases" in value:
        value, prefix = value["cases"], ("cases",)
    if value is None:
        return []
    if not isinstance(value, list):
        findings.error("holds no list of cases; each begins with '- id: …'", document.line(*prefix))
        return []
    return [(each, document.line(*prefix, index)) for index, each in enumerate(value)]


def _from_markdown(text: str, findings: Findings) -> list[tuple[Any, int]]:
    """A case begins with a heading of the second level; what stands before the first is about the file."""
    headings = list(_HEADING.finditer(text))
    if not headings and text.strip():
        findings.error("has no case; each begins with a heading '## Title {#id}'", 1)
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    found = []
    for heading, end in zip(headings, ends, strict=True):
        written = heading[1].rstrip(" \t").rstrip("#").rstrip(" \t")
        named = _ID.search(written)
        title = written[: named.start()].rstrip(" \t") if named else written
        value: dict[str, Any] = {"title": title, **_sections(text[heading.end() : end])}
        if named:
            value["id"] = named[1]
        found.append((value, line_at(text, heading.start())))
    return found


def _sections(text: str) -> dict[str, str]:
    """The parts under their labels; what stands before any label is the situation."""
    labels = list(_LABEL.finditer(text))
    parts = {"situation": text[: labels[0].start() if labels else len(text)].strip()}
    for label, following in zip(labels, [*labels[1:], None], strict=True):
        key = label[1].lower()
        key = {"keywords": "when"}.get(key, _CHINESE.get(key, key))
        content = text[label.end() : following.start() if following else len(text)].strip()
        parts[key] = "\n".join(part for part in (parts.get(key, ""), content) if part)
    return parts
