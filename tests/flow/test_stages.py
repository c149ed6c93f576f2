"""FLOW-1, FLOW-2: CrewAI's Flow drives the stages, its agents and tasks come from YAML, and texts reach the vendor."""

import asyncio
from pathlib import Path

from tests.turns import House, a_house, calls
from weft.context.stages import load_stages, shipped_stages
from weft.flow.crew import build_crew
from weft.kit.db import Database
from weft.llm.scripted import Answer
from weft.nodes.contracts import IntentResult, OrganizationResult


async def test_stages_are_told_in_their_order(house: House) -> None:
    """FLOW-2: intent alone for a direct answer; with a tool, intent, execution, organization."""
    ann = await house.someone()
    house.says("Hello.", calls("list_dir", path="."), "Nothing there.")
    direct = await house.turn(ann, "hi")
    assert [each.stage for each in direct.of("stage_started")] == ["intent"]
    long = await house.turn(ann, "look", session_id=direct.session_id)
    assert [each.stage for each in long.of("stage_started")] == ["intent", "execution", "organization"]
    assert [each.stage for each in long.of("stage_ended")] == ["intent", "execution", "organization"]


async def test_named_first_calls_spare_the_planner(house: House) -> None:
    """FLOW-3: two calls for a one-tool turn, when the intent names the call in its JSON; raw output is not shown."""
    ann = await house.someone()
    intent = (
        '{"route":"NEEDS_EXECUTION","intent_summary":"look","execution_brief":"list the files",'
        '"first_calls":[{"name":"list_dir","arguments":{"path":"."}}]}'
    )
    house.says(Answer(intent), "There is nothing.")
    told = await house.turn(ann, "look")
    assert (told.text, len(house.asked)) == ("There is nothing.", 2)


async def test_a_brief_without_calls_goes_through_the_planner(house: House) -> None:
    """FLOW-2: at most three calls for one tool; what execution says is never forwarded."""
    ann = await house.someone()
    brief = '{"route":"NEEDS_EXECUTION","intent_summary":"look","execution_brief":"list the files"}'
    plan = Answer("I shall look at the files.", tool_calls=(calls("list_dir", path="."),))
    house.says(Answer(brief), plan, "There is nothing.")
    told = await house.turn(ann, "look")
    assert (told.text, len(house.asked), told.run.status) == ("There is nothing.", 3, "completed")
    audit = await house.messages(ann, told.session_id, audit=True)
    assert {row.metadata.stage for row in audit} <= {"intent", "planner"}


async def test_a_goal_alone_goes_through_the_planner(house: House) -> None:
    """FLOW-2, STATE-4: a tool's way of saying that there is work; the planner is told the goal and names the steps."""
    ann = await house.someone()
    house.says(calls("set_goal", goal="sort the notes"), calls("list_dir", path="."), "There is nothing to sort.")
    told = await house.turn(ann, "sort my notes and sum them up")
    assert (told.text, len(house.asked), told.run.status) == ("There is nothing to sort.", 3, "completed")
    assert "sort the notes" in str(house.asked[1]["messages"][-1])


async def test_an_answer_off_contract_is_repaired_once(house: House) -> None:
    """FLOW-3: told what is wrong, it may answer again; both calls are booked."""
    ann = await house.someone()
    house.says(Answer('{"route":"NEEDS_EXECUTION"}'), "Hello.")
    told = await house.turn(ann, "hi")
    assert (told.text, len(house.asked)) == ("Hello.", 2)
    assert "execution_brief" in str(house.asked[1]["messages"][-1])


async def test_the_system_prompt_is_the_same_in_every_stage(house: House) -> None:
    """SAFE-3: byte for byte within a turn, whatever the stage."""
    ann = await house.someone()
    house.says(calls("list_dir", path="."), "Nothing there.")
    await house.turn(ann, "look")
    first, second = house.asked
    assert first["messages"][0] == second["messages"][0]
    assert first["tools"] == second["tools"]


async def test_a_changed_task_changes_what_the_vendor_receives(turns_database: Database, tmp_path: Path) -> None:
    """FLOW-1: code holds no role text; an operator's file replaces it."""
    own = (
        "organization:\n  stage: organization\n  agent: organization\n  contract: OrganizationResult\n"
        "  description: Answer like a sailor would.\n  expected_output: Words.\n"
    )
    folder = tmp_path / "templates"
    folder.mkdir()
    await asyncio.to_thread((folder / "tasks.yaml").write_text, own)
    texts = await asyncio.to_thread(load_stages, folder)
    async with a_house(turns_database, tmp_path, texts=texts) as house:
        ann = await house.someone()
        house.says(calls("list_dir", path="."), "Ahoy.")
        await house.turn(ann, "look")
        assert "like a sailor" not in str(house.asked[0])
        assert "like a sailor" in str(house.asked[1])


def test_crewai_carries_the_definitions() -> None:
    """FLOW-1: every agent and task of the YAML is one of CrewAI's, with its contract."""
    texts = shipped_stages()
    crew = build_crew(texts)
    assert {name: agent.role for name, agent in crew.agents.items()} == {
        name: text.role for name, text in texts.agents.items()
    }
    assert crew.contracts["intent"] is IntentResult
    assert crew.contracts["organization"] is OrganizationResult
    assert {task.description for task in crew.tasks.values()} == {text.description for text in texts.tasks.values()}
