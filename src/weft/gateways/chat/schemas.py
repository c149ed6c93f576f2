"""Chat as it goes over the wire."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from weft.gateways.answering import Answering, Spent, ToolSeen
from weft.http.answers import Money
from weft.kit.text import StorableText
from weft.runs.schemas import LONGEST_MESSAGE, Decision
from weft.state.events import ApprovalAsked, RunFinished

_Name = Annotated[StorableText, Field(min_length=1, max_length=255)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ChatMessage(BaseModel):
    """A message of the caller's own list; only the last one of the user counts."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    role: Annotated[str, Field(max_length=64)] = Field(examples=["user"])
    content: JsonValue = Field(default=None, examples=["你好"])


class ChatFile(_Request):
    """A file: its bytes in base64, or a URL that holds or names them."""

    name: _Name = Field(examples=["photo.png"])
    media_type: Annotated[str, Field(max_length=127)] = Field(
        default="application/octet-stream", examples=["image/png"]
    )
    content: str | None = Field(default=None, description="base64")
    url: str | None = Field(default=None, description="a data URL, or a link, which is not fetched")


class ChatDecision(Decision):
    """What somebody says to a call that waits."""

    approval_id: UUID


class ChatRequest(_Request):
    """Something to say."""

    message: Annotated[StorableText, Field(max_length=LONGEST_MESSAGE)] | None = Field(default=None, examples=["你好"])
    messages: Annotated[list[ChatMessage], Field(max_length=10_000)] = Field(
        default=[], description="instead of `message`; only the last user message counts"
    )
    conversation_id: _Name | None = Field(
        default=None, description="the conversation to go on in: the id of an answer, or a name of your own"
    )
    skill: Annotated[StorableText, Field(max_length=64)] | None = Field(default=None, examples=["tarot"])
    scenario: Annotated[StorableText, Field(max_length=128)] | None = None
    voice_mode: Annotated[StorableText, Field(max_length=64)] = Field(default="warm", examples=["warm"])
    channel: Annotated[StorableText, Field(max_length=512)] | None = None
    chat_id: Annotated[StorableText, Field(max_length=512)] | None = None
    run_id: _Name | None = Field(
        default=None, description="your name for this request; in one conversation the same again starts nothing new"
    )
    attachments: Annotated[list[ChatFile], Field(max_length=20)] = []
    decisions: Annotated[list[ChatDecision], Field(max_length=64)] = Field(
        default=[], description="instead of a message: answers to what the conversation waits for"
    )
    when_busy: Literal["refuse", "queue"] = "refuse"
    deadline_seconds: Annotated[int, Field(ge=1, le=86_400)] | None = None
    stream: bool = Field(default=False, description="events, as with `Accept: text/event-stream`")


class ChatTool(BaseModel):
    """A tool call."""

    id: str = Field(examples=["call_1"])
    name: str = Field(examples=["use_skill"])
    arguments: str = Field(description="JSON as text", examples=['{"skill":"tarot"}'])
    status: str | None = Field(default=None, examples=["succeeded"])
    result: str | None = None

    @classmethod
    def of(cls, seen: ToolSeen) -> "ChatTool":
        """The call that was seen."""
        return cls(id=seen.id, name=seen.name, arguments=seen.arguments, status=seen.status, result=seen.result)


class ChatApproval(BaseModel):
    """A call that waits for somebody's word; answer it with `decisions`, or at `/api/approvals/{id}`."""

    id: str
    call_id: str
    name: str = Field(examples=["write_file"])
    arguments: dict[str, Any]
    message: str
    expires_at: str

    @classmethod
    def of(cls, asked: ApprovalAsked) -> "ChatApproval":
        """What is asked."""
        return cls(
            id=asked.approval_id,
            call_id=asked.call_id,
            name=asked.name,
            arguments=dict(asked.arguments),
            message=asked.message,
            expires_at=asked.expires_at,
        )


class ChatUsage(BaseModel):
    """Tokens and money; `cost` is null where a call has no known price."""

    calls: int = Field(examples=[1])
    input_tokens: int = Field(examples=[1200])
    cached_input_tokens: int = Field(examples=[1024])
    output_tokens: int = Field(examples=[80])
    cost: Money | None = Field(default=None, examples=["0.000860"])
    currency: str | None = Field(default=None, examples=["CNY"])

    @classmethod
    def of(cls, spent: Spent) -> "ChatUsage":
        """What was spent."""
        return cls(
            calls=spent.calls,
            input_tokens=spent.input_tokens,
            cached_input_tokens=spent.cached_input_tokens,
            output_tokens=spent.output_tokens,
            cost=None if spent.unpriced else spent.cost,
            currency=spent.currency,
        )


class ChatAnswer(BaseModel):
    """An answer."""

    conversation_id: UUID
    run_id: UUID
    status: Literal["completed", "waiting", "cancelled"]
    text: str = Field(examples=["你好！今天想聊些什么？"])
    incomplete: bool = Field(default=False, description="the answer broke off")
    skill: str | None = None
    scenario: str | None = None
    tool_calls: list[ChatTool] = []
    approvals: list[ChatApproval] = []
    usage: ChatUsage

    @classmethod
    def of(cls, answering: Answering, **about: Any) -> "ChatAnswer":
        """The answer that a run came to."""
        ending = answering.ending
        status = ending.outcome if isinstance(ending, RunFinished) else "waiting"
        return cls(
            status=status,
            text=answering.text,
            incomplete=answering.incomplete,
            tool_calls=[ChatTool.of(seen) for seen in answering.tools.values()],
            approvals=[ChatApproval.of(asked) for asked in answering.waiting_for],
            usage=ChatUsage.of(answering.spent),
            **about,
        )
