"""Loading 1,000 skills at start, and what a look at an unchanged catalogue costs."""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench._ground import table
from weft.skills.catalogue import Catalogue
from weft.skills.shelf import Root, Shelf

SKILLS = 1_000
ROUNDS = 5
TEXT = """---
name: {name}
description: Reads the {number} kinds of reports somebody may bring and says what matters. Use when a report comes.
license: Apache-2.0
compatibility: Needs Python 3.11
metadata: {{author: bench, version: "1.{number}", tags: [reports, reading]}}
allowed-tools: Read Grep Bash(git diff:*)
requires: {{binaries: [python3], environment: [], libraries: [yaml]}}
requires_birth_info: false
profile_fields: [life_context, skill_data.{name}]
---
# {name}

{body}
"""
BODY = "Read the report first. 先读完报告，再回答。 Then say what matters, briefly, with the page.\n" * 40


def _write(root: Path, number: int, description: str = "") -> None:
    folder = root / f"skill-{number:04}"
    folder.mkdir(exist_ok=True)
    text = TEXT.format(name=folder.name, number=number, body=BODY + description)
    (folder / "SKILL.md").write_text(text, encoding="utf-8")


def _milliseconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median of processor time."""
    spent = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        spent.append((time.process_time() - started) * 1000)
    return statistics.median(spent)


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as place:
        root = Path(place)
        for number in range(SKILLS):
            _write(root, number)

        def fresh() -> Catalogue:
            return Catalogue([Shelf(Root("operator", root), interval=60)])

        load = _milliseconds(lambda: fresh().look())
        catalogue = fresh()
        assert len(catalogue.look().skills) == SKILLS
        asked = 100_000
        glance = _milliseconds(lambda: [catalogue.look() for _ in range(asked)]) / asked
        stats = _milliseconds(lambda: catalogue.look(now=True), 20)

        def one_changed() -> None:
            _write(root, 7, str(time.time_ns()))
            catalogue.look(now=True)

        rows = [
            (f"load {SKILLS} skills", load),
            ("look within the interval", glance),
            ("look at the disk, nothing changed (at most once a second)", stats),
            ("look at the disk, one file changed", _milliseconds(one_changed)),
        ]
        print("| | ms processor |\n| --- | --- |")
        for name, figure in rows:
            print(f"| {name} | {figure:.5f} |")
    table(("limit", "holds"), [("load under 1,000 ms", load < 1000)])


if __name__ == "__main__":
    main()
