"""The one request for a turn, and runs as they go over the wire."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from weft.http.answers import UtcTime
from weft.kit import clock
from weft.kit.text import StorableText, check_storable_json
from weft.sessions.metadata import Attachment

LONGEST_MESSAGE = 100_000  # characters
MOST_FRONTEND_TOOLS = 64
DEADLINE_SECONDS = 900  # for a turn that asks for no other
_Short = Annotated[StorableText, Field(max_length=512)]
StorableObject = Annotated[dict[str, JsonValue], AfterValidator(check_storable_json)]
_ClientId = Annotated[StorableText, Field(min_length=1, max_length=255)]


class RunStatus(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


ON_THE_WAY = (RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.WAITING)


class FrontendTool(BaseModel):
    """A tool that the client carries out itself."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: Annotated[StorableText, Field(max_length=4_000)] = ""
    parameters: StorableObject = {"type": "object", "properties": {}}


class GivenResult(BaseModel):
    """What a client's own tool gave."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    call_id: _ClientId
    content: Annotated[StorableText, Field(max_length=LONGEST_MESSAGE)]


class TurnRequest(BaseModel):
    """One user turn, whichever way it came in; the runtime has no other way in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    message: Annotated[StorableText, Field(max_length=LONGEST_MESSAGE)] = ""
    results: tuple[GivenResult, ...] = ()  # of tools that the client carries out; then there is no message
    session_id: UUID | None = None
    thread: _ClientId | None = None  # a client's own name for a conversation
    client_run_id: _ClientId | None = None  # the same again never starts a second run
    skill: Annotated[StorableText, Field(max_length=64)] | None = None
    scenario: Annotated[StorableText, Field(max_length=128)] | None = None
    voice_mode: Annotated[StorableText, Field(max_length=64)] = "warm"
    channel: _Short | None = None
    chat_id: _Short | None = None
    execution_context: Annotated[StorableText, Field(max_length=20_000)] | None = None
    attachments: Annotated[tuple[Attachment, ...], Field(max_length=20)] = ()
    frontend_tools: Annotated[tuple[FrontendTool, ...], Field(max_length=MOST_FRONTEND_TOOLS)] = ()
    client_message_id: _ClientId | None = None
    when_busy: Literal["refuse", "queue"] = "refuse"
    deadline_seconds: Annotated[int, Field(ge=1, le=86_400)] | None = None


def deadline_of(request: TurnRequest) -> datetime:
    """Until when a turn that begins now, or goes on now, may take."""
    return clock.now() + timedelta(seconds=request.deadline_seconds or DEADLINE_SECONDS)


class RunView(BaseModel):
    """A run."""

    id: UUID
    session_id: UUID
    turn: int = Field(examples=[1])
    status: RunStatus
    parent_run_id: UUID | None = None
    attempts: int = Field(default=0, description="how often a process took it on")
    error_id: UUID | None = None
    error_code: str | None = None
    error_detail: str | None = None
    created_at: UtcTime
    started_at: UtcTime | None = None
    ended_at: UtcTime | None = None

    @classmethod
    def of(cls, row: Any) -> "RunView":
        """The run that a row holds."""
        return cls.model_validate({name: row[name] for name in cls.model_fields})


class ActionView(BaseModel):
    """An action of a run, as STATE-2 has it."""

    id: int = Field(examples=[1])
    run_id: UUID
    node: str = Field(examples=["intent"])
    action: dict[str, JsonValue]
    created_at: UtcTime


class StateView(BaseModel):
    """The RuntimeState of a turn (STATE-1): a list has one entry for each turn that was asked for, the newest last."""

    prompts: list[str] = Field(examples=[["看看我的文件"]])
    user_context: dict[str, str] = Field(examples=[{"timezone": "Asia/Shanghai"}])
    memory: list[JsonValue] = []
    output_style: str = Field(examples=["warm"])
    output_structure: list[JsonValue] = []
    scenario: str | None = None
    task_goals: list[str] = Field(examples=[["list the files"]])
    origin_files: list[JsonValue] = []
    preprocessed_files: dict[str, list[JsonValue]]
    todos: list[list[JsonValue]] = []
    action_history: list[list[JsonValue]] = []
    chat_history: list[JsonValue] = Field(examples=[[{"role": "user", "content": "看看我的文件"}]])
    usage: list[JsonValue] = []


class EventView(BaseModel):
    """Something that a run told."""

    seq: int = Field(examples=[1])
    type: str = Field(examples=["text_grew"])
    data: dict[str, JsonValue]
    at: UtcTime


class ApprovalStatus(StrEnum):
    """What was said to a call that needs somebody's word."""

    PENDING = "pending"
    APPROVED = "approved"
    EDITED = "edited"
    DENIED = "denied"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class ApprovalView(BaseModel):
    """A tool call that waits for somebody's word, or had it."""

    id: UUID
    run_id: UUID
    session_id: UUID
    call_id: str
    name: str = Field(examples=["write_file"])
    arguments: dict[str, JsonValue]
    input_schema: dict[str, JsonValue]
    message: str
    status: ApprovalStatus = Field(examples=["pending"])
    edited: dict[str, JsonValue] | None = None
    reason: str | None = None
    decided_by: str | None = None
    decided_at: UtcTime | None = None
    expires_at: UtcTime
    created_at: UtcTime

    @classmethod
    def of(cls, row: Any) -> "ApprovalView":
        """The approval that a row holds."""
        names = {"input_schema": "schema"}
        return cls.model_validate({name: row[names.get(name, name)] for name in cls.model_fields})


class Decision(BaseModel):
    """What somebody says to a call; edited arguments replace the model's, whole."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    approved: bool = Field(examples=[True])
    edited_args: StorableObject | None = Field(
        default=None, description="only with approved: true", examples=[{"path": "notes/today.md", "content": "…"}]
    )
    reason: Annotated[StorableText, Field(max_length=2_000)] | None = None
