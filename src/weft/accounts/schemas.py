"""What goes over the wire about accounts."""

from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from weft.accounts.roles import BUSINESS_RIGHTS, Role
from weft.http.answers import UtcTime
from weft.kit.actor import Right
from weft.kit.text import StorableText

Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64, examples=["acme"])]
Name = Annotated[StorableText, Field(min_length=1, max_length=200, examples=["小程序"])]
DEFAULT_RATE = 600


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class BusinessWish(_Closed):
    """A business to be made."""

    slug: Slug
    name: Name


class BusinessView(BaseModel):
    """A business."""

    id: UUID
    slug: Slug
    name: Name
    created_at: UtcTime


class KeyWish(_Closed):
    """A business key to be made; an operator of one business leaves `business` out."""

    business: Slug | None = None
    name: Name
    rights: Annotated[set[Right], Field(min_length=1)] = set(BUSINESS_RIGHTS)
    rate_per_minute: Annotated[int | None, Field(ge=1, le=1_000_000)] = DEFAULT_RATE
    expires_at: AwareDatetime | None = None


class KeyView(BaseModel):
    """A business key, without the key."""

    id: UUID
    business: Slug
    name: Name
    prefix: str = Field(examples=["1f3a9c04"])
    rights: list[Right]
    rate_per_minute: int | None = None
    created_at: UtcTime
    expires_at: UtcTime | None = None
    revoked_at: UtcTime | None = None


class OperatorWish(_Closed):
    """An operator to be made; without `business`, of the whole installation."""

    business: Slug | None = None
    name: Name
    role: Role


class OperatorView(BaseModel):
    """An operator, without their key."""

    id: UUID
    business: Slug | None = None
    name: Name
    role: Role
    prefix: str = Field(examples=["77b0e2aa"])
    created_at: UtcTime
    revoked_at: UtcTime | None = None


class MadeSecret(BaseModel):
    """A key just made. It is shown this once."""

    id: UUID
    key: str = Field(examples=["(shown once)"])


class SignIn(_Closed):
    """An operator's key."""

    key: Annotated[str, Field(min_length=1, max_length=200, examples=["weft_op_…"])]


class SignedIn(BaseModel):
    """An operator signed in to the console."""

    name: str = Field(examples=["小王"])
    role: Role
    expires_at: UtcTime
