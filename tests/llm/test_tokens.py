"""Token counts come near enough to what the models' own tokenizers say, and learn from what vendors report."""

import json
import os
import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.endless import assert_quick
from weft.kit.errors import InvalidError
from weft.llm import tokens
from weft.llm.calibration import REMEMBERED, Calibration
from weft.llm.token_estimate import Family, estimate
from weft.llm.tokens import IMAGE_TOKENS, TokenCounter, family_of
from weft.llm.types import ToolSpec

TOLERANCE = 0.15
# Each text with what the tokenizers of Qwen 2.5, DeepSeek V3 and cl100k make of it; no estimate was fitted to them.
SAMPLES: dict[str, tuple[str, int, int, int]] = {
    "chat in Chinese": (
        "我最近工作压力特别大，晚上总是睡不好，早上起来又觉得很累。领导让我下个月去上海负责新项目，可是孩子刚上小"
        "学，家里也离不开人。我不知道应该怎么选择，你能帮我看看吗？如果留下来，可能三年内都没有晋升的机会；如果去"
        "了，又担心错过孩子成长最重要的阶段。说实话，我已经很久没有好好跟家人坐下来吃一顿饭了。",
        84,
        84,
        172,
    ),
    "a report in Chinese": (
        "根据国家统计局公布的数据，2025年全国居民人均可支配收入为43,377元，比上年名义增长5.0%。分城"
        "乡看，城镇居民人均可支配收入56,502元，农村居民人均可支配收入24,456元。与此同时，服务消费继续"
        "扩大，文化旅游、医疗健康、在线教育等领域保持较快发展，为经济平稳运行提供了有力支撑。专家表示，下一阶段应"
        "当继续完善收入分配制度。",
        105,
        91,
        185,
    ),
    "chat in English": (
        "I've been thinking about changing careers for a while now, but I'm honestly not sure where t"
        "o start. My current job pays well enough, and the people are kind, yet every Sunday evening "
        "I feel the same knot in my stomach. Last week a friend offered me a position at her small de"
        "sign studio. It would mean earning a third less, at least in the first year, and learning al"
        "most everything from scratch. What would you ask yourself if you were in my place?",
        96,
        96,
        96,
    ),
    "documentation in English": (
        "The scheduler keeps a lease for every run that it has claimed. While a run is executing, the"
        " worker renews the lease every few seconds; when a worker dies, its leases expire, and the s"
        "weeper puts the runs back into the queue. A fencing number is incremented at each claim, so "
        "that a worker which wakes up after a long pause cannot overwrite the checkpoints of its succ"
        "essor. Timeouts are configured per deployment, and should always be longer than the slowest "
        "database failover that you are prepared to tolerate.",
        104,
        107,
        104,
    ),
    "JSON of both": (
        '{"user_id":"8f14e45f-ceea-467d-9b1c-3a5d7b2c1e90","username":"小林","bio":"喜欢徒步和摄影，正在学习写作","se'
        'ttings":{"version":2,"preferences":{"interface_language":"zh-CN","ai_language":"en-US","time'
        'zone":"Asia/Shanghai","country":"CN"}},"extracted":[{"fact":"works as a product manager","so'
        'urce":"conversation","at":"2026-03-06T08:15:00Z","confidence":0.82}]}',
        131,
        127,
        129,
    ),
    "a tool schema": (
        '{"name":"use_skill","description":"Activate an expert skill for this conversation. Call it w'
        'hen the user asks for something that one of the skills is made for; call it with \\"core\\" to'
        ' leave the skill.","parameters":{"type":"object","properties":{"skill":{"type":"string","enu'
        'm":["core","bazi","zodiac","tarot","career","lifecoach"],"description":"The name of the skil'
        'l"},"scenario":{"type":"string","description":"What the user wants to find out, in a few wor'
        'ds"}},"required":["skill"]}}',
        113,
        124,
        113,
    ),
    "code": (
        'async def claim(self, worker: str, limit: int = 1) -> list[Run]:\n    """Claim the oldest run'
        's that nobody works on."""\n    statement = (\n        select(RunRow)\n        .where(RunRow.st'
        'atus == "queued", RunRow.not_before <= func.now())\n        .order_by(RunRow.created_at)\n    '
        "    .limit(limit)\n        .with_for_update(skip_locked=True)\n    )\n    rows = (await self._s"
        "ession.scalars(statement)).all()\n    for row in rows:\n        row.lease_owner, row.fencing ="
        " worker, row.fencing + 1\n    return [to_run(row) for row in rows]\n",
        138,
        146,
        138,
    ),
    "Markdown of both": (
        "# 技能说明\n\n**名称**: `career` · **版本**: 1.2.0\n\n## 什么时候使用\n"
        "\n- 用户询问职业选择、跳槽、面试准备\n- The user asks about a promotio"
        "n, a salary talk, or a conflict at work\n\n## 步骤\n\n1. 先"
        "了解用户的行业和阶段 (`life_context`)\n2. Ask at most two quest"
        "ions at a time\n3. 给出三个可以马上做的小行动\n",
        99,
        98,
        126,
    ),
}
MODELS = ("qwen-plus", "deepseek-chat", "gpt-4")
TOOL = ToolSpec("read_file", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", SAMPLES)
def test_a_count_is_near_the_models_own(name: str, model: str) -> None:
    """INFRA-3, SKILL-2: within 15 % for Chinese, English, JSON and code; exact where the vocabulary is at hand."""
    text, *true = SAMPLES[name]
    expected = true[MODELS.index(model)]
    counted = TokenCounter().count(model, text)
    assert counted == (expected if model == "gpt-4" else pytest.approx(expected, rel=TOLERANCE))


@pytest.mark.parametrize(("family", "column"), [("qwen", 1), ("deepseek", 2), ("cl100k", 3)])
def test_over_many_texts_the_errors_even_out(family: Family, column: int) -> None:
    """SKILL-2: a budget is made of many blocks; their sum is within 6 %."""
    counted = sum(estimate(sample[0], family) for sample in SAMPLES.values())
    assert counted == pytest.approx(sum(sample[column] for sample in SAMPLES.values()), rel=0.06)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("deepseek-chat", "deepseek"),
        ("deepseek-ai/DeepSeek-V3", "deepseek"),
        ("deepseek-r1-distill-qwen-7b", "qwen"),
        ("qwen-max", "qwen"),
        ("qwq-32b", "qwen"),
        ("gpt-4", "cl100k"),
        ("gpt-4-turbo", "cl100k"),
        ("gpt-3.5-turbo", "cl100k"),
        ("text-embedding-3-small", "cl100k"),
        ("gpt-4o-mini", "o200k"),
        ("gpt-4.1", "o200k"),
        ("gpt-5", "o200k"),
        ("openai/o3-mini", "o200k"),
        ("claude-sonnet-4", "qwen"),
        ("offline", "qwen"),
    ],
)
def test_a_models_family_is_told_by_its_name(model: str, family: str) -> None:
    """Part 9: counting per model family."""
    assert family_of(model) == family


def test_newer_openai_models_need_fewer_tokens_for_chinese() -> None:
    """Part 9: their vocabulary cannot be had offline; it is estimated between the older one and Qwen's."""
    text = SAMPLES["chat in Chinese"][0]
    assert estimate(text, "qwen") < estimate(text, "o200k") < estimate(text, "cl100k")


def test_messages_and_tools_count_with_their_frame() -> None:
    """SKILL-2: budgets count the system text and the tool schemas."""
    counter = TokenCounter()
    bare = [{"role": "user", "content": "你好"}]
    small = counter.count_messages("qwen-plus", bare)
    assert small > counter.count("qwen-plus", "你好")
    assert counter.count_messages("qwen-plus", bare, [TOOL]) > small + counter.count("qwen-plus", TOOL.description)
    called = [{"id": "a", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a.txt"}'}}]
    with_call = [*bare, {"role": "assistant", "content": None, "tool_calls": called}]
    assert counter.count_messages("qwen-plus", with_call) > small + 15


def test_a_picture_counts_as_a_picture_not_as_its_base_64() -> None:
    """WORK-4: a data URL of a megabyte is no million tokens."""
    parts = [{"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 1_000_000}}]
    text = {"type": "text", "text": "这是什么"}
    counted = TokenCounter().count_messages("qwen-vl", [{"role": "user", "content": [*parts, text]}])
    assert IMAGE_TOKENS < counted < IMAGE_TOKENS + 30


def test_an_unchanged_text_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """SKILL-10: unchanged blocks are not counted again, and what is remembered is bounded."""
    counted: list[str] = []

    def counting(text: str, family: Family) -> int:
        counted.append(text)
        return estimate(text, family)

    monkeypatch.setattr(tokens, "estimate", counting)
    counter = TokenCounter(remembered=2)
    block = "一个不变的块 " * 50
    for _ in range(3):
        counter.count("deepseek-chat", block)
        counter.count("deepseek-reasoner", "".join([block]))  # the same family, an equal text
    assert counted == [block]
    for text in ("one", "two", "three", "one"):
        counter.count("deepseek-chat", text)
    assert counted[1:] == ["one", "two", "three", "one"]


@given(st.text(max_size=300), st.sampled_from(["qwen", "deepseek", "cl100k", "o200k"]))
def test_every_text_has_a_count(text: str, family: Family) -> None:
    """Part 9: nothing breaks it; only an empty text has none, and no text has more tokens than bytes."""
    counted = estimate(text, family)
    assert (counted == 0) is (text == "")
    assert counted <= 2 * len(text.encode(errors="surrogatepass")) + 4


def test_counting_is_cheap() -> None:
    """SKILL-2: ten thousand characters that were never seen before take a few milliseconds at most."""
    texts = ["".join(sample[0] for sample in SAMPLES.values()) + str(number) for number in range(20)]
    began = time.process_time()
    for text in texts:
        estimate(text, "deepseek")
    spent = (time.process_time() - began) / sum(map(len, texts)) * 10_000
    assert spent < 0.02


def test_neither_litellm_nor_tiktoken_is_imported_unless_the_family_needs_it() -> None:
    """Part 9: a process that never calls such a model never pays for its vocabulary; LiteLLM is not needed at all."""
    code = (
        "import sys; from weft.llm.tokens import TokenCounter; c = TokenCounter(); c.count('deepseek-chat', 'x' * 9);"
        "assert not {'litellm', 'tiktoken'} & set(sys.modules);"
        "assert c.count('gpt-4', 'hello world') == 2; assert 'litellm' not in sys.modules;"
        "import os; assert 'TIKTOKEN_CACHE_DIR' not in os.environ"
    )
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "TIKTOKEN"))}
    subprocess.run([sys.executable, "-c", code], check=True, env=clean, timeout=60)


def test_without_the_vocabulary_it_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Part 9: offline means offline: nothing is fetched."""
    monkeypatch.setattr(tokens, "_encode", lambda: None)
    text, *_, expected = SAMPLES["chat in English"]
    assert TokenCounter().count("gpt-4", text) == pytest.approx(expected, rel=TOLERANCE)


def test_a_count_learns_from_what_the_vendor_reports() -> None:
    """Part 9: calibrated from reported usage, each model for itself."""
    counter = TokenCounter()
    messages = [{"role": "user", "content": SAMPLES["a report in Chinese"][0]}]
    raw = counter.raw_count_messages("new-model", messages)
    for _ in range(3):
        counter.observe("new-model", messages, (), round(raw * 1.2))
    assert counter.count_messages("new-model", messages) == pytest.approx(raw * 1.2, rel=0.01)
    assert counter.count_messages("other-model", messages) == raw


def test_pictures_teach_nothing() -> None:
    """Part 9: what a picture costs is the vendor's own affair."""
    counter = TokenCounter()
    messages = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a/b.png"}}]}]
    for _ in range(5):
        counter.observe("m", messages, (), 2000)
    assert counter.calibration.ratio("m") == 1


def test_a_calibration_is_not_moved_by_a_few_odd_reports() -> None:
    """Part 9: a running median; what cannot be the same text is not even kept."""
    calibration = Calibration()
    for reported in (1100, 1100, 3500, 1100, 300, 1100, 90_000, 5, 0, -1):
        calibration.observe("m", 1000, reported)
    calibration.observe("m", 10, 30)  # too small to tell
    assert calibration.ratio("m") == 1.1
    assert calibration.corrected("m", 500) == 550


def test_a_calibration_follows_a_vendor_that_changes() -> None:
    """Part 9: old reports are forgotten."""
    calibration = Calibration()
    for _ in range(100):
        calibration.observe("m", 1000, 900)
    for _ in range(REMEMBERED // 2 + 1):
        calibration.observe("m", 1000, 1300)
    assert calibration.ratio("m") == 1.3


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(64, 9999), st.integers(1, 9999)), max_size=60))
def test_a_calibration_survives_a_restart(observed: list[tuple[str, int, int]]) -> None:
    """Part 9: serialisable; the ratio is never outside what is plausible."""
    calibration = Calibration()
    for model, counted, reported in observed:
        calibration.observe(model, counted, reported)
    again = Calibration.load(json.loads(json.dumps(calibration.dump())))
    assert again.dump() == calibration.dump()
    for model in "abc":
        assert again.ratio(model) == pytest.approx(calibration.ratio(model), rel=0.001)
        assert 0.25 <= again.ratio(model) <= 4


@pytest.mark.parametrize("dumped", [{"m": "1.0"}, {"m": [True]}, {"m": [99]}, {"m": [None]}, {"m": [float("nan")]}])
def test_what_is_no_calibration_is_refused(dumped: dict[str, Any]) -> None:
    """Part 9: a broken file is named, not believed."""
    with pytest.raises(InvalidError) as caught:
        Calibration.load(dumped)
    assert caught.value.field == "calibration.m"


@pytest.mark.parametrize("family", ["deepseek", "qwen", "cl100k", "o200k"])
def test_endless_texts_are_estimated_in_no_time(family: Family) -> None:
    """SEC-4: every message is counted, whatever it holds."""
    assert_quick(lambda text: estimate(text, family))
