"""Counts tokens offline: exactly where a vocabulary is at hand, by a fitted estimate where none is.

Exact for the models of the cl100k vocabulary (GPT-4, GPT-3.5, OpenAI's embeddings), text by text. For DeepSeek, Qwen,
newer OpenAI models and all others see `token_estimate` for how near it comes. What a vendor adds around messages and
tools is known only roughly, hence the calibration from reported usage.
"""

import importlib
import importlib.util
import json
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from weft.llm.calibration import Calibration
from weft.llm.token_estimate import Family, estimate
from weft.llm.types import ToolSpec

REMEMBERED_TEXTS = 8192
IMAGE_TOKENS = 800  # a picture of middling size; vendors charge from 85 to over 2,000
PIECE = 20_000  # characters given to the encoder at once: its time grows faster than the text

_FAMILIES: tuple[tuple[re.Pattern[str], Family], ...] = (
    (re.compile(r"qwen|qwq|qvq"), "qwen"),  # before DeepSeek: its small models are distilled into Qwen
    (re.compile(r"deepseek"), "deepseek"),
    (re.compile(r"gpt-4o|gpt-4\.|gpt-[5-9]|gpt-oss|\bo[1-9]\b"), "o200k"),
    (re.compile(r"gpt-4|gpt-3\.5|gpt-35|text-embedding-(3|ada)"), "cl100k"),
)
_OTHERS: Family = "qwen"  # a vocabulary of today's usual size, made for both languages
# Tokens that a chat template spends on each message, and on introducing the tools.
_MESSAGE: Mapping[Family, int] = {"qwen": 5, "deepseek": 2, "cl100k": 4, "o200k": 4}
_TOOLS: Mapping[Family, int] = {"qwen": 95, "deepseek": 95, "cl100k": 12, "o200k": 12}
_REPLY = 3
_CL100K_FILE = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"  # what tiktoken calls it in its cache


class TokenCounter:
    """Counts for any model; unchanged texts are counted once.

    Its counts are corrected by the calibration; `raw_*` are not, and are what the calibration observes.
    """

    def __init__(self, calibration: Calibration | None = None, *, remembered: int = REMEMBERED_TEXTS) -> None:
        self.calibration = calibration or Calibration()
        self._remembered = remembered
        self._counts: OrderedDict[tuple[Family, int, int], int] = OrderedDict()

    def count(self, model: str, text: str) -> int:
        """How many tokens a text has for a model."""
        return self.calibration.corrected(model, self.raw_count(model, text))

    def count_messages(self, model: str, messages: Sequence[Mapping[str, Any]], tools: Iterable[ToolSpec] = ()) -> int:
        """How many tokens a prompt has: its messages, its tools, and what the vendor puts around them."""
        return self.calibration.corrected(model, self.raw_count_messages(model, messages, tools))

    def observe(
        self, model: str, messages: Sequence[Mapping[str, Any]], tools: Iterable[ToolSpec], reported: int
    ) -> None:
        """Learn from the input tokens that a vendor reported for a prompt; pictures teach nothing."""
        if not any(_pictures(message) for message in messages):
            self.calibration.observe(model, self.raw_count_messages(model, messages, tools), reported)

    def raw_count(self, model: str, text: str) -> int:
        """The count without its correction."""
        family = family_of(model)
        # Python keeps a text's hash with the text: a block that stays the same object costs nothing.
        key = (family, hash(text), len(text))
        known = self._counts.get(key)
        if known is not None:
            self._counts.move_to_end(key)
            return known
        counted = self._counts[key] = _count(text, family)
        if len(self._counts) > self._remembered:
            self._counts.popitem(last=False)
        return counted

    def raw_count_messages(
        self, model: str, messages: Sequence[Mapping[str, Any]], tools: Iterable[ToolSpec] = ()
    ) -> int:
        """The same for a prompt."""
        family = family_of(model)
        total = _REPLY
        for message in messages:
            total += _MESSAGE[family] + IMAGE_TOKENS * _pictures(message)
            total += sum(self.raw_count(model, text) for text in _texts(message))
        written = [_written(tool) for tool in tools]
        return total + sum(self.raw_count(model, text) for text in written) + (_TOOLS[family] if written else 0)


def family_of(model: str) -> Family:
    """Which vocabulary a model reads with, by its name."""
    name = model.lower()
    return next((family for pattern, family in _FAMILIES if pattern.search(name)), _OTHERS)


def prepare() -> None:
    """Load the vocabulary that is at hand: takes a third of a second, better before the first call needs it."""
    _encode()


def _count(text: str, family: Family) -> int:
    encode = _encode() if family == "cl100k" and text else None
    if encode is None:
        return estimate(text, family)
    return sum(len(encode(text[at : at + PIECE])) for at in range(0, len(text), PIECE))


@lru_cache(maxsize=1)
def _encode() -> Callable[[str], list[int]] | None:
    """The encoder with the vocabulary that LiteLLM brings along, without importing LiteLLM; None without it."""
    found = importlib.util.find_spec("litellm")
    if found is None or found.origin is None or importlib.util.find_spec("tiktoken") is None:
        return None
    folder = Path(found.origin).parent / "litellm_core_utils" / "tokenizers"
    if not (folder / _CL100K_FILE).is_file():
        return None  # tiktoken would go and fetch it
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        encoding: Any = importlib.import_module("tiktoken").get_encoding("cl100k_base")
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
    encode: Callable[[str], list[int]] = encoding.encode_ordinary
    return encode


def _texts(message: Mapping[str, Any]) -> Iterable[str]:
    content = message.get("content")
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        yield from (part["text"] for part in content if isinstance(part.get("text"), str))
    if isinstance(thought := message.get("reasoning_content"), str):
        yield thought
    if calls := message.get("tool_calls"):
        yield json.dumps(calls, ensure_ascii=False, separators=(",", ":"))


def _pictures(message: Mapping[str, Any]) -> int:
    content = message.get("content")
    return sum(part.get("type") == "image_url" for part in content) if isinstance(content, list) else 0


def _written(tool: ToolSpec) -> str:
    shape = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return json.dumps(shape, ensure_ascii=False, separators=(",", ":"), default=dict)
