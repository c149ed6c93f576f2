"""`weft sessions` and `weft usage`: what was said, and what it came to."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID, uuid4

from tests.cli.conftest import Weft
from tests.people import People
from weft.calls.schemas import CallEnd, CallStart, CostSource, Outcome, UsageSource
from weft.calls.service import CallService
from weft.kit.db import Database
from weft.kit.ids import new_id
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


def test_what_is_not_there_or_not_valid_is_told(weft: Weft) -> None:
    """DESIGN 4: told in one line, exit code 1; what click finds, with the usage and exit code 2."""
    missing = uuid4()
    assert str(missing) in weft("sessions", "show", str(missing)).refused()
    assert "'CST' is not an IANA time zone" in weft("usage", "--timezone", "CST").refused()
    assert weft("sessions", "show", "x").code == 2
    assert weft("sessions", "list", "--limit", "0").code == 2
