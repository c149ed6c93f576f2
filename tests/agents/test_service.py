"""FLOW-4: each kind of agent has a model, an operator says which, and a catalogue with a gap is refused by its name."""

import httpx
import pytest

from tests.people import People
from tests.turns import House
from weft.agents.errors import StageModelMissingError
from weft.agents.schemas import AgentWish
from weft.agents.service import AgentService, StageModels, resolve_stage_models
from weft.context.stages import AgentType
from weft.kit.actor import Reach
from weft.kit.db import Database


def _rows(*kinds: AgentType) -> list[dict[str, str]]:
    return [{"agent_type": kind.value, "model": "default"} for kind in kinds]


@pytest.mark.parametrize("missing", AgentType)
def test_a_missing_kind_is_named(missing: AgentType) -> None:
    """FLOW-4: the refusal says which one, and how to mend it."""
    with pytest.raises(StageModelMissingError, match=missing.value):
        resolve_stage_models(_rows(*(kind for kind in AgentType if kind is not missing)))


async def test_a_business_may_have_models_of_its_own(database: Database, people: People) -> None:
    """FLOW-4: its own row wins for it, and changes nothing for others."""
    ann, bob = await people.user(), await people.user()
    operator = people.operator(ann)
    async with database.transaction(operator, Reach.BUSINESS) as tx:
        await AgentService(tx).put(AgentType.INTENT_RECOGNITION, AgentWish(model="quick"))
    models = StageModels(database)
    assert (await models.of(ann.business_id))[AgentType.INTENT_RECOGNITION] == "quick"
    assert (await models.of(bob.business_id))[AgentType.INTENT_RECOGNITION] == "default"


async def test_an_operator_sees_and_sets_them(local: httpx.AsyncClient) -> None:
    """FLOW-4: over HTTP; what is no kind of agent is told."""
    listed = (await local.get("/api/agents")).json()
    assert {each["agent_type"] for each in listed} == {kind.value for kind in AgentType}
    assert (await local.put("/api/agents/COOK", json={"model": "x"})).status_code == 422
    changed = await local.put("/api/agents/TASK_EXECUTION", json={"model": "default"})
    assert (changed.status_code, changed.json()["model"]) == (200, "default")


async def test_each_stage_asks_the_model_of_its_kind(house: House) -> None:
    """FLOW-4: the intent's model is another one than the answer's."""
    ann = await house.someone()
    async with house.database.transaction(house.people.operator(ann), Reach.BUSINESS) as tx:
        await AgentService(tx).put(AgentType.INTENT_RECOGNITION, AgentWish(model="offline"))
    told = await house.turn(ann, "hello")
    assert told.run.status == "completed"
    assert house.asked == []  # the vendor's model was not asked: the offline one was
