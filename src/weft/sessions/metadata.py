"""What a message is, as a typed union: its `type` decides its role and whether the user sees it."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, TypeAdapter

from weft.kit.text import StorableText, check_storable_json


class Role(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class _Metadata(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Attachment(_Metadata):
    """A file that came with a user's message."""

    name: Annotated[StorableText, Field(max_length=255)]
    media_type: Annotated[StorableText, Field(max_length=127)]
    path: Annotated[StorableText, Field(max_length=1024)]


class UserInput(_Metadata):
    """What the user said."""

    type: Literal["user_input"] = "user_input"
    channel: str | None = None
    client_message_id: str | None = None
    attachments: tuple[Attachment, ...] = ()


class ToolCallMade(_Metadata):
    """A tool call that the assistant made."""

    type: Literal["tool_call"] = "tool_call"
    tool_call_id: Annotated[str, Field(min_length=1, max_length=255)]
    name: Annotated[str, Field(min_length=1, max_length=255)]
    arguments: dict[str, JsonValue] = {}
    reasoning_content: str | None = None  # what it thought before it made the calls of an answer: on the first of them


class ToolResultGiven(_Metadata):
    """What a tool answered; the text itself is the message's content."""

    type: Literal["tool_result"] = "tool_result"
    tool_call_id: Annotated[str, Field(min_length=1, max_length=255)]
    name: Annotated[str, Field(min_length=1, max_length=255)]
    status: Literal["succeeded", "failed", "denied", "unknown"] = "succeeded"


class AssistantOutput(_Metadata):
    """The assistant's answer."""

    type: Literal["assistant_output"] = "assistant_output"
    stage: Literal["intent", "organization"] = "organization"
    incomplete: bool = False
    reasoning_content: str | None = None
    response_metadata: dict[str, JsonValue] = {}


class StageAudit(_Metadata):
    """What a stage produced, for operators and never for the user."""

    type: Literal["stage_audit"] = "stage_audit"
    stage: Annotated[str, Field(min_length=1, max_length=64)]
    data: JsonValue = None


MessageMetadata = Annotated[
    Annotated[UserInput | ToolCallMade | ToolResultGiven | AssistantOutput | StageAudit, Field(discriminator="type")],
    BeforeValidator(check_storable_json),
]
METADATA: TypeAdapter[UserInput | ToolCallMade | ToolResultGiven | AssistantOutput | StageAudit] = TypeAdapter(
    MessageMetadata
)

ROLE_OF: dict[str, Role] = {
    "user_input": Role.USER,
    "tool_call": Role.ASSISTANT,
    "tool_result": Role.TOOL,
    "assistant_output": Role.ASSISTANT,
    "stage_audit": Role.ASSISTANT,
}
AUDIT = "stage_audit"
TEXTS = ("user_input", "assistant_output")


def dump(metadata: Any) -> dict[str, Any]:
    """The metadata as it is stored, validated once more whatever it came from."""
    checked = METADATA.validate_python(metadata.model_dump() if isinstance(metadata, BaseModel) else metadata)
    stored: dict[str, Any] = METADATA.dump_python(checked, mode="json", exclude_none=True)
    return stored
