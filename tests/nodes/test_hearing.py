"""FLOW-7: what is for the user is shown as it comes; what is not is held back, however it is cut into pieces."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.llm.types import Completion
from weft.nodes.hearing import Hearing, spelled_calls

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=80)


def heard(text: str, cuts: list[int], tools: frozenset[str] = frozenset()) -> tuple[str, bool]:
    shown: list[str] = []
    hearing = Hearing(shown.append, tools=tools)
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for start, end in itertools.pairwise(places):
        hearing.hear(text[start:end])
    hearing.end()
    return "".join(shown), hearing.is_json


@given(WORDS, st.lists(st.integers(0, 200), max_size=8))
def test_plain_words_are_shown_whole(text: str, cuts: list[int]) -> None:
    """FLOW-7: every character after the first blank ones, in order, once."""
    begins = text.lstrip()
    if begins.startswith(("{", "`", "<")) or not begins:
        return
    assert heard(text, cuts) == (begins, False)


@given(WORDS, st.lists(st.integers(0, 300), max_size=8))
def test_of_json_only_the_answer_is_shown(text: str, cuts: list[int]) -> None:
    """FLOW-3, FLOW-6: the raw object is never forwarded, its `assistant_text` is."""
    written = json.dumps({"route": "DIRECT_EXECUTION", "assistant_text": text, "intent_summary": "secret"})
    assert heard(written, cuts) == (text, True)
    assert heard(f"```json\n{written}\n```", cuts) == (text, True)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "use_skill", "arguments": {"skill": "tarot"}}',
        '<tool_call>{"name": "use_skill", "arguments": {"skill": "tarot"}}</tool_call>',
        '```json\n{"tool": "use_skill", "arguments": "{\\"skill\\": \\"tarot\\"}"}\n```',
    ],
)
def test_a_call_spelled_as_text_is_a_call(text: str) -> None:
    """TOOL-1: small models write calls as text; names that are no tool's are left alone."""
    assert heard(text, [3, 9]) == ("", True)
    (call,) = spelled_calls(Completion(text), {"use_skill"}, "c")
    assert (call.name, json.loads(call.arguments)) == ("use_skill", {"skill": "tarot"})
    assert spelled_calls(Completion(text), {"other"}, "c") == ()


@pytest.mark.parametrize("text", ["list_dir", " list_dir\n", "`list_dir`", '{"name": "list_dir"}'])
def test_a_name_alone_is_a_call_of_a_tool_that_needs_no_arguments(text: str) -> None:
    """TOOL-1: small models leave out what is empty."""
    assert heard(text, [1, 5], frozenset({"list_dir"})) == ("", True)
    (call,) = spelled_calls(Completion(text), {"list_dir", "other"}, "c")
    assert (call.name, json.loads(call.arguments)) == ("list_dir", {})


@given(
    st.sampled_from(["list_dir it is", "list", "list_dirs", "`list_dir` shows a folder"]), st.lists(st.integers(0, 40))
)
def test_words_that_begin_like_a_tool_are_words(text: str, cuts: list[int]) -> None:
    """FLOW-7: they are held only as long as they could be its name, and then shown whole."""
    assert heard(text, cuts, frozenset({"list_dir"})) == (text, False)
