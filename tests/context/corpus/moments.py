"""Moments of a conversation with a text in every place that a user, a file, a tool, a client or a model can write."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.context.blocks import CARD
from tests.context.conftest import Having
from weft.context.blocks import Trust
from weft.context.compiling import Compiled
from weft.context.conversation import Stored
from weft.context.payload import build_stage_prompt_payload
from weft.context.situation import (
    ActiveSkill,
    MatchedCase,
    Persona,
    ShownFile,
    Situation,
    SkillLine,
    SkillText,
)
from weft.context.user import AgentContext
from weft.context.window import History
from weft.llm.tokens import TokenCounter
from weft.llm.types import ToolSpec

COUNTER = TokenCounter()
PROFILE = ("username", "bio", "interface_language", "ai_language", "timezone", "country")
# Places whose texts stand in data blocks, and those where a text stands as it is, in a message or a schema of its own.
DATA = (
    *PROFILE, "file_name", "file_text", "soul", "memory", "case_title", "case_situation", "case_advice", "case_matched",
    "line_name", "line_description", "line_missing", "own_line_name", "own_line_description", "own_name", "own_body",
    "own_sop", "always_name", "always_text", "birth_place", "goal", "fact", "data_key", "data_value", "scenario",
    "channel", "chat_id", "recall", "input_key", "input_value", "attachment", "result", "earlier_result",
)  # fmt: skip
NAMES = ("own_tool", "own_compute", "own_missing")  # in our sentences, where they are names and nothing else
VERBATIM = ("words", "earlier_words", "answer", "reasoning", "call_name", "argument", "tool_name", "tool_description")
FIELDS = (*DATA, *NAMES, *VERBATIM)
# How long each may be at the most: what is longer is refused where it is stored or said, and comes to no prompt.
_TAG, _NAME, _WORD, _ID = 35, 64, 200, 512
LONGEST = {
    **dict.fromkeys(("interface_language", "ai_language", "timezone", "country"), _TAG),
    **dict.fromkeys(("line_name", "own_line_name", "own_name", "always_name", "tool_name", "call_name"), _NAME),
    **dict.fromkeys(("line_missing", "birth_place", "own_tool", "own_compute", "file_name"), _WORD),
    **dict.fromkeys(("input_key", "data_key"), _WORD),
    **dict.fromkeys(("channel", "chat_id"), _ID),
    "scenario": 128,
    "username": 255,
    "bio": 4_000,
    "goal": 2_000,
    "fact": 2_000,
    "tool_description": 4_000,
}
# Of these a prompt shows as much as is written in so many characters.
WRITTEN = {"line_missing": 128, "scenario": 256, "channel": 256, "chat_id": 256}
SHAPE = {"type": "object", "properties": {}}


@dataclass(frozen=True)
class Texts:
    """What stands where."""

    given: Mapping[str, str]

    def __getitem__(self, field: str) -> str:
        return self.given.get(field, f"harmless {field}")


def compiled(having: Having, given: Mapping[str, str], *, skill: str = "own", stage: str = "organization") -> Compiled:
    """The prompt with these texts; `skill` is `own` for one that nobody reviewed, `operator` or none."""
    texts = Texts(given)
    tools = [ToolSpec("use_skill", "Switch.", SHAPE), ToolSpec(texts["tool_name"], texts["tool_description"], SHAPE)]
    found = {texts["input_key"]: texts["input_value"], "goal": "find out"}
    history = History(_rows(texts))
    return build_stage_prompt_payload(
        stage, situation(having, texts, skill), history, tools, CARD, COUNTER, stage_input=found
    )


def situation(having: Having, texts: Texts, skill: str) -> Situation:
    """The moment."""
    return Situation(
        user=having(**{field: texts[field] for field in PROFILE}),
        agent=AgentContext(scenario=texts["scenario"], channel=texts["channel"], chat_id=texts["chat_id"]),
        now=datetime(2026, 11, 18, 9, 0, tzinfo=UTC),
        core=Persona("You are Vibe.", "Speak warmly."),
        catalogue=(
            SkillLine(texts["line_name"], texts["line_description"], (texts["line_missing"],)),
            SkillLine(texts["own_line_name"], texts["own_line_description"], trust=Trust.USER),
        ),
        always=(SkillText(texts["always_name"], texts["always_text"], "skills:user/x", Trust.USER),),
        skill=_skill(texts, skill) if skill else None,
        files=(ShownFile(texts["file_name"], texts["file_text"]), ShownFile("SOUL.md", texts["soul"])),
        memory=texts["memory"],
        recall=(texts["recall"], "likes tea"),
        tools=frozenset({"use_skill", texts["own_tool"]}),
    )


def _skill(texts: Texts, kind: str) -> ActiveSkill:
    own = kind == "own"
    case = MatchedCase(
        texts["case_title"], texts["case_situation"], texts["case_advice"], (texts["case_matched"], "tea")
    )
    return ActiveSkill(
        name=texts["own_name"],
        persona=texts["own_body"] if own else "You are the expert.",
        source="skills:x",
        trust=Trust.USER if own else Trust.OPERATOR,
        sop=texts["own_sop"] if own else "First ask.",
        compute=texts["own_compute"],
        tools=(texts["own_tool"],),
        profile_fields={
            "birth_info": {"date": "1990-05-17", "place": {"name": texts["birth_place"]}},
            "life_context": {"goals": [texts["goal"]]},
            "extracted": [{"fact": texts["fact"], "confidence": 0.8}],
            "skill_data.x": {texts["data_key"]: texts["data_value"]},
        },
        missing=(texts["own_missing"],),
        cases=(case,),
    )


def _rows(texts: Texts) -> list[Stored]:
    return [
        Stored("u0", "user_input", texts["earlier_words"]),
        *_pair("earlier", texts, texts["earlier_result"]),
        Stored("a0", "assistant_output", texts["answer"], reasoning_content=texts["reasoning"]),
        Stored("u1", "user_input", texts["words"], files=(texts["attachment"],)),
        *_pair("now", texts, texts["result"]),
    ]


def _pair(call: str, texts: Texts, result: str) -> list[Stored]:
    arguments: Any = {"query": texts["argument"]}
    made = Stored(f"{call}-call", "tool_call", texts["answer"], call, texts["call_name"], arguments)
    return [made, Stored(f"{call}-result", "tool_result", result, call, texts["call_name"])]
