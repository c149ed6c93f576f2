"""A workspace's files are read and written without ever leaving it, whole or not at all, within limits."""

import ctypes
import os
import threading
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workspaces.conftest import SECRET
from weft.kit.errors import CallerError
from weft.workspaces import walking
from weft.workspaces.errors import FileMissingError, FileTooLargeError, PathRefusedError
from weft.workspaces.folder import Folder, Limits
from weft.workspaces.service import Workspaces

_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE
_LINKS = ("file", "folder", "up", "loop", "root", "inside", "dangling")


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def planted(folder: Folder, secret: Path) -> Folder:
    """The same workspace after somebody has made links in it that lead outside."""
    folder.write(("notes", "a.md"), b"hello")
    here = folder.path
    targets = {"file": secret / "key", "folder": secret, "up": "..", "loop": "loop", "root": "/", "inside": "notes"}
    targets |= {"dangling": "nothing", "notes/deep": secret}
    for name, target in targets.items():
        (here / name).symlink_to(target)
    return folder


@pytest.fixture
def attacked(folder: Folder, secret: Path) -> Folder:
    return planted(folder, secret)


_NAME = st.sampled_from([*_LINKS, "notes", "deep", "key", "a.md", "new.md", "secret"])
_ACTIONS: dict[str, Callable[[Folder, tuple[str, ...]], object]] = {
    "read": lambda folder, parts: folder.read(parts),
    "head": lambda folder, parts: folder.head(parts, 8),
    "write": lambda folder, parts: folder.write(parts, b"overwritten"),
    "append": lambda folder, parts: folder.append(parts, b"overwritten"),
    "delete": lambda folder, parts: folder.delete(parts),
    "rename": lambda folder, parts: folder.rename(parts, "renamed"),
    "list": lambda folder, parts: [entry.name for entry in folder.list(parts)],
}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([*_ACTIONS]), st.lists(_NAME, min_size=1, max_size=3)), max_size=8))
def test_no_way_over_links_leads_out(workspaces: Workspaces, secret: Path, steps: list[tuple[str, list[str]]]) -> None:
    """TOOL-5: whatever is done in whatever order, nothing outside is read, listed, changed or taken away."""
    attacked = planted(workspaces.of(uuid4(), uuid4()), secret)
    for action, parts in steps:
        try:
            got = _ACTIONS[action](attacked, tuple(parts))
        except CallerError:
            continue
        assert got not in (SECRET.encode(), SECRET.encode()[:8], ["key"])
    assert (secret / "key").read_text() == SECRET
    assert names(secret) == ["key"]


@pytest.mark.parametrize(
    "parts", [("file",), ("folder", "key"), ("up", "up", "secret", "key"), ("root", "etc", "passwd")]
)
def test_each_link_is_refused_in_words(attacked: Folder, parts: tuple[str, ...]) -> None:
    """TOOL-5: a link is told apart from a file that is not there."""
    with pytest.raises(PathRefusedError, match="leads over a link"):
        attacked.read(parts)


def test_a_link_is_replaced_and_deleted_itself(attacked: Folder, secret: Path) -> None:
    """TOOL-5: what it led to stays as it was."""
    attacked.write(("file",), b"mine")
    assert attacked.read(("file",)) == b"mine"
    attacked.delete(("folder",))
    assert (secret / "key").read_text() == SECRET


def test_a_linked_workspace_is_refused(workspaces: Workspaces, secret: Path) -> None:
    """TOOL-5: also where the user's own folder was swapped for a link."""
    folder = workspaces.of(uuid4(), uuid4())
    folder.path.parent.mkdir(parents=True)
    folder.path.symlink_to(secret)
    for action in ("read", "write", "append", "delete"):
        with pytest.raises(PathRefusedError):
            _ACTIONS[action](folder, ("key",))
    assert (secret / "key").read_text() == SECRET
    assert folder.usage() == (0, 0)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("action", ["read", "write", "append", "delete"])
def test_swapping_a_folder_for_a_link_gains_nothing(folder: Folder, secret: Path, action: str) -> None:
    """TOOL-5: somebody exchanges the folder for a link all the time while files in it are used."""
    place, link = folder.path / "notes", folder.path / "link"
    folder.write(("notes", "key"), b"mine")
    link.symlink_to(secret)
    exchange = ctypes.CDLL(None, use_errno=True).renameat2
    stop, done, refused = threading.Event(), 0, 0

    def swap() -> None:
        while not stop.is_set():
            assert exchange(_HERE, bytes(place), _HERE, bytes(link), _EXCHANGE) == 0

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for _ in range(2_000):
            try:
                assert _ACTIONS[action](folder, ("notes", "key")) != SECRET.encode()
                done += 1
            except CallerError:
                refused += 1
    finally:
        stop.set()
        swapping.join()
    assert done, "the folder was never there"
    assert refused, "the link was never there"
    assert (secret / "key").read_text() == SECRET
    assert names(secret) == ["key"]


@pytest.mark.timeout(20)
def test_devices_and_pipes_are_no_files(folder: Folder) -> None:
    """TOOL-5: a pipe that nobody writes to holds nobody up."""
    os.mkfifo(folder.path / "pipe")
    for action in ("read", "append", "head"):
        with pytest.raises(PathRefusedError):
            _ACTIONS[action](folder, ("pipe",))
    assert [entry.name for entry in folder.list(())] == ["notes"]


def test_a_write_that_fails_leaves_the_file_as_it_was(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """WORK-1: whole or not at all, and nothing half written stays behind."""

    def broken(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(walking.os, "replace", broken)
        with pytest.raises(PathRefusedError, match="Input/output error"):
            folder.write(("notes", "a.md"), b"other")
    assert folder.read(("notes", "a.md")) == b"hello"
    assert names(folder.path / "notes") == ["a.md"]


def test_what_a_crash_left_is_swept(folder: Folder) -> None:
    """SEC-4: by the next write; nobody sees it meanwhile."""
    left = folder.path / "notes" / ".weft-0011223344556677"
    left.write_bytes(b"half")
    assert [entry.name for entry in folder.list(("notes",))] == ["a.md"]
    folder.write(("b.md",), b"x")
    assert not left.exists()


def test_limits_are_told_and_hold(workspaces: Workspaces) -> None:
    """SEC-4: of a file, of all files, and of their number; a refused write changes nothing."""
    limits = Limits(file=100, total=150, files=3)
    folder = Workspaces(workspaces.root, limits).of(uuid4(), uuid4())
    with pytest.raises(FileTooLargeError, match="101 bytes; at most 100"):
        folder.write(("a",), b"x" * 101)
    folder.write(("a",), b"x" * 100)
    with pytest.raises(FileTooLargeError, match="100 of 150 bytes"):
        folder.write(("b",), b"x" * 51)
    with pytest.raises(FileTooLargeError):
        folder.append(("a",), b"x" * 51)
    folder.write(("a",), b"x" * 10)  # what takes its place makes room
    folder.write(("b",), b"x" * 60)
    folder.write(("c",), b"")
    with pytest.raises(FileTooLargeError, match="3 files"):
        folder.write(("d", "e"), b"")
    folder.write(("c",), b"y")
    assert folder.usage() == (71, 3)
    with pytest.raises(FileTooLargeError):
        folder.read(("b",), 59)


def test_folders_and_files_are_told_apart(folder: Folder) -> None:
    """TOOL-5"""
    with pytest.raises(PathRefusedError, match="is a folder"):
        folder.write(("notes",), b"x")
    with pytest.raises(PathRefusedError, match="is a folder"):
        folder.read(("notes",))
    with pytest.raises(PathRefusedError, match="through a file"):
        folder.write(("notes", "a.md", "b"), b"x")
    with pytest.raises(PathRefusedError, match="not empty"):
        folder.delete(("notes",))
    folder.delete(("notes", "a.md"))
    folder.delete(("notes",))
    for action in ("read", "delete"):
        with pytest.raises(FileMissingError):
            _ACTIONS[action](folder, ("notes",))


def test_files_are_their_owners_alone(folder: Folder) -> None:
    """SEC-1: no other account of the machine reads them."""
    assert (folder.path / "notes" / "a.md").stat().st_mode & 0o077 == 0
    assert folder.path.stat().st_mode & 0o077 == 0
    assert folder.root.stat().st_mode & 0o077 == 0


def test_a_line_cut_off_by_a_crash_is_ended_first(folder: Folder) -> None:
    """WORK-1: the next entry begins on a line of its own."""
    folder.append(("log",), b"one\n")
    (folder.path / "log").write_bytes(b"one\ntw")
    folder.append(("log",), b"three\n")
    assert folder.read(("log",)) == b"one\ntw\nthree\n"
