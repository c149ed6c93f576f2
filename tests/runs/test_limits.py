"""SEC-4: what a turn and a conversation may use has an end, and the end is told as what it is."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.people import OPERATOR
from tests.turns import House, a_house, calls
from weft.infra.schemas import PriceWish
from weft.infra.service import InfraService
from weft.kit.actor import Reach
from weft.kit.db import Database
from weft.llm.scripted import Answer, Counts
from weft.llm.types import ToolRequest


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


@pytest.fixture
async def priced(new_database: Any, tmp_path: Path) -> AsyncIterator[Callable[..., AbstractAsyncContextManager[House]]]:
    """Makes houses with limits, over a database in which the scripted model costs 100 yuan a million tokens."""
    database = Database(await new_database("priced"))
    amounts = dict.fromkeys(("input", "cached_input", "output"), "100")

    @asynccontextmanager
    async def a_priced_house(**limits: Any) -> AsyncIterator[House]:
        async with a_house(database, tmp_path, **limits) as house:
            async with database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
                price = PriceWish(
                    model="env/scripted", currency="CNY", valid_from="2026-01-01", source="a test", **amounts
                )
                await InfraService(tx, house.weft.keyring).set_price(price)
            house.weft.registry.forget()
            yield house

    yield a_priced_house
    await database.close()


def _costing(text: str = "", *made: ToolRequest, tokens: int = 1_000) -> Answer:
    """An answer that costs 0.1 yuan for each thousand tokens of its prompt."""
    return Answer(text, tool_calls=made, counts=Counts(tokens, 0, 0))


async def test_a_turn_costs_no_more_than_it_may(priced: Any) -> None:
    """SEC-4, LED-8: the call after the limit was passed is not made; the next turn has its own."""
    async with priced(turn_cost="0.15") as house:
        ann = await house.someone()
        looks = [calls("list_dir", f"call_{n}", path=".") for n in range(3)]
        house.says(_costing("", looks[0]), _costing("", looks[1]), _costing("Done."))
        told = await house.turn(ann, "hi")
        assert (told.run.error_code, len(house.asked)) == ("limit_reached", 2)
        assert "this turn has cost 0.2" in (told.run.error_detail or "")
        assert (await house.turn(ann, "hi", session_id=told.session_id)).text == "Done."


async def test_a_conversation_costs_no_more_than_it_may(priced: Any) -> None:
    """SEC-4, LED-7: the sum of the ledger's lines decides, over all its turns; another conversation is another."""
    async with priced(session_cost="0.15") as house:
        ann = await house.someone()
        house.says(_costing("One."), _costing("Two."), _costing("Three."))
        first = await house.turn(ann, "one")
        assert (await house.turn(ann, "two", session_id=first.session_id)).text == "Two."
        third = await house.turn(ann, "three", session_id=first.session_id)
        assert (third.run.error_code, len(house.asked)) == ("limit_reached", 2)
        assert (await house.turn(ann, "elsewhere")).text == "Three."


async def test_a_conversation_makes_no_more_calls_than_it_may(turns_database: Database, tmp_path: Path) -> None:
    """SEC-4: calls per session are counted as those per turn are."""
    async with a_house(turns_database, tmp_path, session_calls=3) as house:
        ann = await house.someone()
        house.says("One.", calls("list_dir", path="."), "Two.")
        first = await house.turn(ann, "one")
        assert (await house.turn(ann, "two", session_id=first.session_id)).text == "Two."
        third = await house.turn(ann, "three", session_id=first.session_id)
        assert (third.run.error_code, len(house.asked)) == ("limit_reached", 3)


async def test_tokens_that_a_vendor_does_not_report_count_too(turns_database: Database, tmp_path: Path) -> None:
    """SEC-4, STATE-6: where nothing is reported, what we count holds against the limit, and stands in the actions."""
    async with a_house(turns_database, tmp_path, turn_tokens=500) as house:
        ann = await house.someone()
        house.says(Answer(tool_calls=(calls("list_dir", path="."),), usage=None), "never asked for")
        told = await house.turn(ann, "hi")
        assert (told.run.error_code, len(house.asked)) == ("limit_reached", 1)
        (intent,) = [each for each in await house.actions(ann, told.run.id) if each["node"] == "intent"]
        (made,) = told.of("call_made")
        assert intent["usage"]["total_tokens"] == made.input_tokens + made.output_tokens > 500


async def test_a_repair_is_a_call_like_any_other(turns_database: Database, tmp_path: Path) -> None:
    """SEC-4, FLOW-3: of a judgement off contract, too; the turn never makes one call more than it may."""
    async with a_house(turns_database, tmp_path, turn_calls=3) as house:
        ann = await house.someone()
        house.says(calls("read_file", path="none"), '{"verdict":"maybe"}', '{"verdict":"perhaps"}', "never asked for")
        told = await house.turn(ann, "hi")
        assert told.run.error_code == "model_off_contract"
        assert len(house.asked) == 3


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
