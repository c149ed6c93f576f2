"""`/api/agents`: which model each kind of agent has."""

from typing import Annotated

from fastapi import APIRouter

from weft.agents.schemas import AgentView, AgentWish
from weft.agents.service import AgentService
from weft.context.stages import AgentType
from weft.http.calling import operator
from weft.http.problems import documented
from weft.kit.actor import Right
from weft.kit.db import Transaction

router = APIRouter(prefix="/api/agents", tags=["agents"])
Operated = Annotated[Transaction, operator(Right.INFRA)]


@router.get("", responses=documented())
async def list_agents(tx: Operated) -> list[AgentView]:
    """The model of each kind of agent; a business's own row stands after everybody's and wins."""
    return await AgentService(tx).all()


@router.put("/{agent_type}", responses=documented(422))
async def set_agent(tx: Operated, agent_type: AgentType, wish: AgentWish) -> AgentView:
    """Give a kind of agent another model; turns that begin from now on use it."""
    return await AgentService(tx).put(agent_type, wish)
