"""SEC-4: what no database can hold is refused where it comes in, by its place, and leaves everything as it was."""

from typing import Any

import pytest
from pydantic import ValidationError

from tests.turns import House, calls
from weft.kit.errors import InvalidError
from weft.runs.schemas import Decision, TurnRequest

UNSTORABLE = [{"to": "a\x00"}, {"to": "a\ud83d"}, {"to": 10**30}, {"a\x00": 1}]


@pytest.mark.parametrize("value", UNSTORABLE, ids=["NUL", "surrogate", "huge number", "key"])
def test_a_decision_holds_what_can_be_stored(value: dict[str, Any]) -> None:
    """SEC-4, TOOL-3: edited arguments come from outside."""
    with pytest.raises(ValidationError, match="edited_args"):
        Decision(approved=True, edited_args=value)


@pytest.mark.parametrize("value", UNSTORABLE, ids=["NUL", "surrogate", "huge number", "key"])
def test_a_turn_holds_what_can_be_stored(value: dict[str, Any]) -> None:
    """SEC-4: so do the tools that a client carries out itself, and the names of files."""
    with pytest.raises(ValidationError, match="parameters"):
        TurnRequest.model_validate({"message": "hi", "frontend_tools": [{"name": "x", "parameters": value}]})
    for field in ("name", "media_type", "path"):
        file = {"name": "a", "media_type": "b", "path": "c"} | {field: "a\x00"}
        with pytest.raises(ValidationError, match=field):
            TurnRequest.model_validate({"message": "hi", "attachments": [file]})


@pytest.mark.parametrize(
    ("edited", "problem"),
    [
        ({"text": "x"}, "'to' is a required property"),
        ({"to": 5}, "5 is not of type 'string'"),
        ({"to": "x", "more": 1}, "'more' was unexpected"),
    ],
)
async def test_edited_arguments_are_held_against_the_whole_schema(
    house: House, edited: dict[str, Any], problem: str
) -> None:
    """TOOL-3: a person hears at once what the tool would refuse, and nothing is decided."""
    ann = await house.someone()
    house.says(calls("send_mail", "m", to="bob"))
    told = await house.turn(ann, "write")
    (asked,) = told.of("approval_asked")
    with pytest.raises(InvalidError, match=problem):
        await house.desk.decide(ann, asked.approval_id, Decision(approved=True, edited_args=edited))
    assert [each.status for each in await house.desk.approvals(ann, told.run.id)] == ["pending"]
    await house.desk.cancel(ann, told.run.id)
