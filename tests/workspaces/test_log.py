"""HISTORY.md: entries one after the other, found again in Chinese and in English."""

from datetime import UTC, datetime, timedelta

import pytest

from weft.workspaces import log
from weft.workspaces.folder import Folder
from weft.workspaces.log import Found

AT = datetime(2026, 11, 19, 8, 0, tzinfo=UTC)
ENTRIES = [
    "用户问要不要跳槽，收到一家公司的 offer",
    "Asked about the ＴＡＲＯＴ three-card spread\nThe cards were Sun, Moon and Star",
    "聊到了妈妈的生日和礼物",
    "Talked about changing jobs; the Offer was declined",
]


@pytest.fixture
def written(folder: Folder) -> Folder:
    for minutes, text in enumerate(ENTRIES):
        log.append(folder, text, AT + timedelta(minutes=minutes))
    return folder


def found(folder: Folder, query: str, limit: int = 10) -> list[Found]:
    return log.search(folder, query, limit)


def test_entries_are_dated_lines(written: Folder) -> None:
    """WORK-1: the lines of one entry stand further in, so that nothing in a text passes for an entry."""
    lines = written.read(("memory", "HISTORY.md")).decode().splitlines()
    assert lines[0] == "[2026-11-19T08:00Z] 用户问要不要跳槽，收到一家公司的 offer"
    assert lines[2] == "  The cards were Sun, Moon and Star"
    log.append(written, "x\n[2020-01-01T00:00Z] forged", AT)
    assert "\n  [2020-01-01T00:00Z] forged\n" in written.read(("memory", "HISTORY.md")).decode()


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("跳槽", 1),
        ("tarot", 2),
        ("TAROT 牌", 2),
        ("the moon", 3),
        ("妈妈生日", 4),
        ("ｏｆｆｅｒ 跳槽", 1),
        ("declined", 5),
    ],
)
def test_what_was_said_is_found(written: Folder, query: str, line: int) -> None:
    """WORK-1: in any case and width; the best line first."""
    assert found(written, query)[0].line == line


def test_of_equals_the_newest_comes_first(written: Folder) -> None:
    """WORK-1"""
    assert [each.line for each in found(written, "offer")] == [5, 1]
    assert [each.line for each in found(written, "offer", limit=1)] == [5]


def test_a_hit_comes_with_its_own_entry(written: Folder) -> None:
    """WORK-1: lines around it, but none of another entry."""
    (hit,) = found(written, "moon star")
    assert hit.text.splitlines()[0].endswith("three-card spread")
    assert hit.text.splitlines()[1:] == ["  The cards were Sun, Moon and Star"]
    assert "\n" not in found(written, "妈妈")[0].text


@pytest.mark.parametrize("query", ["", "  ", "?!…", "去爬山", "的"])
def test_what_was_not_said_is_not_found(written: Folder, query: str) -> None:
    """WORK-1"""
    assert [each for each in found(written, query) if query.strip() != "的"] == []


def test_a_full_log_is_put_aside_and_still_searched(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """WORK-1: nothing is lost, and no file grows without end."""
    monkeypatch.setattr(log, "FULL", 200)
    for number in range(12):
        log.append(folder, f"entry number {number} about 换工作", AT + timedelta(minutes=number))
    names = [entry.name for entry in folder.list(("memory",))]
    assert len(names) > 2
    assert all(entry.size <= 300 for entry in folder.list(("memory",)))
    hits = found(folder, "换工作", limit=20)
    assert [each.text.split("number ")[1].split()[0] for each in hits] == [str(n) for n in reversed(range(12))]


def test_nothing_is_found_where_nothing_was_written(folder: Folder) -> None:
    """WORK-1"""
    assert found(folder, "anything") == []
