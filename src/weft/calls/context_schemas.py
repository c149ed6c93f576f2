"""What a call was sent, as it is shown: blocks, messages, what the cache should have known, how two calls differ."""

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from weft.calls.schemas import CallView

Cached = Literal["expected", "partly", "new"]
Change = Literal["came", "went", "changed", "moved"]


class BlockView(BaseModel):
    """One part of a prompt, or one that was left out of it."""

    id: str = Field(examples=["persona"])
    source: str = Field(examples=["skills"])
    trust: str = Field(examples=["operator"])
    scope: str = Field(examples=["skill"])
    place: str = Field(examples=["system"])
    tokens: int = Field(examples=[412])
    whole_tokens: int | None = Field(default=None, description="before it was shortened or dropped")
    state: str = Field(examples=["whole"], description="whole | shortened | dropped | unwanted")
    why: str = Field(default="", description="why it is not there whole")
    hash: str
    cached: Cached | None = Field(default=None, description="whether a cache should have known it; null: not sent")
    text: str | None = Field(default=None, description="as it was sent; null: it was not")


class AlarmView(BaseModel):
    """Something that costs more than it should."""

    code: Literal["prefix_collapsed", "cache_fell_short"]
    detail: str
    block: str | None = Field(default=None, examples=["guidelines"])


class CacheView(BaseModel):
    """What a vendor's cache should have known of a call, and what the vendor reports."""

    unit: int = Field(description="tokens; caches hold whole units", examples=[64])
    expected_tokens: int = Field(
        description="shared with the conversation's last call, in whole units", examples=[4096]
    )
    expected_share: float = Field(examples=[0.87])
    anyone_tokens: int | None = Field(
        default=None, description="shared with a recent call of anybody in the business; for operators"
    )
    reported_tokens: int | None = Field(default=None, description="null: the vendor did not say")
    compared_with: UUID | None = Field(default=None, description="the conversation's call before")
    seconds_since: float | None = None
    same_way: bool = Field(description="both went to the same vendor, endpoint, key and model")
    changed: str = Field(default="", description="the first block that is not as it was", examples=["time"])
    collapsed: bool = Field(description="that block was meant to stay")
    why: Literal["window", "skill", "unplanned"] | None = Field(default=None, description="why it collapsed")
    lost_tokens: int = Field(description="tokens read anew because of it")
    alarms: list[AlarmView] = []


class Purse(BaseModel):
    """What a share of a prompt took, and what it may take."""

    spent: int
    budget: int


class ContextView(BaseModel):
    """All that one call was sent."""

    call: CallView
    recipe: str = Field(examples=["phase2/intent"])
    total: int = Field(description="tokens, as they were counted before it was sent")
    usual: int = Field(description="tokens that the first purse is usually within")
    purses: dict[str, Purse]
    window_start: int = Field(description="the number of the first text of the conversation that is shown")
    window_texts: int
    cache: CacheView
    blocks: list[BlockView]
    tools: list[dict[str, Any]]
    messages: list[dict[str, Any]] = Field(description="as they were sent")


class ContextOutline(BaseModel):
    """What one call was sent, in a line."""

    recipe: str = Field(examples=["phase2/intent"])
    total: int = Field(description="tokens, as they were counted before it was sent")
    blocks: int = Field(description="parts that were sent")
    shortened: int = Field(description="parts of which some was cut")
    dropped: int = Field(description="parts that there was no room for")
    expected_tokens: int = Field(description="that a cache should have known")


class BlockChange(BaseModel):
    """A block that is not the same in two calls."""

    id: str = Field(examples=["guidelines"])
    change: Change
    stable: bool = Field(description="it was meant to stay")
    tokens_before: int = 0
    tokens_after: int = 0
    difference: list[str] = Field(default=[], description="its lines that differ, `-` before and `+` after")


class ContextDiff(BaseModel):
    """How a call differs from one before it, as far as a cache is concerned."""

    call_id: UUID
    before_id: UUID
    common_tokens: int = Field(description="of the beginning that both have, in whole units", examples=[4096])
    total_before: int
    total_after: int
    broke: str | None = Field(
        description="the block that ends the common beginning; null: the one begins the other", examples=["guidelines"]
    )
    collapsed: bool = Field(description="that block was meant to stay")
    lost_tokens: int
    changes: list[BlockChange]
