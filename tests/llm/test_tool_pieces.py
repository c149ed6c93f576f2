"""Tool-call pieces come out in order, whatever a vendor leaves out or repeats."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.llm.fold import Fold
from weft.llm.tool_pieces import ToolPieces, arguments_text, made_id, whole_calls
from weft.llm.types import Delta, ToolDelta, ToolRequest


def folded(*pieces: Any, answer_id: str | None = "answer") -> tuple[ToolRequest, ...]:
    reader, fold = ToolPieces(), Fold()
    for piece in pieces:
        fold.add(Delta(tools=reader.read([piece], answer_id)))
    return fold.completion().tool_calls


def piece(arguments: Any = "", **given: Any) -> dict[str, Any]:
    function = {"arguments": arguments} | ({"name": given.pop("name")} if "name" in given else {})
    return {**given, "function": function}


FIRST, SECOND = made_id("answer", 0), made_id("answer", 1)
ODD: dict[str, tuple[list[Any], list[ToolRequest]]] = {
    "no index, one call": (
        [piece("{", id="a", name="f"), piece("}")],
        [ToolRequest("a", "f", "{}")],
    ),
    "no index, a new id": (
        [piece("{", id="a", name="f"), piece("}"), piece("{}", id="b", name="f")],
        [ToolRequest("a", "f", "{}"), ToolRequest("b", "f", "{}")],
    ),
    "no id, another name at the same index": (
        [piece("{}", index=0, name="f"), piece("{}", index=0, name="g")],
        [ToolRequest(FIRST, "f", "{}"), ToolRequest(SECOND, "g", "{}")],
    ),
    "one index and new ids, pieces after each": (
        [
            piece("{", index=0, id="a", name="f"),
            piece("}", index=0),
            piece("[", index=0, id="b", name="f"),
            piece("]", index=0),
        ],
        [ToolRequest("a", "f", "{}"), ToolRequest("b", "f", "[]")],
    ),
    "the id comes late": (
        [piece("", index=0, name="f"), piece("{}", index=0, id="late")],
        [ToolRequest(FIRST, "f", "{}")],
    ),
    "the name comes late": (
        [piece("", index=0, id="a"), piece("", index=0, name="f"), piece("{}", index=0)],
        [ToolRequest("a", "f", "{}")],
    ),
    "sparse indexes": (
        [piece("{}", index=7, id="a", name="f"), piece("{}", index=3, id="b", name="g")],
        [ToolRequest("a", "f", "{}"), ToolRequest("b", "g", "{}")],
    ),
    "arguments as an object": (
        [piece({"city": "北京"}, index=0, id="a", name="f")],
        [ToolRequest("a", "f", '{"city":"北京"}')],
    ),
    "arguments as null": ([piece(None, index=0, id="a", name="f")], [ToolRequest("a", "f", "")]),
    "function as null": ([{"index": 0, "id": "a", "function": None}], [ToolRequest("a", "", "")]),
    "no objects": (["what", None, 3], []),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_pieces_make_whole_calls(name: str) -> None:
    """INFRA-3: missing, repeated and reused ids and indexes."""
    pieces, expected = ODD[name]
    assert folded(*pieces) == tuple(expected)


def test_the_first_piece_of_an_index_carries_an_id() -> None:
    """INFRA-3: whoever forwards pieces needs an id from the start, the same at each reading."""
    for answer_id in ("one", "two"):
        first, later = (
            ToolPieces().read([piece("{", index=0, name="f"), piece("}", index=0)], answer_id) for _ in range(2)
        )
        assert first == later
        assert first == (ToolDelta(0, made_id(answer_id, 0), "f", "{"), ToolDelta(0, None, None, "}"))
    assert made_id("one", 0) != made_id("two", 0) != made_id("two", 1)
    assert made_id(None, 0) != made_id(None, 0)


CALLS = st.lists(
    st.tuples(st.text(min_size=1, max_size=6), st.text(min_size=1, max_size=6), st.lists(st.text(max_size=5))),
    max_size=5,
    unique_by=lambda call: call[0],
)


@given(CALLS, st.randoms(use_true_random=False))
def test_calls_mixed_piece_by_piece_come_apart_again(calls: list[tuple[str, str, list[str]]], random: Any) -> None:
    """INFRA-3: parallel calls whose pieces arrive mixed lose nothing."""
    left = {index: list(parts) for index, (_, _, parts) in enumerate(calls)}
    stream = [piece("", index=index, id=call_id, name=name) for index, (call_id, name, _) in enumerate(calls)]
    while open_calls := [index for index, parts in left.items() if parts]:
        index = random.choice(open_calls)
        stream.append(piece(left[index].pop(0), index=index))
    expected = tuple(ToolRequest(call_id, name, "".join(parts)) for call_id, name, parts in calls)
    assert folded(*stream) == expected


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x), max_leaves=5))
def test_nothing_in_place_of_a_call_crashes(value: Any) -> None:
    """INFRA-3: what is no call adds none or an empty one."""
    folded(value, {"index": value, "id": value, "function": {"name": value, "arguments": value}})
    whole_calls(value, None)
    assert isinstance(arguments_text(value), str)


def test_whole_calls_without_indexes_are_numbered() -> None:
    """INFRA-3: an answer that was not streamed has no indexes, and may have no ids either."""
    raw = [{"function": {"name": "f", "arguments": "{}"}}, {"function": {"name": "f", "arguments": "[]"}}]
    assert whole_calls(raw, "answer") == (ToolRequest(FIRST, "f", "{}"), ToolRequest(SECOND, "f", "[]"))
