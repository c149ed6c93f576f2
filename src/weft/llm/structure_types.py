"""How a response structure is declared: data that says where in a vendor's JSON each thing stands (INFRA-2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

from weft.llm.json_path import Path
from weft.llm.types import Usage


@dataclass(frozen=True, slots=True)
class Embeddings:
    """One vector for each text, in the order of the texts."""

    vectors: tuple[tuple[float, ...], ...]
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Images:
    """Pictures, each as an address to fetch it from or as its bytes; `units` are what a price counts."""

    urls: tuple[str, ...] = ()
    data: tuple[bytes, ...] = ()
    usage: Usage | None = None
    units: Mapping[str, str] = field(default_factory=dict)


class TaskStatus(StrEnum):
    """How far a vendor's task is."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"

    @property
    def over(self) -> bool:
        """Whether it will not change any more."""
        return self in (TaskStatus.SUCCEEDED, TaskStatus.FAILED)


@dataclass(frozen=True, slots=True)
class MediaTask:
    """A picture or a video that a vendor is making; `urls` are there once it succeeded."""

    id: str
    status: TaskStatus
    urls: tuple[str, ...] = ()
    error: str | None = None
    usage: Usage | None = None
    units: Mapping[str, str] = field(default_factory=dict)


def _paths(value: Any) -> Any:
    written = [value] if isinstance(value, str) else value
    if not isinstance(written, list | tuple):
        return value
    return tuple(Path.parse(each) if isinstance(each, str) else each for each in written)


Paths = Annotated[tuple[Path, ...], BeforeValidator(_paths), PlainSerializer(repr)]


class _Declared(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Request(_Declared):
    """What is sent; in `body` stand $model, $prompt and $texts, and the caller's options go into `options`."""

    path: str = Field(pattern=r"^/")
    headers: dict[str, str] = {}
    body: dict[str, Any]
    options: str | None = None  # the field for options; without one they stand at the top


class ChatStructure(_Declared):
    """A whole chat answer."""

    kind: Literal["chat"]
    text: Paths
    reasoning: Paths = ()
    tool_calls: Paths = ()
    finish: Paths = ()
    usage: Paths = ()


class EmbeddingStructure(_Declared):
    """Vectors, and the places they belong to where the vendor may mix them."""

    kind: Literal["embedding"]
    request: Request
    vectors: Paths
    order: Paths = ()
    usage: Paths = ()


class ImageStructure(_Declared):
    """Pictures that come with the answer."""

    kind: Literal["image"]
    request: Request
    urls: Paths = ()
    data: Paths = ()  # in base 64
    usage: Paths = ()


class TaskStructure(_Declared):
    """Pictures or a video that are asked for, waited for, and fetched."""

    kind: Literal["image_task", "video_task"]
    request: Request
    poll: str = Field(pattern=r"^/.*\{id\}")
    fetch: str | None = Field(None, pattern=r"^/.*\{id\}")  # where the vendor gives no address of its own
    id: Paths
    status: Paths
    statuses: dict[str, TaskStatus]
    urls: Paths = ()
    error: Paths = ()
    usage: Paths = ()
    units: dict[Literal["images", "seconds"], Paths] = {}


Structure = Annotated[ChatStructure | EmbeddingStructure | ImageStructure | TaskStructure, Field(discriminator="kind")]
