"""Agents as they go over the wire."""

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from weft.context.stages import AgentType
from weft.http.answers import UtcTime
from weft.kit.text import StorableText

ModelAlias = Annotated[StorableText, Field(min_length=1, max_length=128, examples=["default"])]


class AgentView(BaseModel):
    """Which model a kind of agent has; without a business, everywhere."""

    agent_type: AgentType
    model: ModelAlias
    business_id: UUID | None = None
    updated_at: UtcTime


class AgentWish(BaseModel):
    """Which model it shall have: an alias or a model of the infrastructure."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: ModelAlias
