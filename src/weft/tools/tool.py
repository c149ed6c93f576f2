"""What a tool is: a name, a schema, what it does to the world, and whether somebody must be asked first (TOOL-1)."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, ClassVar, Generic, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from weft.llm.types import ToolSpec
from weft.state.changes import Change
from weft.state.events import Event
from weft.state.runtime import RuntimeState
from weft.tools.errors import ToolArgumentsError


class Effect(StrEnum):
    """What a tool does to the world: what may be run again, and what must not."""

    READ = "read"
    WRITE = "write"
    EXTERNAL = "external"


class Kind(StrEnum):
    """Where a tool stands: called on the way, or making the final answer."""

    CALL = "call"
    OUTPUT = "output"


class Approval(StrEnum):
    """Whether somebody is asked before it runs."""

    NEVER = "never"
    ALWAYS = "always"


class ToolInput(BaseModel):
    """A tool's arguments; a name that it does not know is told to the model."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=False)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call: what the model reads, and what changes in the state besides."""

    content: str
    summary: str = ""  # for the timeline; without one, the beginning of the content
    changes: tuple[Change, ...] = ()
    events: tuple[Event, ...] = ()  # what those who watch are told besides
    answers: bool = False  # of a tool that is both: whether the user is answered with this

    @classmethod
    def of(cls, value: Any, **more: Any) -> "ToolResult":
        """A result that is JSON, in one line."""
        return cls(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode(), **more)


Input = TypeVar("Input", bound=ToolInput)


class Tool(ABC, Generic[Input]):
    """One tool. It takes the state alone: its arguments are those of the state's current call."""

    name: ClassVar[str]
    description: ClassVar[str]
    effect: ClassVar[Effect]
    input: type[Input]
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.CALL})
    approval: Approval = Approval.NEVER
    timeout: ClassVar[float] = 30.0  # seconds
    longest: ClassVar[int] = 24_000  # characters of its result; the rest is cut, saying so
    # Whether it runs inside the transaction that writes its action: then both happen, or neither.
    transactional: ClassVar[bool] = False
    changes_prompt: ClassVar[bool] = False  # whether prompts are made anew after it: it is transactional then

    @abstractmethod
    async def run(self, state: RuntimeState) -> ToolResult:
        """Do it. What the model can put right is raised as a `CallerError`."""

    def arguments(self, state: RuntimeState) -> Input:
        """The arguments of the state's current call, as the schema has them."""
        return self.check(state.call.arguments)

    def check(self, arguments: Any) -> Input:
        """These arguments, or what is wrong with them, told so that a model can mend it."""
        try:
            return self.input.model_validate(arguments)
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False, include_context=False)
            raise ToolArgumentsError.of(self.name, problems) from None

    def needs_approval(self, arguments: Input) -> bool:
        """Whether somebody must be asked before this very call."""
        return self.approval is Approval.ALWAYS

    def question(self, arguments: Mapping[str, Any]) -> str:
        """What somebody is asked before it runs."""
        return f"{self.name}: {orjson.dumps(dict(arguments)).decode()[:500]}"

    def spec(self) -> ToolSpec:
        """The tool as a model is told of it."""
        return ToolSpec(self.name, self.description.strip(), lean_schema(self.input))


# What arguments are checked for anyway, and told when they break it: every call would pay for saying it beforehand.
_UNTOLD = frozenset({"additionalProperties", "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"})


@lru_cache(maxsize=1_024)
def lean_schema(shape: type[BaseModel]) -> dict[str, Any]:
    """The schema of a tool's input without what only people read: every call pays for it."""
    lean = _lean(shape.model_json_schema())
    return {"type": "object", **{key: value for key, value in lean.items() if key not in ("type", "description")}}


def _lean(part: Any) -> Any:
    if isinstance(part, list):
        return [_lean(each) for each in part]
    if not isinstance(part, dict):
        return part
    # The keys of `properties` are names of the tool's own, whatever they are called.
    kept = {
        key: {name: _lean(each) for name, each in value.items()} if key in ("properties", "$defs") else _lean(value)
        for key, value in part.items()
        if key != "title" and key not in _UNTOLD
    }
    options = kept.get("anyOf")
    if (
        isinstance(options, list)
        and {"type": "null"} in options
        and len(options) == 2
        and kept.get("default", 0) is None
    ):
        other = next(each for each in options if each != {"type": "null"})
        return {**other, **{key: value for key, value in kept.items() if key not in ("anyOf", "default")}}
    return kept
