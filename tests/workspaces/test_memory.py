"""Facts in MEMORY.md: each once, under its heading, and out again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.endless import assert_quick
from weft.kit.errors import CallerError
from weft.workspaces.errors import FileChangedError, FileMissingError, FileTooLargeError
from weft.workspaces.memory import LARGEST, forget, remember

_FACTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)


def after(*facts: tuple[str, str | None]) -> str:
    text = ""
    for fact, section in facts:
        text = remember(text, fact, section).text
    return text


def test_facts_stand_under_their_headings() -> None:
    """WORK-1: what has none before the first heading, a new heading last."""
    text = after(
        ("住在成都", None),
        ("Has a cat", "家人"),
        ("Likes hiking", "Likes"),
        ("Has a dog", "## 家人"),
        ("Born in May", None),
    )
    assert text == (
        "# Memory\n\n- 住在成都\n- Born in May\n\n## 家人\n- Has a cat\n- Has a dog\n\n## Likes\n- Likes hiking\n"
    )


def test_what_somebody_wrote_by_hand_stays() -> None:
    """WORK-6: the user's own lines are kept as they are."""
    mine = "我的笔记\n\n# 家人\n* 猫\n\nfree text\n"
    assert remember(mine, "狗", "家人").text == "我的笔记\n\n# 家人\n* 猫\n\nfree text\n- 狗\n"
    assert remember(mine, "走路", None).text == "我的笔记\n- 走路\n\n# 家人\n* 猫\n\nfree text\n"


@pytest.mark.parametrize(
    "again", ["喜欢 hiking", "喜欢hiking。", "喜欢ＨＩＫＩＮＧ", "- 喜欢 Hiking!", " 喜欢  hiking\n"]
)
def test_the_same_fact_is_kept_once(again: str) -> None:
    """WORK-1: whatever its width, case, spaces or full stop; also under another heading."""
    text = after(("喜欢 hiking", None))
    for section in (None, "Likes"):
        known = remember(text, again, section)
        assert (known.status, known.text) == ("already_known", text)


@given(st.lists(st.tuples(_FACTS, st.none() | st.sampled_from(["A", "B"])), max_size=12))
def test_what_was_remembered_can_be_told_and_forgotten(facts: list[tuple[str, str | None]]) -> None:
    """WORK-6: any fact in any language; none is lost by another, none makes a heading or an item more."""
    text, kept = "", []
    for fact, section in facts:
        try:
            done = remember(text, fact, section)
        except CallerError:
            continue
        text = done.text
        if done.status == "remembered":
            kept.append(done.fact)
    items = [line[2:] for line in text.splitlines() if line.startswith("- ")]
    assert sorted(items) == sorted(kept)
    assert {line for line in text.splitlines() if line.startswith("#")} <= {"# Memory", "## A", "## B"}
    for fact in kept:
        text, gone = forget(text, fact)
        assert gone == fact
    assert "- " not in text


def test_forgetting_asks_for_the_one() -> None:
    """WORK-6: part of a fact is enough where only one has it; else the facts are named."""
    text = after(("养了一只叫团子的猫", None), ("养了一只狗", None), ("Works at Acme", None))
    assert forget(text, "acme")[1] == "Works at Acme"
    with pytest.raises(FileChangedError, match="2 facts say that"):
        forget(text, "养了一只")
    with pytest.raises(FileMissingError, match="the nearest is '养了一只叫团子的猫'"):
        forget(text, "团子的猫咪")
    with pytest.raises(FileMissingError, match="no fact"):
        forget("", "anything")


def test_limits_are_told() -> None:
    """SEC-4"""
    with pytest.raises(FileTooLargeError, match="1001 characters; at most 1000"):
        remember("", "x" * 1001)
    with pytest.raises(FileChangedError, match="empty"):
        remember("", "  \n ")
    with pytest.raises(FileTooLargeError, match="shorten it"):
        remember("x\n" * (LARGEST // 2), "one more")


def test_endless_lines_are_read_in_no_time() -> None:
    """SEC-4: an item, a heading and blanks that never end."""
    for begin in ("- ", "# ", "- a", ""):
        assert_quick(lambda text, begin=begin: remember(begin + text, "likes tea"))
