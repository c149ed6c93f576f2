"""`read_file`, `list_dir`, `write_file`, `edit_file`: the user's own files, and those of skills to read."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.people import People
from tests.tools.conftest import Hand
from weft.context.conversation import LONGEST_RESULT, Stored, tool_result_text
from weft.kit.errors import CallerError
from weft.tools.builtin.pages import page_of
from weft.tools.tool import ToolResult


async def test_a_file_is_written_read_and_changed(hand: Hand) -> None:
    """TOOL-2"""
    written = await hand.call("write_file", path="笔记/计划.md", content="one\n二\nthree\n")
    assert written == {"status": "created", "path": "笔记/计划.md", "characters": 12}
    read = await hand.call("read_file", path="笔记/计划.md")
    assert read == {"path": "笔记/计划.md", "lines": "1-3 of 3", "text": "one\n二\nthree"}
    changed = await hand.call("edit_file", path="笔记/计划.md", old_text="二", new_text="two")
    assert changed == {"status": "changed", "path": "笔记/计划.md", "replaced": 1}
    assert (await hand.call("read_file", path="笔记/计划.md", line=2))["text"] == "two\nthree"
    assert (await hand.call("write_file", path="笔记/计划.md", content=""))["status"] == "replaced"
    assert await hand.call("read_file", path="笔记/计划.md") == {
        "path": "笔记/计划.md",
        "lines": "0 of 0",
        "text": "",
        "empty": True,
    }


async def test_a_folder_is_listed(hand: Hand) -> None:
    """TOOL-2: folders first; a workspace without files is empty, a folder that is not there is told."""
    assert await hand.call("list_dir") == {"path": ".", "entries": []}
    await hand.call("write_file", path="notes/a.md", content="x")
    await hand.call("write_file", path="b.md", content="xy")
    assert (await hand.call("list_dir"))["entries"] == ["notes/", "b.md (2 bytes)"]
    assert (await hand.call("list_dir", path="notes/"))["entries"] == ["a.md (1 bytes)"]
    with pytest.raises(CallerError, match="no 'nothing'"):
        await hand.call("list_dir", path="nothing")


async def test_a_long_folder_is_cut_saying_so(hand: Hand) -> None:
    """SEC-4"""
    for number in range(205):
        await hand.workspace.write(f"many/{number:03}", b"")
    listed = await hand.call("list_dir", path="many")
    assert (len(listed["entries"]), listed["left_out"]) == (200, 5)


async def test_a_long_file_comes_in_pages_that_a_prompt_shows_whole(hand: Hand) -> None:
    """SKILL-11: line after line, none lost, none twice."""
    lines = [f'{number}: "引号" \\ and some words 一些字' for number in range(800)]
    await hand.workspace.write_text("long.md", "\n".join(lines))
    seen, line = [], 1
    while line:
        result = await hand.run("read_file", path="long.md", line=line)
        shown = tool_result_text(Stored("1", "tool_result", result.content))
        assert "shortened" not in shown
        page = await hand.call("read_file", path="long.md", line=line)
        seen += page["text"].split("\n")
        line = page.get("next_line")
    assert seen == lines
    with pytest.raises(CallerError, match="line 801 is past the end: there are 800 lines"):
        await hand.call("read_file", path="long.md", line=801)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=300), max_size=80))
def test_any_text_comes_in_pages(lines: list[str]) -> None:
    """SEC-4: each within what a prompt shows, whatever is in it; together they are the whole."""
    text = "\n".join(lines)
    seen: list[str] = []
    line: int | None = 1
    while line is not None:
        page = page_of(text, line, longest=400)
        said = ToolResult.of({"path": "p" * 100, "lines": page.lines, "text": page.text} | page.notes)
        assert len(said.content) < LONGEST_RESULT
        seen += page.text.splitlines() if "cut" not in page.notes else [text.splitlines()[line - 1]]
        line = page.next_line
    assert "".join(seen) == "".join(text.splitlines())


async def test_a_line_that_is_too_long_is_cut_saying_so(hand: Hand) -> None:
    """SEC-4"""
    await hand.workspace.write_text("one.txt", "x" * 20_000 + "\nnext")
    page = await hand.call("read_file", path="one.txt")
    assert page["cut"] == "line 1 has 20000 characters; its beginning is shown"
    assert (page["lines"], page["next_line"]) == ("1-1 of 2", 2)
    assert page["text"] == "x" * len(page["text"])


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("read_file", {"path": "nothing.md"}, "list_dir shows what there is"),
        ("read_file", {"path": "/etc/passwd"}, "relative to the workspace"),
        ("read_file", {"path": "../../x"}, "without it"),
        ("list_dir", {"path": ".."}, "without it"),
        ("write_file", {"path": "skills/mine/SKILL.md", "content": "x"}, "only through review"),
        ("write_file", {"path": "memory/HISTORY.md", "content": "x"}, "never rewritten"),
        ("edit_file", {"path": "nothing.md", "old_text": "a", "new_text": "b"}, "list_dir shows what there is"),
        ("write_file", {"path": "a", "content": "x" * (1 << 20) + "y"}, "a text may have 1048576"),
    ],
)
async def test_what_cannot_be_done_is_told(hand: Hand, name: str, arguments: dict[str, str], said: str) -> None:
    """TOOL-5, SKILL-9: in words that a model can act on; nothing is changed."""
    with pytest.raises(CallerError, match=said):
        await hand.run(name, **arguments)
    assert await hand.workspace.list() == []


async def test_an_edit_that_does_not_fit_is_told_where_to_look(hand: Hand) -> None:
    """TOOL-2"""
    await hand.call("write_file", path="a.md", content="我喜欢猫\n我喜欢猫\n")
    with pytest.raises(CallerError, match=r"nearest is line 1: '我喜欢猫'"):
        await hand.call("edit_file", path="a.md", old_text="我喜欢狗", new_text="x")
    with pytest.raises(CallerError, match="2 times"):
        await hand.call("edit_file", path="a.md", old_text="猫", new_text="狗")
    assert (await hand.call("edit_file", path="a.md", old_text="猫", new_text="狗", all=True))["replaced"] == 2


async def test_files_of_skills_are_read_on_demand(hand: Hand) -> None:
    """SKILL-8: those that the user sees, wherever they stand; none but theirs, and not to write."""
    listed = await hand.call("list_dir", path="skills/tarot")
    assert any(entry.startswith("cases.yaml") for entry in listed["entries"])
    assert (await hand.call("read_file", path="skills/tarot/cases.yaml"))["text"]
    with pytest.raises(CallerError):
        await hand.call("read_file", path="skills/tarot/../../../../../etc/passwd")
    with pytest.raises(CallerError, match=r"no 'skills/nonsense/SKILL\.md'"):
        await hand.call("read_file", path="skills/nonsense/SKILL.md")
    with pytest.raises(CallerError, match="review"):
        await hand.call("edit_file", path="skills/tarot/cases.yaml", old_text="a", new_text="b")


async def test_nobody_reads_the_files_of_another(hand: Hand, people: People, tmp_path: Path) -> None:
    """WORK-1, TOOL-5: by no path, and over no link."""
    other = await hand.of(await people.user(hand.actor.business_id, "bob"))
    await other.call("write_file", path="secret.md", content="a secret")
    await hand.call("write_file", path="a.md", content="x")
    (hand.workspace.folder / "link").symlink_to(other.workspace.folder)
    for path in ("secret.md", "link/secret.md", f"../{other.actor.user_id}/secret.md"):
        with pytest.raises(CallerError):
            await hand.call("read_file", path=path)
        if path != "secret.md":
            with pytest.raises(CallerError):
                await hand.call("write_file", path=path, content="x")
    assert (await other.call("read_file", path="secret.md"))["text"] == "a secret"
