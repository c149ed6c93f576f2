"""From a situation to the blocks of its prompt: the one place where prompts are made of their parts.

Each block is made by a function that remembers what it made: as long as its parts stay the same it is the very same
block, neither rendered nor hashed again.
"""

import platform
import sys
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache

from weft.context import skill_blocks
from weft.context.blocks import Block, Scope, Trust, block_id
from weft.context.data_block import written_within
from weft.context.recipes import PHASE_1, PHASE_2, Recipe
from weft.context.sections import prompt_texts
from weft.context.situation import CORE, Persona, ShownFile, Situation
from weft.context.user import AgentContext
from weft.context.user_prompt import user_context_blocks

_OURS = "weft:prompt.yaml"
_PERSONAS = frozenset({"SOUL.md", "IDENTITY.md"})
_USERS, _FILES = 2_048, 8_192  # blocks remembered
_LONGEST = 8_000  # characters of one that is: what is longer fits into no prompt whole, and is rare
# Not by the machine's locale: a prompt is the same on every machine.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_LONGEST_PLACE = 256  # characters of each part of it, as they are written


def recipe_of(situation: Situation) -> Recipe:
    """Which recipe the situation calls for."""
    return PHASE_1 if situation.skill is None else PHASE_2


def blocks_of(situation: Situation) -> list[Block]:
    """Every block that the situation has; the recipe decides which of them the prompt shows, and in which order."""
    return [
        *_ours(situation.tools),
        *skill_blocks.catalogue(situation.catalogue),
        *(skill_blocks.always(skill) for skill in situation.always),
        *_personas(situation),
        *user_context_blocks(situation.user),
        *_workspace(situation),
        *_session(situation),
        *_turn(situation),
    ]


@lru_cache(maxsize=64)
def _ours(tools: frozenset[str]) -> tuple[Block, ...]:
    """Policy, guidelines and runtime: the same for everybody who has the same tools."""
    texts = prompt_texts()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    said = {
        "policy": texts.policy.render(tools),
        "guidelines": texts.guidelines.render(tools),
        "runtime": texts.runtime.render(system=platform.system(), python=version),
    }
    return tuple(Block(name, _OURS, Trust.POLICY, Scope.GLOBAL, text) for name, text in said.items())


def _personas(situation: Situation) -> Iterator[Block]:
    """The expert where one is active; a skill that nobody reviewed speaks with the core's voice."""
    skill = situation.skill
    if skill is None:
        yield _core(situation.core, Scope.GLOBAL)
        return
    if skill.trust is Trust.USER:
        yield _core(situation.core, Scope.SKILL)
    yield from skill_blocks.active(skill, situation.tools)


@lru_cache(maxsize=64)
def _core(core: Persona, scope: Scope) -> Block:
    text = f"{core.text.strip()}\n\n{core.voice.strip()}" if core.voice else core.text
    return Block("persona", core.source, Trust.OPERATOR, scope, text, shrinks=skill_blocks.file_of(CORE))


def _workspace(situation: Situation) -> Iterator[Block]:
    if any(file.name in _PERSONAS for file in situation.files):
        yield _soul()
    for file in situation.files:
        yield _file(file)
    if situation.memory:
        yield _memory(situation.memory)


@lru_cache(maxsize=1)
def _soul() -> Block:
    return Block("soul", _OURS, Trust.POLICY, Scope.USER, prompt_texts().soul.render())


def _file(file: ShownFile) -> Block:
    return _file_kept(file) if len(file.text) <= _LONGEST else _file_block(file)


def _file_block(file: ShownFile) -> Block:
    source, values = f"workspace:{file.name}", {"name": file.name, "text": file.text}
    return Block(block_id("file", file.name), source, Trust.USER, Scope.USER, values, title="FILE", shrinks="text")


def _memory(text: str) -> Block:
    return _memory_kept(text) if len(text) <= _LONGEST else _memory_block(text)


def _memory_block(text: str) -> Block:
    source, values = "workspace:memory/MEMORY.md", {"name": "memory/MEMORY.md", "text": text}
    return Block("memory", source, Trust.USER, Scope.USER, values, title="MEMORY", shrinks="text")


_file_kept = lru_cache(maxsize=_FILES)(_file_block)
_memory_kept = lru_cache(maxsize=_USERS)(_memory_block)


def _session(situation: Situation) -> Iterator[Block]:
    if situation.execution_context:
        said = f"# This run\n{situation.execution_context}"
        yield Block("execution_context", "run", Trust.OPERATOR, Scope.SESSION, said)
    if place := _place(situation.agent):
        yield place


@lru_cache(maxsize=_USERS)
def _place_of(scenario: str | None, channel: str | None, chat_id: str | None) -> Block | None:
    given = {"scenario": scenario, "channel": channel, "chat_id": chat_id}
    values = {name: written_within(value, _LONGEST_PLACE) for name, value in given.items() if value}
    return Block("place", "session", Trust.USER, Scope.SESSION, values, title="PLACE") if values else None


def _place(agent: AgentContext) -> Block | None:
    return _place_of(agent.scenario, agent.channel, agent.chat_id)


def _turn(situation: Situation) -> Iterator[Block]:
    yield _time(situation.now)
    if situation.skill is not None and situation.skill.cases:
        yield skill_blocks.cases(situation.skill)
    if situation.recall:
        items = {"items": situation.recall}
        yield Block("recall", "memory", Trust.EXTERNAL, Scope.TURN, items, title="RECALLED", shrinks="items")


def _time(now: datetime) -> Block:
    # To the minute: seconds are of no use to anybody, and this way two calls of one turn mostly agree.
    values = {"time": now.isoformat(timespec="minutes"), "day": _DAYS[now.weekday()]}
    return Block("time", "clock", Trust.OPERATOR, Scope.TURN, values, title="NOW")
