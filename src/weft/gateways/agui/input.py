"""What an AG-UI client sends: known fields are checked, unknown ones are left out, and whole nulls count as absent."""

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from weft.kit.text import StorableText
from weft.runs.schemas import FrontendTool

MOST_MESSAGES = 10_000
_Id = Annotated[StorableText, Field(min_length=1, max_length=255)]


def _listed(value: Any) -> Any:
    return [] if value is None else value


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class InputMessage(_Lenient):
    """A message of the client's copy of the conversation; history itself comes from the database only (LED-10)."""

    id: Annotated[str, Field(max_length=1_000)]
    role: Annotated[str, Field(max_length=64, examples=["user"])]
    content: JsonValue = Field(default=None, examples=["你好"])
    tool_call_id: str | None = Field(default=None, validation_alias=AliasChoices("toolCallId", "tool_call_id"))
    error: str | None = None


class ResumeEntry(_Lenient):
    """An answer to an interrupt."""

    interrupt_id: str = Field(alias="interruptId")
    status: Literal["resolved", "cancelled"]
    payload: JsonValue = Field(default=None, examples=[{"approved": True}])


def _tool(value: Any) -> Any:
    """A tool without a schema takes nothing."""
    if isinstance(value, dict):
        return {key: each for key, each in value.items() if not (key in ("parameters", "description") and each is None)}
    return value


class RunAgentInput(_Lenient):
    """A request to run the agent."""

    thread_id: _Id = Field(alias="threadId", examples=["0199f3c0-7e1d-7c55-9a43-0f6f1b2d3c4e"])
    run_id: _Id = Field(alias="runId", examples=["run-1"])
    protocol_version: str | None = Field(default=None, alias="protocolVersion", examples=["1.0"])
    messages: Annotated[list[InputMessage], Field(max_length=MOST_MESSAGES)]
    tools: Annotated[list[Annotated[FrontendTool, BeforeValidator(_tool)]], BeforeValidator(_listed)] = []
    resume: Annotated[list[ResumeEntry], BeforeValidator(_listed)] = []
    state: JsonValue = None
    forwarded_props: JsonValue = Field(default=None, alias="forwardedProps", examples=[{"skill": "tarot"}])
