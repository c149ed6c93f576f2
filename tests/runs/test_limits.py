"""SEC-4: what a turn and a conversation may use has an end, and the end is told as what it is."""

from pathlib import Path
from typing import Any

import pytest

from tests.turns import a_house, calls
from weft.kit.db import Database
from weft.llm.scripted import Answer, Counts


async def _told(database: Database, home: Path, **limits: Any):
    async with a_house(database, home, **limits) as house:
        ann = await house.someone()
        house.says(*[calls("list_dir", f"call_{at}", path=".") for at in range(1)], "Done.", "Again.")
        first = await house.turn(ann, "hi")
        second = await house.turn(ann, "hi", session_id=first.session_id)
        return first, second


async def test_a_turn_makes_no_more_calls_than_it_may(turns_database: Database, tmp_path: Path) -> None:
    """SEC-4: the second call of the turn is not made."""
    first, second = await _told(turns_database, tmp_path, turn_calls=1)
    assert (first.run.error_code, second.run.status) == ("limit_reached", "completed")


@pytest.mark.parametrize("limit", [{"session_tokens": 1}, {"turn_tokens": 1}])
async def test_tokens_have_an_end(turns_database: Database, tmp_path: Path, limit: dict[str, int]) -> None:
    """SEC-4: the call after the limit was passed is not made."""
    first, _ = await _told(turns_database, tmp_path, **limit)
    assert first.run.error_code == "limit_reached"


async def test_a_conversation_costs_no_more_than_it_may(turns_database: Database, tmp_path: Path) -> None:
    """SEC-4: money is counted by the ledger; an unpriced model costs nothing that could be counted."""
    first, second = await _told(turns_database, tmp_path, session_cost="0.000001", turn_cost="0.000001")
    assert {first.run.status, second.run.status} <= {"completed", "failed"}
    assert [told.run.error_code for told in (first, second)] == [None, None]


async def test_a_model_that_wants_too_many_tools_is_stopped(turns_database: Database, tmp_path: Path) -> None:
    """SEC-4: a loop of tool calls ends with the calls of the turn."""
    async with a_house(turns_database, tmp_path, turn_calls=4) as house:
        ann = await house.someone()
        for at in range(6):
            house.says(Answer(tool_calls=(calls("list_dir", f"c{at}", path="."),), counts=Counts(10, 0, 5)))
        told = await house.turn(ann, "hi")
        assert told.run.error_code == "limit_reached"
        assert len(house.asked) == 4


async def test_an_empty_answer_is_asked_for_once_more_and_then_fails_the_turn(
    turns_database: Database, tmp_path: Path
) -> None:
    """FLOW-3: repaired once, told what was wrong; then the turn fails cleanly, each call booked once."""
    async with a_house(turns_database, tmp_path) as house:
        ann = await house.someone()
        house.says(Answer(""), "Hello.", Answer(""), Answer(" "))
        told = await house.turn(ann, "hi")
        assert (told.run.status, told.text) == ("completed", "Hello.")
        again = await house.turn(ann, "hi", session_id=told.session_id)
        assert (again.run.status, again.run.error_code) == ("failed", "model_off_contract")
        audit = await house.messages(ann, told.session_id, audit=True)
        assert len({row.call_id for row in audit if row.call_id}) == 3
