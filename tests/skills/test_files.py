"""A skill's files are read without ever leaving its folder."""

import os
import threading
import time
from pathlib import Path

import pytest

from tests.skills.conftest import Write
from tests.skills.test_archives import ESCAPES
from weft.kit.errors import CallerError
from weft.skills import files as module
from weft.skills.errors import ResourceNotFoundError, ResourceRefusedError, ResourceTooLargeError
from weft.skills.files import FolderFiles, MemoryFiles


@pytest.fixture(params=["by steps", "resolved"])
def skill(request: pytest.FixtureRequest, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FolderFiles:
    """A skill, read in either of the two ways, and a secret beside it."""
    monkeypatch.setattr(module, "_BY_STEPS", request.param == "by steps")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("secret")
    return FolderFiles(write("tarot", references__cards="cards"))


@pytest.mark.parametrize("path", [*ESCAPES, "", ".", "..", "references/../SKILL.md", "references/", "a\0b"])
def test_a_path_that_leads_elsewhere_is_refused(skill: FolderFiles, path: str) -> None:
    """TOOL-5"""
    for files in (skill, MemoryFiles({path: b"x"})):
        with pytest.raises(ResourceRefusedError):
            files.read(path)


def test_links_are_never_followed(skill: FolderFiles, tmp_path: Path) -> None:
    """TOOL-5: to a file, to a folder, over two steps, within the skill."""
    (skill.folder / "file").symlink_to(tmp_path / "secret" / "key")
    (skill.folder / "folder").symlink_to(tmp_path / "secret")
    (skill.folder / "references" / "up").symlink_to("../..")
    (skill.folder / "inside").symlink_to("SKILL.md")
    (skill.folder / "loop").symlink_to("loop")
    for path in ("file", "folder/key", "references/up/secret/key", "inside", "loop"):
        with pytest.raises(CallerError) as refused:
            skill.read(path)
        assert not isinstance(refused.value, ResourceNotFoundError) or path == "loop"
    assert [each.path for each in skill.list()] == ["SKILL.md", "references/cards"]


@pytest.mark.timeout(20)
def test_devices_and_folders_are_no_files(skill: FolderFiles) -> None:
    """TOOL-5: a pipe that nobody writes to does not hold the reader either."""
    os.mkfifo(skill.folder / "pipe")
    for path in ("pipe", "references"):
        with pytest.raises(ResourceRefusedError):
            skill.read(path)
    assert [each.path for each in skill.list()] == ["SKILL.md", "references/cards"]


def test_missing_and_large_files_are_told_apart(skill: FolderFiles) -> None:
    """SEC-4"""
    with pytest.raises(ResourceNotFoundError):
        skill.read("references/nothing")
    with pytest.raises(ResourceTooLargeError):
        skill.read("references/cards", limit=4)
    assert skill.read("references/cards", limit=5) == b"cards"


def test_swapping_a_folder_for_a_link_gains_nothing(write: Write, tmp_path: Path) -> None:
    """TOOL-5: somebody exchanges the folder for a link all the time while it is read."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "cards").write_text("secret")
    skill = FolderFiles(write("tarot", references__cards="cards"))
    folder, link, away = (skill.folder / name for name in ("references", "link", "away"))
    link.symlink_to(tmp_path / "secret")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            folder.rename(away)
            link.rename(folder)
            folder.rename(link)
            away.rename(folder)

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen: set[bytes | None] = set()
    until = time.monotonic() + 30  # a busy machine may hold the swapping still where nothing can be read
    try:
        for _ in range(2000):
            seen.add(_read(skill))
        while b"cards" not in seen and time.monotonic() < until:
            seen.add(_read(skill))
    finally:
        stop.set()
        swapping.join()
    assert seen <= {b"cards", None}
    assert b"cards" in seen


def _read(skill: FolderFiles) -> bytes | None:
    try:
        return skill.read("references/cards")
    except CallerError:
        return None
