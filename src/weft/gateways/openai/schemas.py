"""What a client of OpenAI's interface sends; what Weft decides by itself, such as a temperature, is left out."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from weft.kit.text import StorableText
from weft.runs.schemas import FrontendTool

_Name = Annotated[StorableText, Field(min_length=1, max_length=255)]


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class CompletionMessage(_Lenient):
    """A message; of all of them the user's last counts, and the results of tools that the list ends with."""

    role: Annotated[str, Field(max_length=64)] = Field(examples=["user"])
    content: JsonValue = Field(default=None, examples=["你好"])
    tool_call_id: str | None = None


class OfferedTool(_Lenient):
    """A tool of the client's own."""

    type: str = "function"
    function: FrontendTool


class StreamOptions(_Lenient):
    """How a stream ends."""

    include_usage: bool = False


class Metadata(_Lenient):
    """Which conversation this belongs to."""

    conversation_id: _Name | None = None
    scenario: Annotated[StorableText, Field(max_length=128)] | None = None
    voice_mode: Annotated[StorableText, Field(max_length=64)] | None = None


class CompletionRequest(_Lenient):
    """A request for an answer."""

    model: Annotated[str, Field(max_length=128)] = Field(examples=["weft"])
    messages: Annotated[list[CompletionMessage], Field(min_length=1, max_length=10_000)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    tools: list[OfferedTool] | None = None
    user: _Name | None = Field(default=None, description="without a conversation_id: the conversation of this user")
    metadata: Metadata | None = None
