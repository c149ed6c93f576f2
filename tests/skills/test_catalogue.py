"""Several roots are one catalogue: who comes first, what is missing, and what a look costs."""

import os
import time
from pathlib import Path

import pytest

from tests.skills.conftest import Write
from weft.skills.availability import REMEMBERED, Machine, has_binary, has_environment, has_library
from weft.skills.catalogue import Catalogue
from weft.skills.errors import SkillNotFoundError
from weft.skills.shelf import Root, Shelf

NEEDS = "name: {0}\ndescription: x\nrequires: {{binaries: [gh], environment: [TOKEN], libraries: [ephem]}}"


class Ticking:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ticking() -> Ticking:
    return Ticking()


@pytest.fixture
def shelves(tmp_path: Path, ticking: Ticking) -> list[Shelf]:
    levels = ("shipped", "user", "operator")  # in any order
    return [Shelf(Root(level, tmp_path / level), monotonic=ticking) for level in levels]


@pytest.fixture
def catalogue(shelves: list[Shelf]) -> Catalogue:
    return Catalogue(shelves, Machine(binary=lambda _: False, environment=lambda _: False, library=lambda _: False))


def settle() -> None:
    time.sleep(0.06)


def test_the_users_skill_hides_the_operators_and_this_the_shipped_one(catalogue: Catalogue, write: Write) -> None:
    """SKILL-5: a stated precedence, and what loses is reported."""
    for level in ("shipped", "operator", "user"):
        write(f"{level}/tarot", f"name: tarot\ndescription: From {level}.")
    write("shipped/bazi")
    seen = catalogue.look()
    assert list(seen.skills) == ["bazi", "tarot"]
    assert (seen.get("tarot").level, seen.get("tarot").skill.description) == ("user", "From user.")
    assert [str(each) for each in seen.findings] == [
        "operator/tarot/SKILL.md: warning: is hidden by user/tarot/SKILL.md, which has the same name, 'tarot'",
        "shipped/tarot/SKILL.md: warning: is hidden by user/tarot/SKILL.md, which has the same name, 'tarot'",
    ]
    with pytest.raises(SkillNotFoundError):
        seen.get("astrology")


def test_within_a_root_the_folder_of_that_name_wins(catalogue: Catalogue, write: Write) -> None:
    """SKILL-5"""
    write("operator/a-copy", "name: tarot\ndescription: copy")
    write("operator/tarot", "name: tarot\ndescription: original")
    assert catalogue.look().get("tarot").skill.description == "original"


def test_a_broken_skill_stops_no_other_and_hides_none(catalogue: Catalogue, write: Write) -> None:
    """SKILL-5"""
    write("user/tarot", "name: [")
    write("shipped/tarot")
    write("user/career")
    seen = catalogue.look()
    assert set(seen.skills) == {"tarot", "career"}
    assert seen.get("tarot").level == "shipped"
    assert any(each.file == "user/tarot/SKILL.md" and each.severity == "error" for each in seen.findings)


def test_what_is_missing_is_named(catalogue: Catalogue, write: Write) -> None:
    """SKILL-8: such a skill stays in the list, and is not put into prompts whole."""
    write("shipped/stars", NEEDS.format("stars") + "\nalways: true")
    write("shipped/plain", "name: plain\ndescription: x\nalways: true")
    seen = catalogue.look()
    assert list(map(str, seen.get("stars").missing)) == ["binary gh", "environment TOKEN", "library ephem"]
    assert not seen.get("stars").available
    assert [each.name for each in seen.always()] == ["plain"]


def test_what_is_installed_meanwhile_is_seen(shelves: list[Shelf], write: Write, ticking: Ticking) -> None:
    """SKILL-8: by every user's catalogue, though all of them share the answers."""
    there: set[str] = set()
    has = there.__contains__
    machine = Machine(binary=has, environment=has, library=has, monotonic=ticking)
    catalogues = [Catalogue(shelves, machine) for _ in range(3)]
    write("shipped/stars", NEEDS.format("stars"))
    assert not any(each.look(now=True).get("stars").available for each in catalogues)
    there |= {"gh", "TOKEN", "ephem"}
    ticking.now += REMEMBERED + 1
    assert all(each.look(now=True).get("stars").available for each in catalogues)


def test_this_machine_is_asked_without_importing_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """SKILL-8: and a skill cannot ask whether a file exists."""
    monkeypatch.setenv("WEFT_TEST_SET", "x")
    monkeypatch.setenv("WEFT_TEST_EMPTY", "")
    assert has_environment("WEFT_TEST_SET")
    assert not has_environment("WEFT_TEST_EMPTY")
    assert has_library("yaml")
    assert has_library("PyYAML")
    assert not any(map(has_library, ("no_such_thing", "", "..", "a b", "no.such", "x" * 300)))
    assert has_binary("sh") or os.name == "nt"
    assert not any(map(has_binary, ("/bin/sh", "../bin/sh", "", "no-such-binary", "a\x01b")))


def test_a_changed_file_is_seen_and_only_it_is_read(
    catalogue: Catalogue, shelves: list[Shelf], write: Write, ticking: Ticking
) -> None:
    """SKILL-5: hot reload; SKILL-10: the same object, and so the same bytes, as long as nothing changed."""
    for name in ("one", "two", "three"):
        write(f"operator/{name}")
    settle()
    first = catalogue.look()
    operator = next(shelf for shelf in shelves if shelf.root.level == "operator")
    assert operator.reads == 3
    ticking.now += 2
    assert catalogue.look() is first
    assert operator.reads == 3
    write("operator/two", "name: two\ndescription: New.")
    assert catalogue.look() is first  # within the interval nobody looks
    ticking.now += 2
    assert catalogue.look().get("two").skill.description == "New."
    assert first.get("two").skill.description == "Does two."
    assert operator.reads == 4


def test_a_change_within_the_same_tick_and_of_the_same_size_is_seen(catalogue: Catalogue, write: Write) -> None:
    """SKILL-5: time stamps are coarse, and may be set back."""
    folder = write("operator/two", "name: two\ndescription: AAA")
    stamp = (folder / "SKILL.md").stat()
    assert catalogue.look().get("two").skill.description == "AAA"
    write("operator/two", "name: two\ndescription: BBB")
    os.utime(folder / "SKILL.md", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert catalogue.look(now=True).get("two").skill.description == "BBB"


def test_added_and_removed_skills_and_roots_are_seen(catalogue: Catalogue, write: Write) -> None:
    """SKILL-5"""
    assert dict(catalogue.look().skills) == {}
    folder = write("user/one")
    assert list(catalogue.look(now=True).skills) == ["one"]
    (folder / "SKILL.md").unlink()
    assert dict(catalogue.look(now=True).skills) == {}


def test_only_a_root_that_says_so_follows_links(write: Write, tmp_path: Path) -> None:
    """TOOL-5: an operator may link a folder in; a workspace may not, and a linked file never counts."""
    outside = write("elsewhere/tarot")
    for level in ("user", "operator"):
        (tmp_path / level).mkdir()
        (tmp_path / level / "tarot").symlink_to(outside)
    liar = tmp_path / "operator" / "liar"
    liar.mkdir()
    (liar / "SKILL.md").symlink_to(outside / "SKILL.md")
    user, operator = Shelf(Root("user", tmp_path / "user")), Shelf(Root("operator", tmp_path / "operator", links=True))
    seen = Catalogue([user, operator]).look()
    assert {name: each.level for name, each in seen.skills.items()} == {"tarot": "operator"}
    assert [each.file for each in seen.findings] == ["operator/liar/SKILL.md", "user/tarot"]


def test_resources_are_listed_and_read_when_asked_for(catalogue: Catalogue, write: Write) -> None:
    """SKILL-8"""
    folder = write("shipped/tarot", references__cards="愚者", scripts__draw="print()")
    listed = catalogue.look().get("tarot")
    assert [(each.path, each.size) for each in listed.resources()] == [("references/cards", 6), ("scripts/draw", 7)]
    assert listed.read("references/cards").decode() == "愚者"
    (folder / "references" / "cards").write_text("changed")
    assert listed.read("references/cards") == b"changed"


def test_a_thousand_skills_load_in_little_time_and_a_changed_one_is_seen(write: Write, tmp_path: Path) -> None:
    """SKILL-5: in under a second of processor time; a look at all of them is a small part of that, and reads one."""
    for number in range(1_000):
        front = (
            f"name: skill-{number}\ndescription: Reads reports. 读报告。\nallowed-tools: Read Grep\nlicense: Apache-2.0"
        )
        write(f"operator/skill-{number}", front, body="Read the report first. 先读完报告，再回答。\n" * 60)
    settle()
    shelf = Shelf(Root("operator", tmp_path / "operator"))
    catalogue = Catalogue([shelf])
    started = time.process_time()
    assert len(catalogue.look().skills) == 1_000
    loaded = time.process_time() - started
    assert loaded < 1.0
    write("operator/skill-7", "name: skill-7\ndescription: Changed.")
    started, before = time.process_time(), shelf.reads
    assert catalogue.look(now=True).get("skill-7").skill.description == "Changed."
    assert time.process_time() - started < loaded / 4
    assert shelf.reads == before + 1
