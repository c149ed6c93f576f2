"""What a reviewer sees is all that would change, and nothing else."""

import time

from hypothesis import given
from hypothesis import strategies as st

from weft.skills.differences import LARGEST, differences

lines = st.lists(st.sampled_from(["a", "b", "", " ", "---", "+x", "愚者", "\x0b", "a\u2028b"]), max_size=12)


def applied(before: str, diff: str) -> str:
    """The text that a unified diff makes of another; it must fit exactly."""
    old, new, at = before.split("\n"), [], 0
    missing = "\\ No newline at end of file"
    for line in diff.split("\n")[2:]:
        if line == missing:
            continue
        kind, rest = line[:1], line[1:]
        if kind == "@":
            start = int(line.split()[1].partition(",")[0][1:])
            length = line.split()[1].partition(",")[2] or "1"
            start += length == "0"  # nothing is taken out: it begins after this line
            new += old[at : start - 1]
            at = start - 1
        elif kind in (" ", "-"):
            assert old[at] == rest
            at += 1
        if kind in (" ", "+"):
            new.append(rest)
    return "\n".join(new + old[at:])


@given(lines, lines)
def test_the_diff_makes_the_new_text_of_the_old_one(before: list[str], after: list[str]) -> None:
    """SKILL-9: what is shown is the whole change, whatever the lines hold."""
    old, new = ("".join(f"{line}\n" for line in each) for each in (before, after))
    found = differences({"x.md": old.encode()}, {"x.md": new.encode()})
    assert (found == []) == (old == new)
    if found:
        assert found[0].diff is not None
        assert applied(old, found[0].diff) == new


def test_every_file_is_told_once_and_skill_md_first() -> None:
    """SKILL-9"""
    before = {"same": b"1", "SKILL.md": b"a\n", "gone.md": b"bye\n"}
    after = {"same": b"1", "SKILL.md": b"b\n", "a-new.md": b"hello"}
    found = differences(before, after)
    assert [(each.path, each.change, each.before, each.after) for each in found] == [
        ("SKILL.md", "changed", 2, 2),
        ("a-new.md", "added", None, 5),
        ("gone.md", "removed", 4, None),
    ]
    assert found[0].diff == "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -1 +1 @@\n-a\n+b"
    assert found[1].diff == "--- /dev/null\n+++ b/a-new.md\n@@ -0,0 +1 @@\n+hello\n\\ No newline at end of file"
    assert found[2].diff == "--- a/gone.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye"


def test_what_is_no_text_is_told_without_a_diff() -> None:
    """SKILL-9: a reviewer sees that there is something that cannot be shown."""
    found = differences({}, {"a.png": b"\x89PNG\x00", "b.txt": b"\xff", "c.md": b"x" * (LARGEST + 1), "d.md": b""})
    assert [(each.path, each.diff is None) for each in found] == [
        ("a.png", True),
        ("b.txt", True),
        ("c.md", True),
        ("d.md", False),
    ]
    changed = differences({"a.png": b"text"}, {"a.png": b"\x00"})[0]
    assert (changed.change, changed.diff, changed.before, changed.after) == ("changed", None, 4, 1)


def test_long_files_are_compared_in_no_time_and_shown_whole() -> None:
    """SEC-4: comparing costs by the square of the lines, unless somebody sees to it."""
    old = "".join(f"{number % 7}\n" for number in range(60_000))
    new = "head\n" + "".join(f"{number % 5}\n" for number in range(60_000)) + "tail\n"
    started = time.process_time()
    diff = differences({"x.md": old.encode()}, {"x.md": new.encode()})[0].diff
    assert time.process_time() - started < 2
    assert diff is not None
    assert applied(old, diff) == new
    middle = differences({"x.md": old.encode()}, {"x.md": (old[:60_000] + "NEW\n" + old[60_000:]).encode()})[0].diff
    assert middle is not None
    assert middle.count("\n") == 3
