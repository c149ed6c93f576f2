"""LED-3: what a session is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.sessions.title import title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("帮我看看明天的安排", "帮我看看明天的安排"),
        ("  plan my day \n", "plan my day"),
        ("one\ntwo\r\nthree\rfour", "one two three four"),
        ("\u2028one\u2029two\u2028", "one two"),
        ("a" * 65, "a" * 64),
        ("字" * 65, "字" * 64),
        ("", "新会话"),
        (" \n\t ", "新会话"),
    ],
)
def test_a_title_is_the_first_message_on_one_short_line(text: str, title: str) -> None:
    """LED-3: trim, newlines to spaces, cut to 64 characters; empty gives 新会话."""
    assert title_of(text) == title


@given(st.text())
def test_every_text_gives_a_title_that_fits(text: str) -> None:
    """LED-3: never empty, never longer than 64 characters, never more than one line."""
    title = title_of(text)
    assert 1 <= len(title) <= 64
    assert len(title.splitlines()) == 1
