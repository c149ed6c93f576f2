"""The cases of a skill follow their files."""

import time
from pathlib import Path

import pytest

from tests.skills.conftest import Write
from weft.skills import case_shelf
from weft.skills.case_shelf import CaseShelf
from weft.skills.catalogue import Catalogue, Listed
from weft.skills.shelf import Root, Shelf

ONE = "- {id: a, title: 水逆恐慌, when: 水逆, advice: x}\n"
TWO = ONE + "- {id: b, title: 水逆出行, when: 水逆, advice: y}\n"


def listed(tmp_path: Path, name: str = "zodiac") -> Listed:
    return Catalogue([Shelf(Root("operator", tmp_path / "operator"))]).look().get(name)


def ids(shelf: CaseShelf, skill: Listed) -> set[str]:
    return {match.case.id for match in shelf.match(skill, "水逆")}


def test_a_changed_file_is_seen_and_an_unchanged_one_is_not_read(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SKILL-6: incremental; SKILL-5: without a restart."""
    front = "name: zodiac\ndescription: x\ncases: [cases.yaml, more.yaml, none.yaml]"
    folder = write("operator/zodiac", front, **{"cases.yaml": ONE, "more.yaml": ONE})
    shelf, skill = CaseShelf(), listed(tmp_path)
    assert ids(shelf, skill) == {"a"}
    assert [str(each) for each in shelf.findings(skill)] == [
        "operator/zodiac/none.yaml: error: the skill has no file 'none.yaml'",
        "operator/zodiac: warning: two of its files have a case 'a'; the first counts",
    ]
    with monkeypatch.context() as patched:
        patched.setattr(case_shelf, "read_cases", None)
        assert ids(shelf, skill) == {"a"}
    time.sleep(0.01)
    (folder / "cases.yaml").write_text(TWO, encoding="utf-8")
    assert ids(shelf, skill) == {"a", "b"}
    (folder / "cases.yaml").unlink()
    (folder / "more.yaml").unlink()
    assert ids(shelf, skill) == set()


def test_what_is_held_has_a_limit(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SEC-4"""
    monkeypatch.setattr(case_shelf, "MOST_SKILLS", 2)
    shelf = CaseShelf()
    for name in ("one", "two", "three"):
        write(f"operator/{name}", f"name: {name}\ndescription: x\ncases: c.yaml", **{"c.yaml": ONE})
        assert ids(shelf, listed(tmp_path, name)) == {"a"}
    assert len(shelf._held) == 2
