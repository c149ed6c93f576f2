"""The files that stand in a prompt: in their order, read again only when they change."""

import os
import time
from pathlib import Path

import pytest

from weft.workspaces import prompt_files
from weft.workspaces.folder import Folder
from weft.workspaces.prompt_files import Known, look, size_of
from weft.workspaces.service import WorkspaceService


@pytest.fixture
def known() -> Known:
    return Known(size_of, 10_000)


def settled(folder: Folder) -> None:
    """What changed a moment ago is read again, for clocks count in ticks."""
    time.sleep(0.06)


def test_bootstrap_files_come_in_their_order(folder: Folder, known: Known) -> None:
    """WORK-1: AGENTS, SOUL, USER, TOOLS, IDENTITY; missing and empty ones skipped; memory apart."""
    for name in ("IDENTITY.md", "USER.md", "SOUL.md", "AGENTS.md"):
        folder.write((name,), f"I am {name}".encode())
    folder.write(("TOOLS.md",), b" \n")
    folder.write(("memory", "MEMORY.md"), b"# Memory\n- a cat\n")
    seen = look(folder, known)
    assert [file.name for file in seen.files] == ["AGENTS.md", "SOUL.md", "USER.md", "IDENTITY.md"]
    assert seen.files[1].text == "I am SOUL.md"
    assert seen.memory == "# Memory\n- a cat"


def test_nothing_is_read_twice(folder: Folder, known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """SKILL-10: the very same object until a file changes, comes or goes."""
    folder.write(("SOUL.md",), b"one")
    settled(folder)
    first = look(folder, known)
    with monkeypatch.context() as patched:
        patched.setattr(prompt_files, "text_of", None)
        assert look(folder, known) is first
    folder.write(("SOUL.md",), b"two")
    assert look(folder, known).files[0].text == "two"
    folder.write(("memory", "MEMORY.md"), b"- x")
    assert look(folder, known).memory == "- x"
    folder.delete(("SOUL.md",))
    assert look(folder, known).files == ()


def test_a_change_within_one_tick_of_the_clock_is_seen(folder: Folder, known: Known) -> None:
    """WORK-1: same size, same time put back, moments after it was read."""
    path = folder.path / "SOUL.md"
    folder.write(("SOUL.md",), b"one")
    before = path.stat()
    look(folder, known)
    path.write_bytes(b"two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert look(folder, known).files[0].text == "two"


def test_what_is_no_text_is_left_out(folder: Folder, known: Known, secret: Path) -> None:
    """TOOL-5, SEC-4: binary, too large, or a link; the others are shown."""
    folder.write(("SOUL.md",), b"\xff\xfe\x00")
    folder.write(("USER.md",), b"x" * (folder.limits.text + 1))
    (folder.path / "TOOLS.md").symlink_to(secret / "key")
    folder.write(("IDENTITY.md",), b"me")
    assert [file.name for file in look(folder, known).files] == ["IDENTITY.md"]


def test_a_long_file_is_cut_saying_so(folder: Folder, known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """SKILL-11: never silently."""
    monkeypatch.setattr(prompt_files, "LONGEST", 10)
    folder.write(("SOUL.md",), b"x" * 25)
    assert look(folder, known).files[0].text == "x" * 10 + "\n[15 more characters: read SOUL.md for them]"


def test_what_is_kept_is_bounded(folder: Folder) -> None:
    """SEC-4: users come and go; those seen least recently are read again."""
    known = Known(size_of, 1_000)
    for number in range(8):
        steps = (*folder.steps[:1], f"user{number}")
        other = Folder(folder.root, steps, folder.limits, folder.locks)
        other.write(("SOUL.md",), b"x" * 100)
        settled(other)
        look(other, known)
    assert len(known._kept) == 3
    assert known._size <= 1_000


async def test_a_workspace_of_nobody_is_empty(workspace: WorkspaceService) -> None:
    """WORK-1: nothing is made by looking."""
    seen = await workspace.prompt_files()
    assert (seen.files, seen.memory) == ((), None)
    assert not workspace.folder.exists()
