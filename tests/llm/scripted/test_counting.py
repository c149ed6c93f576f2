"""The vendor's own arithmetic: tokens and the prompt cache."""

from hypothesis import given
from hypothesis import strategies as st

from weft.llm.scripted.counting import UNIT, PrefixCache, count_tokens, prompt_text, split_tokens

WORDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=UNIT * 4)


def common(one: list[str], other: list[str]) -> int:
    """The plain way: count equal leading tokens, cut to whole units."""
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return length // UNIT * UNIT


@given(st.lists(WORDS, min_size=1, max_size=6), st.integers(0, UNIT * 3))
def test_a_hit_is_the_longest_prefix_of_any_earlier_prompt(prompts: list[list[str]], shared: int) -> None:
    """LED-8: in whole units, checked against the plain way of counting."""
    cache = PrefixCache()
    earlier: list[list[str]] = []
    for prompt in [prompts[0], *(prompts[0][:shared] + prompt for prompt in prompts)]:
        expected = max((common(prompt, before) for before in earlier), default=0)
        assert cache.hit(b"owner", prompt) == expected
        earlier.append(prompt)


@given(st.text())
def test_tokens_make_up_the_text(text: str) -> None:
    """LED-7: nothing is counted twice, nothing left out."""
    assert "".join(split_tokens(text)) == text


def test_the_size_of_a_token() -> None:
    """LED-7: Chinese by character, English by four letters, digits by three."""
    assert count_tokens("你好，世界") == 5
    assert count_tokens("hello world") == 5
    assert count_tokens("1234567") == 3
    assert count_tokens("") == 0


def test_tools_stand_before_the_messages() -> None:
    """SKILL-10: as in a real prompt, a change of tools spoils the whole prefix."""
    request = {"messages": [{"role": "user", "content": "Hi"}], "tools": [{"name": "f"}]}
    assert prompt_text(request) == '[{"name": "f"}]\n<user>Hi'
