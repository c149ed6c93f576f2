"""A file that begins with YAML between two lines of `---`, and goes on as Markdown."""

import re
from dataclasses import dataclass

from weft.kit.text import check_storable
from weft.skills.findings import Findings, line_at
from weft.skills.yaml_events import Document, YamlProblem, read_yaml

LARGEST = 64 << 10  # characters of front matter
_FENCE = re.compile(r"---[ \t]*")
_END = re.compile(r"^(---|\.\.\.)[ \t]*$", re.MULTILINE)
# `description: Use when: somebody asks`, or one that begins with a back-tick: many write so, and YAML refuses it.
_UNQUOTED = re.compile(r"^([A-Za-z_][\w-]*):[ \t]+([^\s\"'\[{|>&*!#%@`].*:(?:[ \t].*)?|[%@`].*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Split:
    """The two parts of a file, and the lines in which they begin."""

    front: str
    body: str
    front_line: int
    body_line: int


def decode(content: bytes, findings: Findings) -> str | None:
    """The text of a file, with its line ends made one kind, or None when it is no text."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        findings.error("is not UTF-8 text; save it as UTF-8", line)
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        return check_storable(text)
    except ValueError as error:
        findings.error(str(error), line_at(text, text.index("\x00")))
        return None


def split(text: str, findings: Findings) -> Split | None:
    """The front matter and the body, or None where they cannot be told apart."""
    start = len(text) - len(text.lstrip("\n \t"))
    opening = _FENCE.match(text, start)
    if opening is None or text[opening.end() : opening.end() + 1] not in ("\n", ""):
        findings.error("does not begin with front matter; the first line must be '---'", 1)
        return None
    begin = min(opening.end() + 1, len(text))
    closing = _END.search(text, begin)
    if closing is None:
        findings.error("has front matter that is never closed; end it with a line '---'", line_at(text, start))
        return None
    if closing.start() - begin > LARGEST:
        findings.error(f"has more than {LARGEST} characters of front matter", line_at(text, begin))
        return None
    body = text[closing.end() :].lstrip("\n")
    body_line = line_at(text, len(text) - len(body)) if body else line_at(text, closing.start())
    return Split(text[begin : closing.start()], body.rstrip("\n"), line_at(text, begin), body_line)


def parse(parts: Split, findings: Findings) -> Document | None:
    """The front matter's values; a colon in an unquoted text is forgiven, as other agents do."""
    try:
        document = read_yaml(parts.front, parts.front_line)
    except YamlProblem as problem:
        quoted = _UNQUOTED.sub(_quote, parts.front)
        try:
            document = read_yaml(quoted, parts.front_line)
        except YamlProblem:
            findings.error(problem.message, problem.line)
            return None
        findings.warning(f"{problem.message}; read as if the text there stood in quotes", problem.line)
    if not isinstance(document.value, dict):
        findings.error("has front matter that is no mapping; write for example 'name: tarot'", parts.front_line)
        return None
    for key, line in document.repeated:
        findings.warning(f"{key!r} stands here again; the last one counts", line)
    return document


def _quote(found: re.Match[str]) -> str:
    text = found[2].rstrip()
    return f"{found[1]}: '{text.replace(chr(39), chr(39) * 2)}'"
