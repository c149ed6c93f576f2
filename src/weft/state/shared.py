"""What the turns of a session inherit from each other, bounded so that a long session costs what a short one does."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field, with_config

from weft.state.closed import CLOSED, Count, Line, Name, Text
from weft.state.files import FILES_KEPT, OriginFile, PreprocessedFiles
from weft.state.token_usage import NO_USAGE, TokenUsage

MEMORIES_KEPT = 20
SUMMARIES_KEPT = 4
SUMMARY_LENGTH = 200
UserContext = Annotated[Mapping[Name, Text], Field(max_length=20)]  # as `context.user_prompt.profile_values` has it


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class Memory:
    """Something remembered that bears on this session."""

    id: Name
    text: Text
    source: Line = ""


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class TurnSummary:
    """What is kept at hand of a turn that is over."""

    turn: Count
    prompt: Line
    task_goal: Line = ""
    summary: Line = ""
    usage: TokenUsage = NO_USAGE


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class Shared:
    """What each turn finds as the one before it left it."""

    user_context: UserContext = field(default_factory=dict)
    memory: Annotated[tuple[Memory, ...], Field(max_length=MEMORIES_KEPT)] = ()
    output_style: Text = ""
    skill: Name | None = None
    scenario: Name | None = None
    origin_files: Annotated[tuple[OriginFile, ...], Field(max_length=FILES_KEPT)] = ()
    preprocessed_files: PreprocessedFiles = field(default_factory=PreprocessedFiles)


def with_memory(memory: tuple[Memory, ...], more: tuple[Memory, ...]) -> tuple[Memory, ...]:
    """The memories and more, the newest that are kept; one with the same id replaces the one before."""
    ids = {each.id for each in more}
    return (*(each for each in memory if each.id not in ids), *more)[-MEMORIES_KEPT:]
