"""What a call is about, as the offline model sees it: the user's words, what tools have said, what is known."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft.llm.offline_words import is_chinese
from weft.llm.tolerant_json import objects_in
from weft.llm.types import ModelCall

_DATA_BLOCK = re.compile(r"^#+ [^\n]*\(JSON[^)\n]*\)\s*\n+(?:```\w*\n)?[\[{][^\n]*\n?(?:```\n?)?", re.MULTILINE)
_OWN_WORDS = re.compile(r"^# USER_MESSAGE\n", re.MULTILINE)  # the user's own from here, whatever they look like
_LANGUAGE = re.compile(r'"ai_language"\s*:\s*"([A-Za-z-]+)"')
LONGEST_WORDS = 2_000  # what is looked through; the rest of a long text changes no decision


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool said in this turn."""

    name: str
    content: str


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that an answer depends on."""

    words: str
    chinese: bool
    answers: tuple[ToolAnswer, ...]
    earlier: tuple[str, ...]  # what the user said in earlier turns
    after: tuple[Mapping[str, Any], ...]  # the messages after the user's words that no tool wrote
    pictures: int = 0

    @classmethod
    def of(cls, call: ModelCall) -> "Scene":
        """Read a call."""
        messages = list(call.messages)
        last = max((at for at, message in enumerate(messages) if message.get("role") == "user"), default=-1)
        words = _words(messages[last]) if last >= 0 else ""
        since = messages[last + 1 :]
        earlier = tuple(_words(message) for message in messages[: max(last, 0)] if message.get("role") == "user")
        content = messages[last].get("content") if last >= 0 else None
        parts = content if isinstance(content, list) else []
        return cls(
            words=words,
            chinese=is_chinese(words, otherwise=_prefers_chinese(messages)),
            answers=tuple(_answers(since)),
            earlier=earlier,
            after=tuple(message for message in since if message.get("role") == "system"),
            pictures=sum(part.get("type") == "image_url" for part in parts),
        )

    def say(self, chinese: str, english: str) -> str:
        """The words in the user's language."""
        return chinese if self.chinese else english

    def facts(self) -> dict[str, Any]:
        """What tools found, by name; where none was asked, what earlier stages found."""
        found: dict[str, Any] = {answer.name: _parsed(answer.content) for answer in self.answers}
        for message in () if found else self.after:
            for each in objects_in(text_of(message)):
                if "properties" not in each and "$defs" not in each:  # a schema is no fact
                    found.update(each)
        return found


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, without its pictures."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))
    return content if isinstance(content, str) else ""


def briefly(value: Any, limit: int = 400) -> str:
    """A value as a person would note it down."""
    if isinstance(value, Mapping):
        text = "; ".join(f"{name}: {briefly(inner, limit // 2)}" for name, inner in value.items())
    elif isinstance(value, list):
        text = ", ".join(briefly(inner, limit // 2) for inner in value)
    else:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else text[:limit] + "…"


def _words(message: Mapping[str, Any]) -> str:
    # The data that rides along with a message is not what the user said.
    text = text_of(message)
    own = _OWN_WORDS.search(text)
    said = text[own.end() :] if own else _DATA_BLOCK.sub("", text)
    return said.strip()[:LONGEST_WORDS]


def _answers(since: Sequence[Mapping[str, Any]]) -> Iterator[ToolAnswer]:
    names = {
        call.get("id"): str(call.get("function", {}).get("name", ""))
        for message in since
        for call in message.get("tool_calls") or []
    }
    for message in since:
        if message.get("role") == "tool":
            name = names.get(message.get("tool_call_id")) or str(message.get("name") or "tool")
            yield ToolAnswer(name, text_of(message))


def _parsed(content: str) -> Any:
    """What a tool said, out of the wrapping that a prompt gives to what comes from outside."""
    try:
        value = json.loads(content)
    except ValueError:
        return content
    if isinstance(value, dict) and value.keys() == {"trust", "result"}:
        told = value["result"]
        return _parsed(told) if isinstance(told, str) else told
    return value


def _prefers_chinese(messages: Sequence[Mapping[str, Any]]) -> bool:
    for message in messages:
        if message.get("role") == "system" and (found := _LANGUAGE.search(text_of(message))):
            return found[1].startswith("zh")
    return True
