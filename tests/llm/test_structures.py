"""A response structure is data, and every answer that does not fit it says where."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.kit.errors import OperatorError
from weft.llm.errors import OffProtocolError
from weft.llm.json_path import Mismatch, Path
from weft.llm.ports import ModelCard
from weft.llm.structure_reading import read_chat, read_embeddings, read_images, read_task
from weft.llm.structure_types import ChatStructure, EmbeddingStructure, ImageStructure, TaskStructure
from weft.llm.structures import BUILT_IN, USUAL, built_in, parse_structure, structure_for
from weft.llm.types import Completion, Finish, Target, ToolRequest, Usage

TARGET = Target("qwen", "m", "http://127.0.0.1:1", "openai_compatible")
OPENAI = {
    "id": "c1",
    "choices": [{"message": {"content": "Hi", "reasoning_content": "Hm"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
}
DASHSCOPE = {
    "output": {
        "choices": [{"message": {"content": [{"text": "Hi"}], "reasoning_content": "Hm"}, "finish_reason": "stop"}]
    },
    "usage": {"input_tokens": 10, "output_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
}


def chat(declared: Any) -> ChatStructure:
    structure = built_in(declared) if isinstance(declared, str) else parse_structure(declared)
    assert isinstance(structure, ChatStructure)
    return structure


@pytest.mark.parametrize(("structure", "answer"), [("openai_chat", OPENAI), ("dashscope_chat", DASHSCOPE)])
def test_two_vendors_shapes_give_the_same_completion(structure: str, answer: Any) -> None:
    """INFRA-2: the same typed result whatever the vendor sends."""
    read = read_chat(chat(structure), answer, TARGET)
    assert read == Completion("Hi", (), "Hm", Usage(10, 4, 0, 2), Finish.STOP)


def test_a_structure_declared_as_data_is_applied() -> None:
    """INFRA-2: declared once, no code."""
    declared = {"kind": "chat", "text": ["reply.words", "words"], "usage": "meter"}
    answer = {"words": "Hi", "meter": {"prompt_tokens": 1, "completion_tokens": 1}}
    assert read_chat(chat(declared), answer, TARGET) == Completion("Hi", usage=Usage(1, 0, 0, 1))


def test_tool_calls_may_stand_without_a_text() -> None:
    """INFRA-2: null beside tool calls is no mismatch."""
    called = [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    answer = {"choices": [{"message": {"content": None, "tool_calls": called}, "finish_reason": "tool_calls"}]}
    read = read_chat(chat("openai_chat"), answer, TARGET)
    assert (read.text, read.tool_calls, read.finish) == ("", (ToolRequest("a", "f", "{}"),), Finish.TOOL_CALLS)


MISFITS: dict[str, tuple[Any, str, str, str]] = {
    "not even an object": ([], "$", "an object with 'choices'", "list []"),
    "no choices": ({"x": 1}, "$.choices", "a value", "nothing; beside it stands x"),
    "an empty list": ({"choices": []}, "$.choices[0]", "an element", "a list of 0"),
    "an object for a list": ({"choices": {}}, "$.choices", "a list", "an object with nothing in it"),
    "a number for a text": (
        {"choices": [{"message": {"content": 7}}]},
        "$.choices[0].message.content",
        "text",
        "int 7",
    ),
}


@pytest.mark.parametrize("name", MISFITS)
def test_a_chat_answer_that_does_not_fit_says_where(name: str) -> None:
    """INFRA-2: path, expected, found."""
    answer, path, expected, found = MISFITS[name]
    with pytest.raises(OffProtocolError) as caught:
        read_chat(chat("openai_chat"), answer, TARGET)
    assert (caught.value.path, caught.value.expected, caught.value.found) == (path, expected, found)


def vectors(*values: Any, order: Any = None) -> dict[str, Any]:
    places = range(len(values)) if order is None else order
    return {"data": [{"embedding": value, "index": place} for value, place in zip(values, places, strict=True)]}


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        (vectors([1.0]), "$.data[*].embedding"),
        (vectors([1.0], "AAAA"), "$.data[1].embedding"),
        (vectors([1.0], [True]), "$.data[1].embedding"),
        (vectors([1.0], []), "$.data[1].embedding"),
        (vectors([1.0], [1.0, 2.0]), "$.data[1].embedding"),
        (vectors([1.0], [2.0], order=[0, 0]), "$.data[*].index"),
        (vectors([1.0], [2.0], order=[1, 2]), "$.data[*].index"),
        ({"data": [{"embedding": [1.0]}, {"index": 1}]}, "$.data[1].embedding"),
        ({"data": None}, "$.data"),
    ],
)
def test_vectors_that_do_not_fit_say_where(answer: Any, path: str) -> None:
    """INFRA-2: a missing, crooked or doubled vector is never passed on."""
    structure = built_in("openai_embeddings")
    assert isinstance(structure, EmbeddingStructure)
    with pytest.raises(OffProtocolError) as caught:
        read_embeddings(structure, answer, TARGET, 2)
    assert caught.value.path == path


def test_vectors_that_come_in_another_order_are_put_right() -> None:
    """INFRA-2: one vector for each text, in the order of the texts."""
    structure = built_in("openai_embeddings")
    assert isinstance(structure, EmbeddingStructure)
    read = read_embeddings(structure, vectors([1, 2], [3, 4], order=[1, 0]), TARGET, 2)
    assert read.vectors == ((3.0, 4.0), (1.0, 2.0))


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        ({"data": []}, "$.data[*].url"),
        ({"data": [{"b64_json": "not base 64!"}]}, "$.data[0].b64_json"),
        ({"data": [{"x": 1}]}, "$.data[0].url"),
        ({"data": [{"url": None}]}, "$.data[*].url"),
        ({}, "$.data"),
    ],
)
def test_pictures_that_do_not_fit_say_where(answer: Any, path: str) -> None:
    """INFRA-2: no picture is an error, not an empty result."""
    structure = built_in("openai_images")
    assert isinstance(structure, ImageStructure)
    with pytest.raises(OffProtocolError) as caught:
        read_images(structure, answer, TARGET)
    assert caught.value.path == path


def test_of_a_task_that_failed_in_part_the_rest_is_kept() -> None:
    """INFRA-2: DashScope reports each picture for itself."""
    structure = built_in("dashscope_image")
    assert isinstance(structure, TaskStructure)
    results = [{"code": "X", "message": "no"}, {"url": "https://a/b.png"}]
    answer = {"output": {"task_id": "t", "task_status": "SUCCEEDED", "results": results}}
    task = read_task(structure, answer, TARGET)
    assert task.urls == ("https://a/b.png",)
    assert task.units == {}  # not reported: the price stays unknown


def test_every_built_in_structure_is_valid_and_every_category_has_one() -> None:
    """INFRA-2: what is shipped can be applied."""
    assert all(built_in(name) for name in BUILT_IN)
    for category in USUAL:
        assert structure_for(ModelCard("m", "v", category, 1)) is built_in(USUAL[category])


def test_a_model_declares_its_own_or_changes_a_built_in_one() -> None:
    """INFRA-2: each model names the structure of its response."""
    card = ModelCard("m", "v", "text", 1, structure={"use": "openai_chat", "text": "choices[0].text"})
    structure = structure_for(card)
    assert isinstance(structure, ChatStructure)
    assert structure.text == (Path.parse("choices[0].text"),)
    assert structure.usage == chat("openai_chat").usage


@pytest.mark.parametrize(
    ("declared", "where"),
    [
        ({"kind": "chat"}, "m.structure.chat.text"),
        ({"kind": "chat", "text": "a..b"}, "m.structure.chat.text"),
        ({"kind": "chat", "text": "a[x]"}, "m.structure.chat.text"),
        ({"kind": "chat", "text": ""}, "m.structure.chat.text"),
        ({"kind": "chat", "text": "a", "texts": "b"}, "m.structure.chat.texts"),
        ({"kind": "poem"}, "m.structure"),
        ({"use": "nobody"}, "use"),
        ({"use": "dashscope_video", "statuses": {"DONE": "finished"}}, "m.structure.video_task.statuses.DONE"),
        ({"use": "dashscope_video", "poll": "/tasks"}, "m.structure.video_task.poll"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused_with_its_place(declared: Any, where: str) -> None:
    """INFRA-2: the operator sees the field and what stands there."""
    with pytest.raises(OperatorError) as caught:
        structure_for(ModelCard("m", "v", "text", 1, structure=declared))
    assert caught.value.field == where


def test_an_unusual_category_needs_a_declaration() -> None:
    """INFRA-2: speech has no usual shape."""
    with pytest.raises(OperatorError, match="speech"):
        structure_for(ModelCard("m", "v", "speech", 1))


NAMES = st.text("abc_-日", min_size=1, max_size=4)
STEPS = st.lists(NAMES | st.integers(0, 9) | st.just("[*]") | st.just("[+]"), min_size=1, max_size=5)


@given(STEPS)
def test_a_path_reads_as_it_is_written(steps: list[str | int]) -> None:
    """INFRA-2: the path in an error is the path in the declaration."""
    parts = [f"[{s}]" if isinstance(s, int) else s if s[0] == "[" else f".{s}" for s in steps]
    written = "".join(parts).removeprefix(".")
    assert Path.parse(written).written == "$" + "".join(parts)


@given(st.recursive(st.none() | st.integers() | st.text(max_size=3),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner)),
       st.sampled_from(["a", "a.b", "a[0].b", "a[*].b", "a[+].b.c", "[*].a", "a[*][*]"]))  # fmt: skip
def test_no_answer_can_crash_a_path(answer: Any, written: str) -> None:
    """INFRA-2: whatever a vendor sends is found or said to be missing."""
    found = Path.parse(written).find(answer)
    if isinstance(found, Mismatch):
        assert found.path.startswith("$")
        assert found.expected
        assert found.found
