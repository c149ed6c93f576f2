"""Without any key everything can be tried: the offline model answers, calls tools, and says what it is."""

import json
import re
from decimal import Decimal
from typing import Any, Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, model_validator

from weft.context.conversation import Stored, tool_result_text, user_message
from weft.context.data_block import data_block
from weft.llm import offline
from weft.llm.fold import Fold
from weft.llm.offline_sums import sum_in
from weft.llm.offline_talk import LABEL_CHINESE, LABEL_ENGLISH
from weft.llm.ports import ModelCard, Strategy
from weft.llm.structured import structured
from weft.llm.types import Completion, Finish, ModelCall, Target, ToolSpec

TARGET = Target("weft", offline.MODEL, "", "offline")


def tool(name: str, description: str, required: tuple[str, ...] = (), **properties: Any) -> ToolSpec:
    return ToolSpec(name, description, {"type": "object", "properties": properties, "required": list(required)})


TEXT = {"type": "string"}
USE_SKILL = tool(
    "use_skill",
    "Activate an expert skill.\n- bazi: reads the four pillars of birth\n- tarot: draws cards\n- career: work and jobs",
    ("skill",),
    skill={"type": "string", "enum": ["core", "bazi", "tarot", "career"]},
    scenario=TEXT,
)
READ = tool("read_file", "Read a file of the workspace.", ("path",), path=TEXT, limit={"type": "integer"})
REMEMBER = tool("remember", "Keep a fact about the user in long-term memory.", ("fact",), fact=TEXT)
SEARCH = tool("search_history", "Search what happened in earlier conversations.", ("query",), query=TEXT)
WEATHER = tool("get_weather", "The weather in a city now.", ("city",), city=TEXT)
WRITE = tool("write_file", "Write a file.", ("path", "content"), path=TEXT, content=TEXT)
EDIT = tool("edit_file", "Change a part of a file.", ("path", "old_text", "new_text"), path=TEXT, old_text=TEXT)
LIST = tool("list_dir", "List a folder of the workspace.", ("path",), path=TEXT)
TOOLS = (USE_SKILL, READ, REMEMBER, SEARCH, WEATHER)
FILES = (READ, WRITE, EDIT, LIST)
IN_A_SKILL = {"role": "system", "content": "# Tools of this skill\n- Before you interpret, call `compute`."}


def call(words: Any, *after: dict[str, Any], tools: tuple[ToolSpec, ...] = TOOLS, **changes: Any) -> ModelCall:
    messages = [{"role": "system", "content": "You are."}, {"role": "user", "content": words}, *after]
    return ModelCall(messages, tools, **changes)


async def answer(words: Any, *after: dict[str, Any], **changes: Any) -> Completion:
    return await offline.complete(TARGET, call(words, *after, **changes))


def result(name: str, content: Any, arguments: str = "{}") -> tuple[dict[str, Any], dict[str, Any]]:
    made = [{"id": f"id_{name}", "type": "function", "function": {"name": name, "arguments": arguments}}]
    written = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return (
        {"role": "assistant", "content": None, "tool_calls": made},
        {"role": "tool", "tool_call_id": f"id_{name}", "content": written},
    )


@pytest.mark.parametrize(
    ("words", "name", "arguments"),
    [
        ("帮我看看八字", "use_skill", {"skill": "bazi"}),
        ("抽一张塔罗牌吧", "use_skill", {"skill": "tarot"}),
        ("I want a promotion at my job", "use_skill", {"skill": "career"}),
        ("帮我想想要不要换工作", "use_skill", {"skill": "career"}),
        ("请读取 notes/todo.md", "read_file", {"path": "notes/todo.md"}),
        ("Read notes.txt, please", "read_file", {"path": "notes.txt"}),
        ("记住我喜欢喝茶", "remember", {"fact": "记住我喜欢喝茶"}),
        ("Remember that I like tea", "remember", {"fact": "Remember that I like tea"}),
        ("搜一下历史记录里的合同", "search_history", {"query": "搜一下历史记录里的合同"}),
        ("北京天气怎么样？", "get_weather", {"city": "北京"}),
        ("What is the weather in Paris like?", "get_weather", {"city": "Paris"}),
    ],
)
async def test_a_tool_is_called_when_the_words_ask_for_it(words: str, name: str, arguments: Any) -> None:
    """INFRA-4: in Chinese and in English, its arguments filled from the words by its schema."""
    made = await answer(words)
    assert [each.name for each in made.tool_calls] == [name]
    assert json.loads(made.tool_calls[0].arguments) == arguments
    assert made.finish is Finish.TOOL_CALLS
    assert made.text == ""


@pytest.mark.parametrize(
    ("words", "name", "arguments"),
    [
        ("写一个文件 notes/a.md 内容是 你好", "write_file", {"path": "notes/a.md", "content": "你好"}),
        ("Create the file a.md containing: one two", "write_file", {"path": "a.md", "content": "one two"}),
        ("请打开文件 notes/a.md", "read_file", {"path": "notes/a.md"}),
    ],
)
async def test_of_tools_for_the_same_thing_the_one_that_does_what_is_asked_is_called(
    words: str, name: str, arguments: Any
) -> None:
    """INFRA-4: once, and no other file tool after it because there is talk of a file."""
    made = await answer(words, tools=FILES)
    assert [(each.name, json.loads(each.arguments)) for each in made.tool_calls] == [(name, arguments)]
    done = await answer(words, *result(name, {"status": "done"}), tools=FILES)
    assert done.tool_calls == ()


@pytest.mark.parametrize("words", ["我有哪些文件？", "what files do I have?"])
async def test_it_looks_for_files_that_are_asked_for(words: str) -> None:
    """INFRA-4: in both languages."""
    made = await answer(words, tools=FILES)
    assert [each.name for each in made.tool_calls] == ["list_dir"]


@pytest.mark.parametrize(
    ("words", "called"),
    [
        ("Draw three cards about my new job", []),
        ("说说我的工作和习惯", []),
        ("现在看看我的八字", ["use_skill"]),
        ("career, please", ["use_skill"]),
        ("退出", ["use_skill"]),
    ],
)
async def test_an_expert_at_work_is_left_only_for_one_who_is_named(words: str, called: list[str]) -> None:
    """INFRA-4, SKILL-3: what the user chose is not undone by a word in the next message."""
    messages = [IN_A_SKILL, {"role": "user", "content": words}]
    made = await offline.complete(TARGET, ModelCall(messages, (USE_SKILL,)))
    assert [each.name for each in made.tool_calls] == called


@pytest.mark.parametrize(
    ("words", "told", "said"),
    [
        ("帮我看看八字", {"status": "activated", "skill": "bazi", "missing": ["birth_info"]}, "还缺少：birth_info"),
        ("抽一张塔罗牌吧", {"status": "already_active", "skill": "tarot"}, "技能 tarot 已启用"),
        ("draw a card", {"status": "activated", "skill": "tarot"}, "The skill tarot is active."),
        ("退出", {"status": "activated", "skill": "core"}, "已离开技能"),
        ("draw a card", {"error": "not installed"}, "not taken up: error: not installed"),
    ],
)
async def test_an_expert_that_was_called_in_is_told_of_in_a_sentence(words: str, told: Any, said: str) -> None:
    """INFRA-4: nobody reads the result of a tool who has only asked for an expert."""
    made = await answer(words, *result("use_skill", told))
    assert said in made.text
    assert "use_skill" not in made.text


@pytest.mark.parametrize(
    "words",
    ["你好", "我今天很开心", "What should I eat tonight?", "Don't read the file, just say hi", "不要抽塔罗", "1+1=?"],
)
async def test_no_tool_is_called_when_they_do_not(words: str) -> None:
    """INFRA-4: small talk, questions and refusals are answered in words."""
    made = await answer(words)
    assert made.tool_calls == ()
    assert made.finish is Finish.STOP


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("你好", "你好"),
        ("Hello!", "Hello"),
        ("What is 12*(3+4)/5?", "= 16.8"),
        ("3加5乘2等于多少", "= 13"),
        ("你是谁？", "离线模型"),
        ("What time is it?", "no clock"),
        ("我最近在学摄影", "我最近在学摄影"),
        ("My cat is called Tom", "My cat is called Tom"),
        ("what can you do", "read_file"),
        ("你能为我做什么？", "read_file"),
        ("", "想聊点什么"),
    ],
)
async def test_it_answers_what_it_was_told_and_labels_itself(words: str, expected: str) -> None:
    """INFRA-4: about the user's words, in the user's language, clearly labelled."""
    made = await answer(words)
    assert expected in made.text
    english = words.isascii() and words
    assert made.text.startswith(LABEL_ENGLISH if english else LABEL_CHINESE)


async def test_words_without_letters_are_answered_in_the_profiles_language() -> None:
    """INFRA-4, PRO-6: `ai_language` decides where the words do not."""
    profile = '# USER_PROFILE (JSON)\n{"username":"Ann","ai_language":"en-US"}'
    messages = [{"role": "system", "content": profile}, {"role": "user", "content": "2+2"}]
    made = await offline.complete(TARGET, ModelCall(messages))
    assert made.text == f"{LABEL_ENGLISH}2+2 = 4"


async def test_data_that_rides_along_is_not_what_the_user_said() -> None:
    """INFRA-4: matched cases and the time are no words of the user."""
    made = await answer('# TURN (JSON)\n{"now":"2026-03-06T08:00","case":"tarot"}\n\n我有点累')
    assert made.tool_calls == ()
    assert "我有点累" in made.text
    assert "2026" not in made.text


async def test_a_message_is_read_as_a_turn_writes_it() -> None:
    """INFRA-4: labelled blocks and our heading are no words of the user, and name no tool."""
    stored = Stored("m", "user_input", "What can you do for me?")
    now = data_block("NOW", {"time": "2026-11-20T04:42", "case": "tarot", "user": "files"}, "operator")
    written = user_message(stored, ModelCard("offline", "weft", "text", 8_000), [now])["content"]
    made = await answer(written)
    assert made.tool_calls == ()
    assert "read_file" in made.text
    assert not {"2026", "USER_MESSAGE", "NOW"} & set(re.findall(r"\w+", made.text))


async def test_a_result_is_reported_without_its_wrapping() -> None:
    """INFRA-4: the label of what comes from outside is for models, and what a stage noted is not said twice."""
    stored = Stored("m", "tool_result", '{"temperature": 21}')
    noted = {"role": "system", "content": '{"execution": {"execution_summary": "get_weather succeeded"}}'}
    made = await answer("北京天气怎么样？", *result("get_weather", tool_result_text(stored)), noted)
    assert "temperature: 21" in made.text
    assert "external" not in made.text
    assert "execution" not in made.text


async def test_what_a_tool_found_is_reported() -> None:
    """INFRA-4: after its results the model words them and calls no tool again."""
    made = await answer("北京天气怎么样？", *result("get_weather", {"temperature": 21, "sky": "晴"}))
    assert made.tool_calls == ()
    assert "temperature: 21" in made.text
    assert "晴" in made.text


async def test_after_a_skill_it_goes_on_to_the_tool_that_was_meant() -> None:
    """INFRA-4, SKILL-3: activate first, then read, then report."""
    words = "用塔罗看看，先读取 cards.txt"
    first = await answer(words)
    activated = result("use_skill", {"status": "activated", "skill": "tarot"})
    second = await answer(words, *activated)
    third = await answer(words, *activated, *result("read_file", "The Fool"))
    assert {first.tool_calls[0].name, second.tool_calls[0].name} == {"use_skill", "read_file"}
    assert third.tool_calls == ()
    assert "The Fool" in third.text


@pytest.mark.parametrize("words", ["你好", "帮我看看八字", "a long story about many things"])
async def test_the_same_call_gets_the_same_answer_streamed_or_whole(words: str) -> None:
    """INFRA-4: deterministic, in small pieces, with plausible usage on the last."""
    deltas = [delta async for delta in offline.stream(TARGET, call(words))]
    fold = Fold()
    for delta in deltas:
        fold.add(delta)
    assert fold.completion() == await answer(words) == await answer(words)
    assert len(deltas) > 3
    assert deltas[-1].usage is not None
    assert all(delta.usage is None for delta in deltas[:-1])
    assert deltas[-1].usage.input > 100
    assert 0 < deltas[-1].usage.output < 60


async def test_a_limit_of_the_answer_is_kept_and_said() -> None:
    """SEC-4: `max_output_tokens` cuts it off."""
    made = await answer("who are you", max_output_tokens=5)
    assert made.finish is Finish.LENGTH
    assert made.usage is not None
    assert made.usage.output <= 7


async def test_pictures_are_said_to_be_unseen() -> None:
    """WORK-4: a model that cannot see says so."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    made = await answer([picture, {"type": "text", "text": "这是什么"}])
    assert "1 张图片" in made.text


async def test_tools_are_called_only_as_far_as_the_call_allows() -> None:
    """INFRA-4: none, one by force, or any."""
    assert (await answer("帮我看看八字", tool_choice="none")).tool_calls == ()
    forced = await answer("你好", tool_choice="remember")
    assert forced.tool_calls[0].name == "remember"
    assert (await answer("你好", tool_choice="required")).tool_calls != ()


class FirstCall(BaseModel):
    tool: str
    arguments: dict[str, Any]


class Intent(BaseModel):
    """What the intent stage decides (FLOW-3)."""

    route: Literal["DIRECT_EXECUTION", "NEEDS_EXECUTION"]
    intent_summary: str
    assistant_text: str | None = None
    execution_brief: str | None = None
    safety_flags: list[str] = Field(default_factory=list)
    first_calls: list[FirstCall] = Field(default_factory=list)

    @model_validator(mode="after")
    def _payload(self) -> "Intent":
        wanted = self.assistant_text if self.route == "DIRECT_EXECUTION" else self.execution_brief
        if not wanted:
            raise ValueError(f"{self.route} needs its payload")
        return self


class Execution(BaseModel):
    """What the execution stage found (FLOW-3)."""

    status: Literal["SUCCESS", "PARTIAL", "FAILED"]
    execution_summary: str
    execution_data: dict[str, Any] = Field(default_factory=dict)
    report_brief: str
    error_message: str | None = None


async def intent(words: str, strategy: Strategy) -> tuple[Intent | None, tuple[str, ...]]:
    got = await structured(lambda c: offline.stream(TARGET, c), call(words), Intent, strategy, "assistant_text")
    assert len(got.completions) == 1
    return got.value, tuple(each.name for each in got.tool_calls)


@pytest.mark.parametrize("strategy", Strategy)
async def test_it_answers_in_the_structure_it_is_asked_for(strategy: Strategy) -> None:
    """INFRA-4, FLOW-3: whichever way it is asked, at the first attempt."""
    value, _ = await intent("我今天很开心", strategy)
    assert value is not None
    assert value.route == "DIRECT_EXECUTION"
    assert value.assistant_text is not None
    assert "我今天很开心" in value.assistant_text
    assert value.safety_flags == []


@pytest.mark.parametrize("strategy", Strategy)
async def test_it_routes_to_the_execution_and_names_the_first_call(strategy: Strategy) -> None:
    """INFRA-4, FLOW-3: `first_calls` in the shape that the schema wants."""
    value, _ = await intent("请读取 notes/todo.md", strategy)
    assert value is not None
    assert value.route == "NEEDS_EXECUTION"
    assert value.first_calls == [FirstCall(tool="read_file", arguments={"path": "notes/todo.md"})]
    assert value.assistant_text is None


@pytest.mark.parametrize("strategy", Strategy)
async def test_the_intent_stage_takes_on_a_skill_itself(strategy: Strategy) -> None:
    """INFRA-4, SKILL-3: `use_skill` is called, not routed."""
    value, called = await intent("帮我看看八字", strategy)
    assert (value, called) == (None, ("use_skill",))


async def test_the_execution_stage_reports_facts() -> None:
    """INFRA-4, FLOW-2: structured results of the tools."""
    asked = call("北京天气怎么样？", *result("get_weather", {"temperature": 21}))
    got = await structured(lambda c: offline.stream(TARGET, c), asked, Execution, Strategy.NATIVE_SCHEMA)
    assert got.value is not None
    assert got.value.status == "SUCCESS"
    assert got.value.execution_data == {"get_weather": {"temperature": 21}}


PLAIN: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(lambda low, more: {"type": "integer", "minimum": low, "maximum": low + more},
              st.integers(-9, 9), st.integers(0, 9)),
    st.builds(lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more},
              st.integers(0, 30), st.integers(0, 9)),
    st.just({"type": "boolean"}),
    st.just({"type": "number", "exclusiveMinimum": 0}),
    st.just({"type": ["string", "null"]}),
    st.just({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    st.sampled_from(["date", "date-time", "uuid", "email"]).map(lambda form: {"type": "string", "format": form}),
    st.lists(st.text(max_size=4) | st.integers(0, 5), min_size=1, max_size=3, unique=True).map(lambda v: {"enum": v}),
    st.just({"const": 7}),
)  # fmt: skip
NAMES = st.sampled_from(["route", "status", "assistant_text", "summary", "path", "date", "n", "items", "city", "名"])


def _object(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(NAMES, inner, max_size=4).flatmap(
        lambda properties: st.sets(st.sampled_from(sorted(properties) or ["none"])).map(
            lambda required: {
                "type": "object",
                "properties": properties,
                "required": sorted(required & set(properties)),
                "additionalProperties": False,
            }
        )
    )


SCHEMAS = _object(
    st.recursive(
        PLAIN,
        lambda inner: (
            _object(inner)
            | st.builds(lambda items, low: {"type": "array", "items": items, "minItems": low}, inner, st.integers(0, 2))
        ),
        max_leaves=6,
    )
)


@given(SCHEMAS, st.sampled_from(["", "读取 a.txt 2020-02-03 3.5", 'No 42 "quoted" in Paris at 7:30', "好" * 60]))
def test_whatever_the_schema_the_instance_is_valid(schema: dict[str, Any], words: str) -> None:
    """INFRA-4: forced tools and response formats get valid instances."""
    from weft.llm.offline_mind import decide

    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    jsonschema.validate(decide(call(words, tools=(), response_format=wanted)).arguments, schema)
    forced = ToolSpec("do_it", "Do it.", schema)
    jsonschema.validate(decide(call(words, tools=(forced,), tool_choice="do_it")).arguments, schema)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 10**6), st.sampled_from("+-*"))
def test_sums_come_out_right(one: int, two: int, three: int, sign: str) -> None:
    """INFRA-4: exact arithmetic, no evaluation."""
    found = sum_in(f"请算 ({one} {sign} {two}) * {three} 是多少")
    expected = {"+": one + two, "-": one - two, "*": one * two}[sign] * three
    assert found is not None
    assert Decimal(found[1]) == expected


@pytest.mark.parametrize("words", ["2026-03-06", "1/0", "((((1+", "tel 123-456-7890-", "no sum", "(" * 5000 + "1+1"])
def test_what_is_no_sum_is_left_alone(words: str) -> None:
    """INFRA-4: dates, broken sums and nonsense are no sums."""
    assert sum_in(words) is None


@given(st.text(max_size=200))
def test_no_words_can_break_it(words: str) -> None:
    """INFRA-4: whatever is said gets an answer."""
    from weft.llm.offline_mind import decide

    decision = decide(call(words))
    assert decision.text.startswith((LABEL_CHINESE, LABEL_ENGLISH)) or decision.tool
