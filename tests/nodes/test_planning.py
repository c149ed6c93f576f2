"""FLOW-2, FLOW-3, STATE-3: a planner calls tools, plans, or says what was found; and it always comes to an end."""

import json
from typing import Any

import pytest

from tests.turns import House, Told, a_house, calls
from weft.kit.db import Database
from weft.llm.scripted import Answer
from weft.llm.types import ToolRequest
from weft.runs.schemas import Decision
from weft.state import todos

ROUTED = Answer('{"route":"NEEDS_EXECUTION","execution_brief":"find it out"}')


def _plan(*names: str, **more: Any) -> Answer:
    return Answer(json.dumps({"todos": [{"id": name, "task": f"do {name}", **more} for name in names]}))


@pytest.fixture(autouse=True)
def _no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries wait; tests of them do not."""
    monkeypatch.setattr(todos, "FIRST_DELAY", todos.FIRST_DELAY / 1_000)


async def _turn(house: House, *answers: Answer | str | ToolRequest | tuple[ToolRequest, ...]) -> Told:
    house.says(ROUTED, *answers)
    return await house.turn(await house.someone(), "find it out")


@pytest.mark.parametrize(
    "found",
    ["It is forty-two.", '{"status":"SUCCESS","execution_summary":"It is forty-two.","execution_data":{"n":42}}'],
    ids=["in words", "as its contract has it"],
)
async def test_what_execution_found_reaches_the_answer(house: House, found: str) -> None:
    """FLOW-2: the organization words the answer from it; what execution says is never forwarded (FLOW-6)."""
    told = await _turn(house, Answer(found), "The answer is 42.")
    assert (told.text, len(house.asked)) == ("The answer is 42.", 3)
    assert "It is forty-two." in str(house.asked[2]["messages"][-1]["content"])


async def test_a_planner_that_only_plans_is_asked_no_further(house: House) -> None:
    """STATE-4, SEC-4: a plan after a plan, and nothing done between: the turn answers with what it has."""
    told = await _turn(house, _plan("a"), _plan("a"), "I could not do it.")
    assert (told.run.status, told.text, len(house.asked)) == ("completed", "I could not do it.", 4)


async def test_a_plan_that_goes_in_a_circle_is_mended_once(house: House) -> None:
    """STATE-3, FLOW-3: told which todos; both calls are booked."""
    circle = Answer('{"todos":[{"id":"a","task":"x","dependencies":["b"]},{"id":"b","task":"y","dependencies":["a"]}]}')
    told = await _turn(house, circle, _plan("a"), calls("list_dir", path="."), "Done.")
    assert (told.run.status, told.text) == ("completed", "Done.")
    assert "in a circle" in str(house.asked[2]["messages"])
    assert len(told.of("call_made")) == len(house.asked) == 5


async def test_the_last_call_of_a_turn_is_the_answer(turns_database: Database, tmp_path: Any) -> None:
    """SEC-4: a planner that would go on for ever leaves one call for whoever words the answer."""
    async with a_house(turns_database, tmp_path, turn_calls=5) as house:
        looping = [calls("read_file", f"call_{n}", path="none.md") for n in range(9)]
        judged = Answer('{"verdict":"continue","why":"not yet"}')
        told = await _turn(house, looping[0], judged, looping[1], "I did not find it.")
        assert (told.run.status, told.text, len(house.asked)) == ("completed", "I did not find it.", 5)


async def test_a_call_is_for_the_todo_that_suggests_it(house: House) -> None:
    """STATE-3: notes of the planner's own carry out no todo; of two todos, each has its own call."""
    plan = Answer(
        json.dumps(
            {
                "todos": [
                    {"id": "list", "task": "list", "suggested_tools": ["list_dir"]},
                    {"id": "who", "task": "who", "suggested_tools": ["user_context"]},
                ]
            }
        )
    )
    both = (calls("set_goal", "g", goal="know"), calls("user_context", "u"), calls("list_dir", "l", path="."))
    ann = await house.someone()
    house.says(ROUTED, plan, both, "Done.")
    told = await house.turn(ann, "look")
    assert told.run.status == "completed", told.run
    actions = await house.actions(ann, told.run.id)
    asked = next(each for each in actions if each["node"] == "planner" and "tool:" in str(each["next"]))
    assert {each["call_id"]: each.get("todo_id") for each in asked["next"]} == {"g": None, "u": "who", "l": "list"}
    moved = [change for each in actions for change in each["changes"] if change["kind"] == "todos_moved"]
    done = {todo["id"]: todo["completion_details"]["tool_used"] for todo in moved[-1]["todos"]}
    assert done == {"list": "list_dir", "who": "user_context"}


async def test_a_todo_that_failed_is_tried_again_and_its_errors_are_kept(house: House) -> None:
    """STATE-3: retry, error history, completion; the planner is told what went wrong."""
    again = Answer('{"verdict":"continue","why":"write it first"}')
    ann = await house.someone()
    house.says(
        ROUTED,
        _plan("a", suggested_tools=["read_file"]),
        calls("read_file", "one", path="a.md"),
        again,
        (calls("write_file", "two", path="a.md", content="x"), calls("read_file", "three", path="a.md")),
        "Done.",
    )
    told = await house.turn(ann, "look")
    assert told.run.status == "completed", told.run
    moved = [
        change["todos"][0]
        for each in await house.actions(ann, told.run.id)
        for change in each["changes"]
        if change["kind"] == "todos_moved"
    ]
    last = moved[-1]
    assert (last["status"], last["retry"], len(last["error_history"])) == ("completed", 1, 1)
    assert "a.md" in last["error_history"][0]["error"]
    assert "last_error" in str(house.asked[4]["messages"][-1]["content"])


async def test_a_todo_that_nobody_allows_is_not_asked_for_again(house: House) -> None:
    """STATE-3, TOOL-3: a denial is no failure to be tried again: nobody is asked twice for the same."""
    ann = await house.someone()
    house.says(ROUTED, _plan("a"), calls("send_mail", "call_bob", to="bob"))
    told = await house.turn(ann, "write")
    (asked,) = told.of("approval_asked")
    house.says("I did not write to bob.")
    await house.desk.decide(ann, asked.approval_id, Decision(approved=False))
    rest = await house.hear(ann, told.accepted, after=await house.last_seq(ann, told.run.id))
    assert (rest.run.status, rest.text, house.sent) == ("completed", "I did not write to bob.", [])
