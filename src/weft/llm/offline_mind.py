"""Decides what the offline model does: call a tool, fill in a structure, or say something."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weft.llm.offline_answer import StructuredAnswer
from weft.llm.offline_filling import Filling
from weft.llm.offline_scene import Scene, text_of
from weft.llm.offline_talk import talk
from weft.llm.offline_words import TOPICS, mentions, terms
from weft.llm.tolerant_json import objects_in
from weft.llm.types import ModelCall, ToolSpec

CALLS_PER_TURN = 3
_SAYS_NOTHING = frozenset({"", "get", "do", "call", "my", "the", "tool"})
_USE_SKILL = "use_skill"
_IN_A_SKILL = "# Tools of this skill\n"  # of the system text, where an expert is at work
ENOUGH = 3.0  # points from which on a tool is meant


@dataclass(frozen=True, slots=True)
class Decision:
    """What the answer is: a text, or a tool with its arguments."""

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] | None = None


def decide(call: ModelCall) -> Decision:
    """The same call always gets the same answer."""
    scene = Scene.of(call)
    shape = _schema(call)
    forced = next((tool for tool in call.tools if tool.name == call.tool_choice), None)
    if forced is not None:
        return Decision(tool=forced.name, arguments=_arguments(call, scene, forced))
    meant = _meant(call, scene, shape)
    if meant is not None:
        return Decision(tool=meant.name, arguments=_arguments(call, scene, meant))
    if call.tool_choice == "required" and call.tools:
        last = call.tools[-1]  # where an answer has to be a call, the answer's tool stands last
        return Decision(tool=last.name, arguments=_arguments(call, scene, last))
    if shape is not None:
        return Decision(arguments=_structured(call, scene, shape))
    return Decision(text=talk(scene, call.tools))


def _schema(call: ModelCall) -> Mapping[str, Any] | None:
    """The schema that the answer must keep, wherever it stands; a plain one where only JSON is asked for."""
    if call.tools and _carries_answer(call.tools[-1], call):
        return call.tools[-1].parameters
    wanted = call.response_format or {}
    if wanted.get("type") == "json_schema":
        native: Mapping[str, Any] = wanted.get("json_schema", {}).get("schema", {})
        return native
    for message in reversed(call.messages):
        if message.get("role") == "user":
            break
        if message.get("role") == "system" and "JSON schema" in text_of(message):
            found = (each for each in objects_in(text_of(message).partition("JSON schema")[2]) if "properties" in each)
            if (told := next(found, None)) is not None:
                return told
    return {"properties": {"text": {"type": "string"}}} if wanted.get("type") == "json_object" else None


def _meant(call: ModelCall, scene: Scene, shape: Mapping[str, Any] | None) -> ToolSpec | None:
    """The tool that the words ask for, if one does and it was not called yet in this turn."""
    if call.tool_choice == "none" or len(scene.answers) >= CALLS_PER_TURN:
        return None
    called = {answer.name for answer in scene.answers}
    open_tools = [tool for tool in call.tools if tool.name not in called and not _carries_answer(tool, call)]
    if shape is not None and "route" in shape.get("properties", {}):
        # A stage that only routes names the calls to make; what it may do itself is take on a skill.
        open_tools = [tool for tool in open_tools if tool.name == _USE_SKILL]
    if _in_a_skill(call) and not _names_a_skill(scene.words, call.tools):
        open_tools = [tool for tool in open_tools if tool.name != _USE_SKILL]
    ranked = sorted(open_tools, key=lambda tool: -points(scene.words, tool, call.tools))
    return ranked[0] if ranked and points(scene.words, ranked[0], call.tools) >= ENOUGH else None


def _in_a_skill(call: ModelCall) -> bool:
    return any(_IN_A_SKILL in text_of(each) for each in call.messages if each.get("role") == "system")


def _names_a_skill(words: str, tools: tuple[ToolSpec, ...]) -> bool:
    """Whether an expert is called by name, or sent away: whoever has one is not sent to another for a word."""
    skill = next((_properties(tool).get("skill", {}) for tool in tools if tool.name == _USE_SKILL), {})
    return any(
        name in words.lower() or (name not in TOPICS and mentions(words, name)) for name in skill.get("enum", ())
    )


def points(words: str, tool: ToolSpec, tools: tuple[ToolSpec, ...]) -> float:
    """How much the words speak for a tool: for its name, for values it can take, for what it is made for."""
    parts = [part for part in re.split(r"[^a-z0-9]+", tool.name.lower()) if part not in _SAYS_NOTHING] or [tool.name]
    named = sum(mentions(words, part) for part in parts)
    score = 4.0 * named / len(parts)
    if mentions(words, parts[0]):
        score += 1.5 * any(map(Filling(words, tool.parameters).finds, tool.parameters.get("required", ())))
    else:
        score /= 2  # `file` alone is not yet `read_file`: what is done stands first
    if tool.name.lower() in words.lower():
        score += ENOUGH
    values = [
        value for inner in _properties(tool).values() for value in inner.get("enum", ()) if isinstance(value, str)
    ]
    score += 4.0 if any(mentions(words, value) for value in values) else 0.0
    wanted = terms(words)
    for term in wanted & terms(tool.description):
        # What many tools say of themselves tells little.
        score += 1.5 / sum(term in terms(other.description) for other in tools)
    return score


def _carries_answer(tool: ToolSpec, call: ModelCall) -> bool:
    return call.tool_choice == "required" and tool is call.tools[-1]


def _arguments(call: ModelCall, scene: Scene, tool: ToolSpec) -> Mapping[str, Any]:
    if tool.name.startswith("answer_"):
        return _structured(call, scene, tool.parameters)
    # Where a value is described: in the tool, or in the system text that speaks of it.
    context = "\n".join([tool.description, *(text_of(each) for each in call.messages if each.get("role") == "system")])
    filled = Filling(scene.words, tool.parameters, context=context).value()
    return filled if isinstance(filled, Mapping) else {}


def _structured(call: ModelCall, scene: Scene, shape: Mapping[str, Any]) -> Mapping[str, Any]:
    return StructuredAnswer(scene, shape, talk(scene, call.tools), _first_calls(call, scene)).value()


def _first_calls(call: ModelCall, scene: Scene) -> list[tuple[str, Mapping[str, Any]]]:
    """The calls that the words ask for, as the intent stage names them."""
    if scene.answers:
        return []
    offered = [tool for tool in call.tools if tool.name != _USE_SKILL and not _carries_answer(tool, call)]
    ranked = sorted(offered, key=lambda tool: -points(scene.words, tool, call.tools))
    meant = [tool for tool in ranked[:1] if points(scene.words, tool, call.tools) >= ENOUGH]
    return [(tool.name, _arguments(call, scene, tool)) for tool in meant]


def _properties(tool: ToolSpec) -> Mapping[str, Mapping[str, Any]]:
    properties = tool.parameters.get("properties", {})
    return {name: inner for name, inner in properties.items() if isinstance(inner, Mapping)}
