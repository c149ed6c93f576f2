"""Which model answers in which stage: the rows of `system_agents`, a business's own before everybody's (FLOW-4)."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from weft.agents.errors import StageModelMissingError
from weft.agents.repository import AgentRepository
from weft.agents.schemas import AgentView, AgentWish
from weft.context.stages import AgentType
from weft.kit.db import Database, Transaction

FRESH_SECONDS = 2.0  # how long another process's change may go unseen
MOST_BUSINESSES = 10_000


def resolve_stage_models(rows: Sequence[Any]) -> Mapping[AgentType, str]:
    """A model for each kind of agent; the first kind that has none is named."""
    models = {AgentType(row["agent_type"]): str(row["model"]) for row in rows}
    for kind in AgentType:
        if kind not in models:
            raise StageModelMissingError(
                f"no model is set for agents of the type {kind.value}; set one with PUT /api/agents/{kind.value}"
            )
    return models


class AgentService:
    """Agents, on behalf of an operator."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._agents = AgentRepository(tx.connection)

    async def all(self) -> list[AgentView]:
        """The agents within reach."""
        rows = await self._agents.all(self._tx.actor.business_id)
        return [AgentView.model_validate(dict(row)) for row in rows]

    async def put(self, agent_type: AgentType, wish: AgentWish) -> AgentView:
        """Give a kind of agent this model: the operator's business, or the whole installation."""
        actor = self._tx.actor
        business_id = actor.business_id if actor.is_only_operator else None
        return AgentView.model_validate(dict(await self._agents.put(business_id, agent_type.value, wish.model)))


@dataclass(slots=True)
class StageModels:
    """Answers from memory, for a moment: every turn asks."""

    database: Database
    _known: dict[UUID, tuple[float, Mapping[AgentType, str]]] = field(default_factory=dict)

    async def check(self) -> None:
        """At start: a catalogue with a kind missing is refused."""
        async with self.database.system() as tx:
            resolve_stage_models(await AgentRepository(tx.connection).all(None))

    async def of(self, business_id: UUID) -> Mapping[AgentType, str]:
        """The model of each kind of agent, for this business."""
        now = time.monotonic()
        known = self._known.get(business_id)
        if known is not None and now - known[0] < FRESH_SECONDS:
            return known[1]
        async with self.database.system() as tx:
            models = resolve_stage_models(await AgentRepository(tx.connection).all(business_id))
        if len(self._known) >= MOST_BUSINESSES:
            self._known.clear()
        self._known[business_id] = (now, models)
        return models
