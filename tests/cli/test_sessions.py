"""`weft sessions` and `weft usage`: what was said, and what it came to."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import UUID, uuid4

from tests.cli.conftest import Weft
from tests.people import People
from tests.turns import a_house, calls
from weft.calls.schemas import CallEnd, CallStart, CostSource, Outcome, UsageSource
from weft.calls.service import CallService
from weft.cli.widths import width
from weft.kit.db import Database
from weft.kit.ids import new_id
from weft.llm.scripted import Refusal
from weft.sessions.metadata import AssistantOutput, StageAudit, UserInput
from weft.sessions.schemas import NewMessage
from weft.sessions.service import SessionService

STARTED = datetime(2026, 3, 6, 17, 0, tzinfo=UTC)  # the next day in Shanghai


async def converse(url: str) -> UUID:
    """A conversation of one turn, whose answer cost 0.000123 yuan."""
    database = Database(url)
    try:
        user, turn, call = await People(database).user(), new_id(), new_id()
        async with database.transaction(user) as tx:
            session = (await SessionService(tx).create()).id
            named = {"vendor": "deepseek", "endpoint": "https://api.example", "key": "k1", "model": "deepseek-chat"}
            start = CallStart(
                id=call, session_id=session, turn_id=turn, purpose="intent", currency="CNY", started_at=STARTED, **named
            )
            await CallService(tx).start(start)
            end = CallEnd(
                input_tokens=100,
                cached_input_tokens=64,
                output_tokens=7,
                usage_source=UsageSource.REPORTED,
                cost=Decimal("0.0001230"),
                cost_source=CostSource.CUSTOM_PRICING,
                ended_at=STARTED + timedelta(seconds=1),
                outcome=Outcome.SUCCEEDED,
            )
            await CallService(tx).end(call, end)
            messages = [
                NewMessage(content="明天的安排\n是什么", metadata=UserInput()),
                NewMessage(content=None, metadata=StageAudit(stage="intent", data={"route": "DIRECT_EXECUTION"})),
                NewMessage(content="早上开会。", metadata=AssistantOutput(), call_id=call),
            ]
            await SessionService(tx).append(session, messages, turn)
    finally:
        await database.close()
    return session


async def test_conversations_are_listed_shown_and_summed(weft: Weft, cli_database: str) -> None:
    """SURF-5, LED-3, LED-4, LED-7: titles, visible and audit rows, sums by query."""
    assert weft("sessions", "list").out == "There is no conversation yet.\n"
    assert weft("usage").out == "No call has been booked yet.\n"
    session = str(await converse(cli_database))

    (listed,) = weft("sessions", "list", "--json").json()
    assert (listed["id"], listed["title"], listed["status"]) == (session, "明天的安排 是什么", "pending")
    assert "明天的安排 是什么" in weft("sessions", "list").out

    shown = weft("sessions", "show", session, "--audit", "--json").json()
    assert [message["seq"] for message in shown["messages"]] == [1, 2]
    assert [message["seq"] for message in shown["audit"]] == [-1]
    assert shown["usage"]["totals"][0]["cost"] == "0.000123000000"
    text = weft("sessions", "show", session).out
    assert "早上开会。" in text
    assert "0.000123" in text
    assert "stage_audit" not in text

    (total,) = weft("usage", "--json").json()["totals"]
    assert (total["group"], total["input_tokens"], total["cost"]) == ("2026-03-07", 100, "0.000123000000")
    (by_model,) = weft("usage", "--by", "model", "--json").json()["totals"]
    assert (by_model["group"], by_model["calls"]) == ("deepseek-chat", 1)
    assert weft("usage", "--since", "2026-03-07", "--json").json()["totals"] == []
    assert weft("usage", "--until", "2026-03-07", "--timezone", "UTC", "--json").json()["totals"][0]["calls"] == 1
    assert "2026-03-07" in weft("usage").out


async def test_a_turn_is_shown_with_all_that_it_did(weft: Weft, cli_database: str, tmp_path: Path) -> None:
    """Issue 5.10: stages, actions, every model call as it is booked, tools with their outcomes; the last turns only."""
    database = Database(cli_database)
    try:
        async with a_house(database, tmp_path / "house") as house:
            ann = await house.someone()
            house.says(calls("list_dir", path="."), "还没有文件。")
            told = await house.turn(ann, "我有哪些文件？")
            session = told.session_id
            house.says(Refusal(401))
            failed = await house.turn(ann, "and now?", session_id=session)
            async with database.transaction(ann) as tx:
                booked = await CallService(tx).of_turn(told.run.id)
    finally:
        await database.close()
    shown = weft("sessions", "show", str(session), "--audit", "--json").json()
    first, second = shown["turns"]
    assert [first["run"]["id"], second["run"]["id"]] == [str(told.run.id), str(failed.run.id)]
    assert [call["id"] for call in first["calls"]] == [str(call.id) for call in booked]
    assert all(call["first_token_at"] for call in first["calls"])
    (tool,) = first["tools"]
    assert (tool["name"], tool["status"], json.loads(tool["arguments"])) == ("list_dir", "succeeded", {"path": "."})
    assert [span["stage"] for span in first["stages"]] == [each.stage for each in told.of("stage_started")]
    assert all(span["ended_at"] for span in first["stages"])
    assert [action["id"] for action in first["actions"]] == list(range(1, len(first["actions"]) + 1))
    assert [moment["what"] for moment in second["moments"]] == ["failed"]

    for call in first["calls"]:
        outline = first["contexts"][call["id"]]
        whole = weft("context", "show", call["id"], "--json").json()
        states = [block["state"] for block in whole["blocks"] if block["source"] != "llm"]
        assert (outline["recipe"], outline["total"]) == (whole["recipe"], whole["total"])
        assert outline["expected_tokens"] == whole["cache"]["expected_tokens"]
        assert outline["blocks"] == states.count("whole") + states.count("shortened") > 0
        assert (outline["shortened"], outline["dropped"]) == (states.count("shortened"), states.count("dropped"))

    text = weft("sessions", "show", str(session), "--audit").out
    for call_id, outline in first["contexts"].items():
        assert f"{call_id} · {outline['recipe']} · {outline['total']:,} tokens in {outline['blocks']} blocks" in text
    assert f"turn 1 · completed · {told.run.created_at:%Y-%m-%d}" in text
    for call in booked:
        assert str(call.id) in text
        assert f"{call.input_tokens:,} in" in text
    assert "→ succeeded" in text
    assert "first token 0." in text
    assert text.index("我有哪些文件？") < text.index("tool      list_dir") < text.index("answer    还没有文件。")
    assert failed.run.error_code is not None
    assert failed.run.error_code in text.partition("turn 2 · failed")[2]
    assert all(width(line) <= 160 for line in text.splitlines())  # what is given to a file or to another program
    last = weft("sessions", "show", str(session), "--turns", "1").out
    assert "turn 2" in last
    assert "turn 1" not in last


def test_what_is_not_there_or_not_valid_is_told(weft: Weft) -> None:
    """DESIGN 4: told in one line, exit code 1; what click finds, with the usage and exit code 2."""
    missing = uuid4()
    assert str(missing) in weft("sessions", "show", str(missing)).refused()
    assert "'CST' is not an IANA time zone" in weft("usage", "--timezone", "CST").refused()
    assert weft("sessions", "show", "x").code == 2
    assert weft("sessions", "list", "--limit", "0").code == 2
