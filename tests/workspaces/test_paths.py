"""Which paths lead into a workspace, and which places are not written by hand."""

import posixpath
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weft.workspaces.errors import PathRefusedError
from weft.workspaces.paths import check_writable, file_parts, parts_of

_HOSTILE = st.sampled_from(
    [
        "..",
        ".",
        "",
        "/",
        "\\",
        "~",
        "\x00",
        "\n",
        "C:",
        "a:b",
        "．．",
        "skills",
        "ＳＫＩＬＬＳ",
        "a ",
        " a",
        "a.",
        "\u202e",
        "…",
        "笔记",
        ".weft-x",
    ]
)
_PATHS = st.one_of(st.text(max_size=40), st.lists(st.one_of(_HOSTILE, st.text(max_size=6)), max_size=8).map("/".join))


@given(_PATHS)
@example("a/../../b")
@example("．．/x")
def test_what_is_taken_lies_inside_on_every_system(path: str) -> None:
    """TOOL-5: whatever a path says, it is refused, or names plain parts below the workspace."""
    try:
        parts = parts_of(path)
    except PathRefusedError as error:
        parts, said = (), error.detail
        hidden = [each for each in said if not each.isprintable()]
        assert hidden == []
    for form in ("/".join(parts), unicodedata.normalize("NFKC", "/".join(parts))):
        joined = posixpath.normpath(posixpath.join("/w/ann", form))
        assert joined == "/w/ann" or joined.startswith("/w/ann/")
    assert not any(part in ("", ".", "..") or "/" in part or "\\" in part or "\x00" in part for part in parts)


_NO_FILES = [
    "",
    ".",
    "./",
    "notes/",
    "..",
    "../x",
    "a/..",
    "a/../../b",
    "a/./b",
    "a//b",
    "a\0b",
    "/etc/passwd",
    "~/x",
    "C:/x",
]
_NO_FILES += [
    "C:x",
    "a\\b",
    "..\\x",
    "．．/x",
    "a／b",
    "a/ b",
    "a./b",
    "a\nb",
    "a\u202eb",
    "a\u200bb",
    "a:b",
    "a*",
    ".weft-x",
    "\ud800",
]


@pytest.mark.parametrize("path", _NO_FILES)
def test_a_file_is_never_named_so(path: str) -> None:
    """TOOL-5"""
    with pytest.raises(PathRefusedError) as refused:
        file_parts(path)
    assert refused.value.field == "path"


@pytest.mark.parametrize("path", ["a.md", "./a.md", "笔记/计划 2.md", "a/b/c.txt", ".hidden", "d..e", "résumé.md"])
def test_ordinary_names_are_taken(path: str) -> None:
    """TOOL-5: in any language; what stands before the name is no part of it."""
    assert "/".join(file_parts(path)) == path.removeprefix("./")


@pytest.mark.parametrize("path", [".", "", "./"])
def test_the_workspace_itself_is_a_folder(path: str) -> None:
    """TOOL-5"""
    assert parts_of(path) == ()


def test_long_and_deep_paths_are_refused() -> None:
    """SEC-4: told with the limit."""
    with pytest.raises(PathRefusedError, match="12 folders"):
        parts_of("/".join("a" * 13))
    with pytest.raises(PathRefusedError, match="180 bytes"):
        parts_of("笔" * 61)
    with pytest.raises(PathRefusedError, match="800 bytes"):
        parts_of("a" * 801)


@pytest.mark.parametrize("path", ["skills/tarot/SKILL.md", "SKILLS/x", "Skills", "ｓkills/x"])
@pytest.mark.parametrize("by_agent", [True, False])
def test_nobody_writes_into_live_skills(path: str, by_agent: bool) -> None:
    """SKILL-9: however the folder is spelled."""
    with pytest.raises(PathRefusedError, match="review"):
        check_writable(path, parts_of(path), by_agent=by_agent)


def test_the_log_is_not_rewritten_by_an_agent() -> None:
    """WORK-1: HISTORY.md is only added to; the user may still do away with it."""
    for path in ("memory/HISTORY.md", "memory/history.md", "Memory/HISTORY-20261119T080000000000.md"):
        with pytest.raises(PathRefusedError, match="never rewritten"):
            check_writable(path, parts_of(path), by_agent=True)
        check_writable(path, parts_of(path), by_agent=False)
    check_writable("memory/MEMORY.md", parts_of("memory/MEMORY.md"), by_agent=True)
    check_writable("skillset/a.md", parts_of("skillset/a.md"), by_agent=True)
