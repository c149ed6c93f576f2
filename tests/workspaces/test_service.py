"""A user's workspace through its one door: isolation, edits, and many writers at once."""

import asyncio
import multiprocessing
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from tests.workspaces.conftest import somebody
from weft.kit.errors import ForbiddenError
from weft.workspaces.errors import (
    FileChangedError,
    FileMissingError,
    FileTooLargeError,
    NotTextError,
    PathRefusedError,
)
from weft.workspaces.folder import Limits
from weft.workspaces.service import Workspaces, WorkspaceService


async def test_workspaces_never_see_each_other(workspaces: Workspaces) -> None:
    """WORK-1, SEC-1: not another user's, not the same id's in another business; each asks for itself alone."""
    ann = somebody()
    others = [replace(ann, user_id=uuid4()), replace(ann, business_id=uuid4())]
    mine = WorkspaceService(ann, workspaces)
    await mine.write_text("notes/a.md", "mine")
    await mine.remember("a secret")
    await mine.note("something secret happened")
    for other in (WorkspaceService(each, workspaces) for each in others):
        assert await other.list() == []
        assert await other.search_history("secret") == []
        assert (await other.prompt_files()).memory is None
        for path in ("notes/a.md", f"../{ann.user_id}/notes/a.md", f"../../{ann.business_id}/{ann.user_id}/notes/a.md"):
            with pytest.raises((FileMissingError, PathRefusedError)):
                await other.read(path)
    assert await mine.read_text("notes/a.md") == "mine"


async def test_nobody_in_person_has_no_workspace(workspaces: Workspaces) -> None:
    """SEC-1"""
    for actor in (replace(somebody(), user_id=None), replace(somebody(), business_id=None)):
        with pytest.raises(ForbiddenError):
            WorkspaceService(actor, workspaces)


async def test_many_writers_lose_nothing(workspaces: Workspaces) -> None:
    """WORK-1: facts and entries of forty writers at once, each through a service of its own."""
    ann = somebody()
    work = [
        WorkspaceService(ann, workspaces).remember(f"fact {number} 事实", "S" if number % 2 else None)
        for number in range(40)
    ]
    work += [WorkspaceService(ann, workspaces).note(f"entry {number}") for number in range(40)]
    await asyncio.gather(*work)
    mine = WorkspaceService(ann, workspaces)
    memory = await mine.read_text("memory/MEMORY.md")
    assert all(memory.count(f"- fact {number} 事实\n") == 1 for number in range(40))
    history = (await mine.read_text("memory/HISTORY.md")).splitlines()
    assert sorted(line.split("] ")[1] for line in history) == sorted(f"entry {number}" for number in range(40))


def _write_many(root: Path, who: object, name: str) -> None:
    async def write() -> None:
        workspace = WorkspaceService(who, Workspaces(root))  # type: ignore[arg-type]
        for number in range(20):
            await workspace.remember(f"{name} {number}")
            await workspace.note(f"{name} {number}")

    asyncio.run(write())


async def test_two_processes_lose_nothing(workspaces: Workspaces) -> None:
    """WORK-1, SCALE-1: any number of processes write for one user."""
    ann = somebody()
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=_write_many, args=(workspaces.root, ann, name)) for name in ("one", "two")]
    for writer in writers:
        writer.start()
    for writer in writers:
        await asyncio.to_thread(writer.join)
        assert writer.exitcode == 0
    mine = WorkspaceService(ann, workspaces)
    for path in ("memory/MEMORY.md", "memory/HISTORY.md"):
        text = await mine.read_text(path)
        assert all(f"{name} {number}\n" in text for name in ("one", "two") for number in range(20))


async def test_an_edit_names_what_it_replaces(workspace: WorkspaceService) -> None:
    """TOOL-2: a passage that is not there, or there twice, changes nothing and is told with where to look."""
    await workspace.write_text("a.md", "one\ntwo cats\nthree\ntwo cats\n")
    with pytest.raises(FileChangedError, match=r"the nearest is line 2: 'two cats'"):
        await workspace.edit("a.md", "two dogs", "x")
    with pytest.raises(FileChangedError, match=r"2 times \(lines 2, 4\)"):
        await workspace.edit("a.md", "two cats", "x")
    assert await workspace.read_text("a.md") == "one\ntwo cats\nthree\ntwo cats\n"
    assert await workspace.edit("a.md", "two cats\nthree", "2\n3") == 1
    assert await workspace.edit("a.md", "t", "T", everywhere=True) == 2
    assert await workspace.read_text("a.md") == "one\n2\n3\nTwo caTs\n"


async def test_an_edit_keeps_the_line_ends_of_others(workspace: WorkspaceService) -> None:
    """TOOL-2: a file from Windows stays one."""
    await workspace.write("a.txt", b"one\r\ntwo\r\nthree\r\n")
    await workspace.edit("a.txt", "one\ntwo", "1\n2")
    assert await workspace.read("a.txt") == b"1\r\n2\r\nthree\r\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"%PDF-1.7", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive"),
        ("中文".encode("gb18030"), "another encoding"),
        (b"a\0b", "binary"),
    ],
)
async def test_what_is_no_text_is_named(workspace: WorkspaceService, content: bytes, said: str) -> None:
    """TOOL-2: so that nobody tries again."""
    await workspace.write("f", content)
    with pytest.raises(NotTextError, match=said):
        await workspace.read_text("f")


async def test_a_text_is_storable(workspace: WorkspaceService) -> None:
    """SEC-4"""
    with pytest.raises(NotTextError, match="surrogate"):
        await workspace.write_text("f", "\ud800")
    small = WorkspaceService(somebody(), Workspaces(workspace.folder, Limits(text=10)))
    with pytest.raises(FileTooLargeError, match="11 bytes; a text may have 10"):
        await small.write_text("f", "x" * 11)
    assert await small.list() == []


async def test_an_agent_may_not_write_everywhere(workspace: WorkspaceService) -> None:
    """SKILL-9, WORK-1: live skills, by nobody; the log, not by an agent, through no way of changing a file."""
    await workspace.note("happened")
    for path, changes in (("skills/x/SKILL.md", (True, False)), ("memory/HISTORY.md", (True,))):
        for by_agent in changes:
            with pytest.raises(PathRefusedError):
                await workspace.write_text(path, "x", by_agent=by_agent)
            with pytest.raises(PathRefusedError):
                await workspace.edit(path, "happened", "x", by_agent=by_agent)
            with pytest.raises(PathRefusedError):
                await workspace.delete(path, by_agent=by_agent)
    assert "happened" in await workspace.read_text("memory/HISTORY.md")
    await workspace.delete("memory/HISTORY.md")
    with pytest.raises(PathRefusedError):
        await workspace.delete(".")


async def test_forgetting_through_the_door(workspace: WorkspaceService) -> None:
    """WORK-6"""
    await workspace.remember("养了一只猫")
    assert await workspace.forget("猫") == "养了一只猫"
    assert "猫" not in await workspace.read_text("memory/MEMORY.md")
