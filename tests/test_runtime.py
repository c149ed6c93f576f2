"""FLOW-1, FLOW-4: what an operator has set decides what a vendor receives, and what cannot work is refused at start."""

import asyncio
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.turns import House, a_house, calls
from weft.agents.errors import StageModelMissingError
from weft.compose import Weft
from weft.context.errors import ContextError
from weft.context.stages import AgentType, shipped_stages
from weft.kit.db import Database
from weft.runtime import TEMPLATES, operators_texts
from weft.settings import Settings

AGENT = "{name}:\n  type: {type}\n  role: {role}\n  goal: Be of use.\n  backstory: You come from the sea.\n"
TASK = (
    "{name}:\n  stage: {stage}\n  agent: {agent}\n  contract: {contract}\n  description: {description}\n"
    "  expected_output: Words.\n"
)


def _write(home: Path, name: str, text: str) -> None:
    (home / TEMPLATES).mkdir(exist_ok=True)
    (home / TEMPLATES / name).write_text(text, encoding="utf-8")


async def _texts(database: Database, home: Path) -> Any:
    return await asyncio.to_thread(operators_texts, Weft(Settings(home=home), database))


async def _asked(database: Database, home: Path) -> list[str]:
    """What a vendor is sent in a turn with a tool, by an installation with this folder."""
    async with a_house(database, home, texts=await _texts(database, home)) as house:
        house.says(calls("list_dir", path="."), "Done.")
        told = await house.turn(await house.someone(), "look")
        assert told.run.status == "completed", told.run
        return [str(each["messages"]) for each in house.asked]


async def test_an_agent_in_the_operators_folder_changes_what_the_vendor_receives(
    turns_database: Database, tmp_path: Path
) -> None:
    """FLOW-1: a file in WEFT_HOME/templates, and nothing of the package touched; what it does not name stays."""
    ours = shipped_stages()
    agent = AGENT.format(name="organization", type="RESULT_REPORTING", role="The one with the wooden leg")
    await asyncio.to_thread(_write, tmp_path, "agents.yaml", agent)
    first, second = await _asked(turns_database, tmp_path)
    assert "wooden leg" not in first
    assert "# Your part: The one with the wooden leg" in second
    assert "You come from the sea." in second
    assert ours.agents["organization"].role not in second
    assert ours.agents["intent"].role in first


async def test_a_task_in_the_operators_folder_changes_what_the_vendor_receives(
    turns_database: Database, tmp_path: Path
) -> None:
    """FLOW-1: so does a task; the intent's stands in every call."""
    task = {"stage": "intent", "agent": "intent", "contract": "IntentResult", "description": "Speak like a sailor."}
    await asyncio.to_thread(_write, tmp_path, "tasks.yaml", TASK.format(name="intent", **task))
    first, second = await _asked(turns_database, tmp_path)
    assert "Speak like a sailor." in first
    assert "Speak like a sailor." in second


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        (
            "tasks.yaml",
            TASK.format(name="dance", stage="intent", agent="intent", contract="Plan", description="x"),
            "dance",
        ),
        (
            "tasks.yaml",
            TASK.format(name="intent", stage="intent", agent="intent", contract="Plan", description="x"),
            "Weft's",
        ),
        (
            "tasks.yaml",
            TASK.format(name="intent", stage="intent", agent="cook", contract="IntentResult", description="x"),
            "cook",
        ),
        ("agents.yaml", AGENT.format(name="intent", type="COOK", role="x"), "intent.type"),
        ("agents.yaml", AGENT.format(name="intent", type="TASK_EXECUTION", role="x"), "INTENT_RECOGNITION"),
        ("agents.yaml", "intent: [", "is no YAML"),
        ("agents.yaml", "!!python/object/apply:os.getcwd []", "is no YAML"),
    ],
    ids=["unknown task", "another contract", "unknown agent", "unknown type", "type missing", "no YAML", "code"],
)
async def test_a_text_that_cannot_be_used_is_refused_by_its_name(
    turns_database: Database, tmp_path: Path, name: str, text: str, problem: str
) -> None:
    """FLOW-1: at start, with the file, the place and what would be right."""
    await asyncio.to_thread(_write, tmp_path, name, text)
    with pytest.raises(ContextError, match=problem):
        await _texts(turns_database, tmp_path)


@pytest.mark.parametrize("missing", AgentType)
async def test_nothing_starts_while_an_agent_type_has_no_model(
    new_database: Any, tmp_path: Path, missing: AgentType
) -> None:
    """FLOW-4: refused at start-up, naming it; no run is taken on."""
    url = await new_database("models")
    connection = await asyncpg.connect(url)
    await connection.execute("DELETE FROM system_agents WHERE agent_type = $1", missing.value)
    await connection.close()
    database = Database(url)
    try:
        with pytest.raises(StageModelMissingError, match=missing.value):
            async with a_house(database, tmp_path) as house:
                raise AssertionError(house)
    finally:
        await database.close()


async def test_a_model_that_is_taken_away_later_fails_turns_by_its_name(new_database: Any, tmp_path: Path) -> None:
    """FLOW-4: while it runs, too; the turn ends, and its error says what to set."""
    url = await new_database("models")
    database = Database(url)
    try:
        async with a_house(database, tmp_path) as house:
            connection = await asyncpg.connect(url)
            await connection.execute("DELETE FROM system_agents WHERE agent_type = 'TASK_EXECUTION'")
            await connection.close()
            told = await _turn(house)
            assert (told.run.status, told.run.error_code) == ("failed", "stage_model_missing")
            assert "PUT /api/agents/TASK_EXECUTION" in (told.run.error_detail or "")
    finally:
        await database.close()


async def _turn(house: House) -> Any:
    return await house.turn(await house.someone(), "hi")
