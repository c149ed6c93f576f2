"""Skills are read as they come, and what was odd about them is told by file and line."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.arbitrary import ANY_TEXT
from weft.skills.files import MemoryFiles
from weft.skills.findings import errors
from weft.skills.reading import LARGEST, Reading, read_skill
from weft.skills.skill import Requirements

FULL = """---
name: bazi
description: >-
  看八字。Use when somebody asks about their chart.
license: Apache-2.0
compatibility: Needs Python 3.11
metadata:
  author: weft
  version: "1.0"
allowed-tools: Read Bash(git diff:*) Grep
requires_birth_info: true
requires_compute: yes
compute_type: bazi_chart
profile_fields: [birth_info, skill_data.bazi]
always: false
requires:
  binaries: [git]
  environment: BAZI_TOKEN, OTHER
  libraries: [lunar_python]
sop: sop.md
cases: [cases/one.yaml, ./cases/two.md]
data_schema: schema.json
model: sonnet
---

# 八字

Ask for the hour.
"""


def read(text: str | bytes, folder: str = "bazi") -> Reading:
    return read_skill(MemoryFiles({"SKILL.md": text.encode() if isinstance(text, str) else text}), folder)


def told(reading: Reading) -> str:
    return "\n".join(map(str, reading.findings))


def test_every_key_of_the_standard_and_of_weft_is_read() -> None:
    """SKILL-5"""
    reading = read(FULL)
    skill = reading.skill
    assert reading.findings == ()
    assert (skill.name, skill.license, skill.compatibility) == ("bazi", "Apache-2.0", "Needs Python 3.11")
    assert skill.description == "看八字。Use when somebody asks about their chart."
    assert skill.metadata == {"author": "weft", "version": "1.0"}
    assert skill.allowed_tools == ("Read", "Bash(git diff:*)", "Grep")
    assert (skill.requires_birth_info, skill.requires_compute, skill.always) == (True, True, False)
    assert (skill.compute_type, skill.profile_fields) == ("bazi_chart", ("birth_info", "skill_data.bazi"))
    assert skill.requires == Requirements(("git",), ("BAZI_TOKEN", "OTHER"), ("lunar_python",))
    assert skill.side_files == ("sop.md", "cases/one.yaml", "cases/two.md", "schema.json")
    assert skill.others == {"model": "sonnet"}
    assert (skill.body, skill.body_line) == ("# 八字\n\nAsk for the hour.", 26)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.rstrip("\n"),
        lambda text: "\n\n" + text,
        lambda text: text.replace("---\n", "---  \t\n"),
        lambda text: text.replace("---\n\n#", "...\n\n#"),
    ],
)
def test_how_a_file_was_saved_does_not_matter(change) -> None:
    """SKILL-5: BOM, line ends, no last newline, blanks around the fences."""
    skill = read(change(FULL)).skill
    assert (skill.description, skill.body) == (read(FULL).skill.description, read(FULL).skill.body)


OTHERS = {  # as other agents ship them, each with what must come out
    "nanobot": (
        'name: github\ndescription: "Use `gh`."\nmetadata: {"nanobot":{"emoji":"x","requires":{"bins":["gh"],'
        '"env":["T"]},"always":true}}',
        lambda skill: skill.requires == Requirements(("gh",), ("T",)) and skill.always,
    ),
    "claude": (
        "name: github\ndescription: Reviews.\nallowed-tools: Read, Grep, Bash(gh pr view:*)\nmodel: opus\n"
        "disable-model-invocation: true\nargument-hint: [issue] [priority]".replace("[issue] ", ""),
        lambda skill: skill.allowed_tools == ("Read", "Grep", "Bash(gh pr view:*)") and "model" in skill.others,
    ),
    "no name": ("description: Reviews.", lambda skill: skill.name == "github"),
    "no description": ("name: github", lambda skill: skill.description == "Draw three cards."),
    "unquoted colon": (
        "name: github\ndescription: Use when: somebody asks: 'why'",
        lambda skill: skill.description == "Use when: somebody asks: 'why'",
    ),
    "capitals": ("name: Git Hub_Tool\ndescription: Reviews.", lambda skill: skill.name == "git-hub-tool"),
    "anchors": (
        "name: github\ndescription: &d Reviews.\nmetadata: {a: *d, <<: {b: c}}",
        lambda skill: skill.metadata == {"a": "Reviews.", "b": "c"},
    ),
    "numbers and dates": (
        "name: github\ndescription: 2024-01-01\nlicense: 1.10\nversion: 0x1G\nlast: 2024-13-45",
        lambda skill: (skill.description, skill.license) == ("2024-01-01", "1.10"),
    ),
    "tags": ("name: !!str github\ndescription: !local Reviews.", lambda skill: skill.description == "Reviews."),
    "python tags": (
        "name: github\ndescription: Reviews.\nx: !!python/object/apply:os.system ['true']",
        lambda skill: skill.others == {"x": ["true"]},
    ),
    "odd types": (
        "name: github\ndescription: Reviews.\nmetadata: [a]\nallowed-tools: {a: b}\nalways: perhaps\nrequires: x",
        lambda skill: skill.metadata == {} and skill.allowed_tools == () and not skill.always,
    ),
    "key twice": ("name: a\nname: github\ndescription: Reviews.", lambda skill: skill.name == "github"),
    "block scalar": ("name: github\ndescription: |\n  Reviews.\n  More.", lambda skill: "\nMore." in skill.description),
    "hyphen line": ("name: github\ndescription: a --- b", lambda skill: skill.description == "a --- b"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_skills_of_other_agents_load_unchanged(kind: str) -> None:
    """SKILL-5"""
    front, holds = OTHERS[kind]
    reading = read(f"---\n{front}\n---\n# Title\n\nDraw three cards.\n", "github")
    assert reading.skill is not None, told(reading)
    assert holds(reading.skill)
    assert errors(reading.findings) == ()


def test_a_name_that_is_not_the_folders_is_a_warning() -> None:
    """SKILL-5"""
    reading = read("---\ndescription: x\nname: bazi\n---\n", "other")
    assert reading.skill.name == "bazi"
    assert told(reading) == "other/SKILL.md:3: warning: name 'bazi' is not that of its folder, 'other'"


BROKEN = {
    "no front matter": (b"# Title\n", 1, "first line"),
    "never closed": (b"---\nname: x\n", 1, "never closed"),
    "not YAML": (b"---\nname: bazi\ndescription: [x\n---\n", 4, "not valid YAML"),
    "a list": (b"---\n- a\n---\n", 2, "no mapping"),
    "empty": (b"", 1, "first line"),
    "not UTF-8": (b"---\nname: bazi\ndescription: \xff\n---\n", 3, "UTF-8"),
    "UTF-16": ("---\nname: x\n---\n".encode("utf-16"), 1, "UTF-8"),
    "NUL": (b"---\nname: bazi\n---\nx\n\x00", 5, "NUL"),
    "control": (b"---\nname: bazi\ndescription: a\x07b\n---\n", 3, "not valid YAML"),
    "says nothing": (b"---\nname: bazi\n---\n# Title\n", 2, "no description"),
    "escapes": (b"---\nname: bazi\ndescription: x\ncases: [a.yaml, ../../x]\n---\n", 4, "'../../x'"),
    "absolute": (b"---\nname: bazi\ndescription: x\nsop: /etc/passwd\n---\n", 4, "absolute"),
    "no name possible": ("---\nname: 八字\ndescription: x\n---\n".encode(), 2, "small letters"),
    "complex key": (b"---\n? [a]\n: b\n---\n", 2, "key"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_skill_is_told_by_file_and_line(kind: str) -> None:
    """SKILL-5"""
    content, line, says = BROKEN[kind]
    reading = read(content, "八字" if kind == "no name possible" else "bazi")
    assert reading.skill is None
    first = errors(reading.findings)[0]
    assert (first.file.rpartition("/")[2], first.line) == ("SKILL.md", line), told(reading)
    assert says in first.message


CHAIN = list(pairwise("abcdefghijkl"))


def nine(name: str) -> str:
    return ",".join(["*" + name] * 9)


BOMBS = {
    "brackets": "a: " + "[" * 30_000,
    "dashes": "- " * 30_000,
    "keys": "? " * 30_000,
    "braces": "{a: " * 15_000,
    "laughs": 'a: &a ["l"]\n' + "".join(f"{c}: &{c} [{nine(p)}]\n" for p, c in CHAIN),
    "merges": "a: &a {k: v}\n" + "".join(f"{c}: &{c} {{<<: [{nine(p)}]}}\n" for p, c in CHAIN),
    "itself": "a: &a [*a]",
    "many": "a: [" + "1," * 30_000 + "]",
    "long number": "a: " + "9" * 60_000,
    "long": "a: " + "x" * 70_000,
    "quotes": "description: " + "'" * 60_001,
    "colons": "description: " + ": " * 30_000,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_costs_little_and_stops_nobody(kind: str) -> None:
    """SKILL-5, SEC-4: depth, aliases, sizes."""
    started = time.process_time()
    reading = read(f"---\nname: bazi\n{BOMBS[kind]}\n---\n# only a title\n")
    assert time.process_time() - started < 1
    assert all(len(finding.message) < 500 for finding in reading.findings)
    assert reading.findings


def test_a_file_past_the_limit_is_not_read() -> None:
    """SEC-4"""
    assert "SKILL.md" in told(read(FULL + "x" * LARGEST))


@given(st.text() | ANY_TEXT, st.text())
@settings(max_examples=150, deadline=None)
def test_whatever_stands_there_is_read_or_reported(front: str, body: str) -> None:
    """SKILL-5: nothing is raised, and nothing that moves a terminal is said."""
    reading = read(f"---\n{front}\n---\n{body}".encode("utf-8", "surrogatepass"))
    assert (reading.skill is None) == bool(errors(reading.findings))
    assert all(finding.message.isprintable() for finding in reading.findings)
