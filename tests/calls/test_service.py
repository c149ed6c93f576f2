"""LED-7: one row for every provider call, and totals that are queries."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.people import People
from tests.sessions.conftest import START, Conversation, conversation, ended_call  # noqa: F401
from weft.calls.errors import CallEndedError
from weft.calls.schemas import CallEnd, CostSource, GroupBy, Outcome, UsageSource
from weft.calls.service import CallService
from weft.kit.actor import Reach
from weft.kit.db import Database
from weft.kit.errors import InvalidError


async def test_a_call_ends_once(database: Database, people: People) -> None:
    """LED-7: what is booked is never booked again."""
    ann = await people.user()
    async with database.transaction(ann) as tx:
        call_id = await ended_call(tx)
        with pytest.raises(CallEndedError):
            await CallService(tx).end(call_id, _end(Outcome.SUCCEEDED))
        with pytest.raises(InvalidError):
            await CallService(tx).end(call_id, _end(Outcome.RUNNING))


def _end(outcome: Outcome) -> CallEnd:
    return CallEnd(
        usage_source=UsageSource.REPORTED,
        cost=Decimal(1),
        cost_source=CostSource.CUSTOM_PRICING,
        ended_at=START,
        outcome=outcome,
    )


async def test_totals_group_by_day_in_the_users_zone(database: Database, people: People) -> None:
    """LED-7: totals of a day are queries; a day is a day where the user lives."""
    ann = await people.user()
    late = datetime(2026, 11, 17, 17, 30, tzinfo=UTC)  # half past one on the 18th in Shanghai
    async with database.transaction(ann) as tx:
        await ended_call(tx, started_at=late, cost=Decimal("0.1"))
        await ended_call(tx, started_at=late + timedelta(days=1), cost=Decimal("0.2"))
        in_shanghai = await CallService(tx).report(GroupBy.DAY, timezone="Asia/Shanghai")
        in_utc = await CallService(tx).report(GroupBy.DAY)
    assert [(t.group, t.cost) for t in in_shanghai.totals] == [
        ("2026-11-19", Decimal("0.2")),
        ("2026-11-18", Decimal("0.1")),
    ]
    assert [t.group for t in in_utc.totals] == ["2026-11-18", "2026-11-17"]


async def test_currencies_are_never_added_up(database: Database, people: People) -> None:
    """LED-8: no exchange rates, ever."""
    ann = await people.user()
    async with database.transaction(ann) as tx:
        await ended_call(tx, cost=Decimal(1))
        await ended_call(tx, currency="USD", cost=Decimal(2))
        totals = (await CallService(tx).report(GroupBy.TOTAL)).totals
    assert {(t.currency, t.cost) for t in totals} == {("CNY", Decimal(1)), ("USD", Decimal(2))}


async def test_totals_by_user_and_key_stay_within_reach(database: Database, people: People) -> None:
    """LED-7, SEC-1: a user sums their own calls, an operator those of their business."""
    ann = await people.user()
    bob, eve = await people.user(ann.business_id, "bob"), await people.user()
    for actor, key in ((ann, "k1"), (ann, "k2"), (bob, "k2"), (eve, "k2")):
        async with database.transaction(actor) as tx:
            await ended_call(tx, key=key, cost=Decimal("0.5"))
    async with database.transaction(ann) as tx:
        own = (await CallService(tx).report(GroupBy.KEY)).totals
    assert {(t.group, t.calls) for t in own} == {("k1", 1), ("k2", 1)}
    async with database.transaction(people.operator(of=ann), Reach.BUSINESS) as tx:
        by_user = (await CallService(tx).report(GroupBy.USER)).totals
    assert {(t.group, t.cost) for t in by_user} == {(str(ann.user_id), Decimal(1)), (str(bob.user_id), Decimal("0.5"))}


async def test_calls_that_still_run_are_not_summed(conversation: Conversation) -> None:  # noqa: F811
    call_id = await conversation.call()
    async with conversation.database.transaction(conversation.actor) as tx:
        await tx.connection.execute(
            text("UPDATE ai_calls SET outcome = 'running', ended_at = NULL WHERE id = :id"), {"id": call_id}
        )
        assert (await CallService(tx).report(GroupBy.TOTAL)).totals == []


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("cost = NULL", "chk_call_unpriced"),
        ("cost_source = 'unpriced'", "chk_call_unpriced"),
        ("cost = -1", "chk_call_cost_sign"),
        ("cached_input_tokens = 101", "chk_call_tokens"),
        ("reasoning_tokens = 11", "chk_call_tokens"),
        ("input_tokens = -1", "chk_call_tokens"),
        ("category = 'poetry'", "chk_call_category"),
        ("usage_source = 'guessed'", "chk_call_usage_source"),
        ("outcome = 'running'", "chk_call_times"),
        ("ended_at = started_at - interval '1 second'", "chk_call_times"),
    ],
)
async def test_the_database_refuses_a_call_that_cannot_be(
    conversation: Conversation,  # noqa: F811
    change: str,
    constraint: str,
) -> None:
    """LED-7, LED-8: cached is a part of input, null costs are flagged, a call that is over has an end."""
    call_id = await conversation.call()
    with pytest.raises(DBAPIError, match=constraint):
        async with conversation.database.transaction(conversation.actor) as tx:
            await tx.connection.execute(text(f"UPDATE ai_calls SET {change} WHERE id = :id"), {"id": call_id})
