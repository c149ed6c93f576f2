"""Live folders are replaced whole or not at all, and what history cannot keep is never destroyed."""

import os
import threading
import time
from pathlib import Path

import pytest

from weft.skills import live_folders
from weft.skills.errors import SkillBusyError, SkillsFolderError
from weft.skills.live_folders import read_whole, replace
from weft.skills.shelf import Root, Shelf

OLD = {"SKILL.md": b"---\nname: tarot\ndescription: old\n---\nx\n", "ref/a.md": b"a", "ref/deep/b.bin": b"\x00"}
NEW = {"SKILL.md": b"---\nname: tarot\ndescription: new\n---\ny\n"}


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_a_folder_is_made_replaced_and_taken_away(tmp_path: Path) -> None:
    """SKILL-9"""
    root = tmp_path / "home" / "skills"
    assert read_whole(root, "tarot") is None
    for files in (OLD, NEW, OLD, OLD):
        replace(root, "tarot", files)
        assert read_whole(root, "tarot") == files
        assert names(root) == ["tarot"]
    for _ in range(2):
        replace(root, "tarot", None)
        assert names(root) == []


def test_a_linked_folder_is_replaced_and_what_it_led_to_stays(tmp_path: Path) -> None:
    """SKILL-9: a folder of another agent is not ours to change."""
    theirs, root = tmp_path / "theirs", tmp_path / "skills"
    replace(theirs, "tarot", OLD)
    root.mkdir()
    (root / "tarot").symlink_to(theirs / "tarot")
    assert read_whole(root, "tarot") == OLD
    replace(root, "tarot", NEW)
    assert (read_whole(root, "tarot"), (root / "tarot").is_symlink()) == (NEW, False)
    assert read_whole(theirs, "tarot") == OLD


@pytest.mark.parametrize("kind", ["link", "pipe", "odd name", "large", "many"])
def test_what_history_cannot_keep_is_not_read_for_it(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SKILL-9: rather than to lose a file, the change is refused, and says which one it is."""
    replace(tmp_path, "tarot", OLD)
    place = tmp_path / "tarot" / "ref"
    match kind:
        case "link":
            (place / "x").symlink_to(tmp_path)
        case "pipe":
            os.mkfifo(place / "x")
        case "odd name":
            (place / "a:b").write_bytes(b"x")
        case "large":
            monkeypatch.setattr(live_folders, "_LIMITS", live_folders.ArchiveLimits(total=10))
        case "many":
            monkeypatch.setattr(live_folders, "_LIMITS", live_folders.ArchiveLimits(entries=2))
    with pytest.raises((SkillBusyError, live_folders.CallerError), match=r"tarot|ref|SKILL"):
        read_whole(tmp_path, "tarot")


def test_a_folder_that_cannot_be_written_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SKILL-9: an operator is told what to do; the old skill works on."""
    replace(tmp_path, "tarot", OLD)
    renamed = Path.rename

    def full(self: Path, target: Path) -> Path:
        if target.name == "tarot" and self.name == "new":
            raise OSError(28, "No space left on device")
        return renamed(self, target)

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(SkillsFolderError, match="No space left on device"):
        replace(tmp_path, "tarot", NEW)
    assert read_whole(tmp_path, "tarot") == OLD
    assert names(tmp_path) == ["tarot"]
    monkeypatch.undo()
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    with pytest.raises(SkillsFolderError, match="could not be put into"):
        replace(blocked / "skills", "tarot", NEW)


def test_what_a_dead_process_left_is_in_nobodys_way(tmp_path: Path) -> None:
    """STATE-5: killed between the two renamings, and done again."""
    replace(tmp_path, "tarot", OLD)
    (tmp_path / ".tarot.new").mkdir()
    (tmp_path / "tarot").rename(tmp_path / ".tarot.new" / "old")
    assert Shelf(Root("operator", tmp_path)).skills() == []
    replace(tmp_path, "tarot", NEW)
    assert (read_whole(tmp_path, "tarot"), names(tmp_path)) == (NEW, ["tarot"])


def test_whoever_looks_while_it_is_replaced_sees_one_or_the_other(tmp_path: Path) -> None:
    """SKILL-9: nobody sees half of a skill, or none."""
    replace(tmp_path, "tarot", OLD)
    shelf = Shelf(Root("operator", tmp_path))
    shelf.look(now=True)
    until = time.monotonic() + 1.5
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            for files in (NEW, OLD):
                replace(tmp_path, "tarot", files)
                time.sleep(0.002)

    changing = threading.Thread(target=change)
    changing.start()
    seen: set[str] = set()
    try:
        while time.monotonic() < until:
            shelf.look(now=True)
            assert [each.skill.name for each in shelf.skills()] == ["tarot"], shelf.findings()
            assert shelf.findings() == []
            seen.add(shelf.skills()[0].skill.description)
    finally:
        stop.set()
        changing.join()
    assert seen == {"old", "new"}
