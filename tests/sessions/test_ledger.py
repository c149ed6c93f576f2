"""LED-7: every call made for a turn is booked on exactly one message, and no total is kept."""

import asyncio
import random
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.sessions.conftest import Conversation, answered, audited, said
from weft.calls.errors import CallEndedError, CallUnknownError
from weft.calls.schemas import CostSource, GroupBy
from weft.kit.errors import WeftError
from weft.kit.ids import new_id
from weft.sessions.errors import CurrencyMismatchError
from weft.sessions.schemas import NewMessage


async def test_a_message_books_the_figures_of_its_call(conversation: Conversation) -> None:
    """LED-7: tokens, cost and currency equal to its call's; the call keeps every digit, the message six."""
    call_id = await conversation.call(cost=Decimal("0.123456789012"))
    (message,) = await conversation.append(answered("hello", call_id))
    assert (message.input_tokens, message.cached_input_tokens, message.output_tokens) == (100, 64, 10)
    assert (message.cost, message.currency) == (Decimal("0.123457"), "CNY")
    async with conversation.service() as service:
        (total,) = (await service.usage(conversation.id)).totals
    assert total.cost == Decimal("0.123456789012")


async def test_a_call_without_a_price_is_flagged_and_never_free(conversation: Conversation) -> None:
    """LED-8 (3): cost is null and the call is flagged."""
    call_id = await conversation.call(cost=None, cost_source=CostSource.UNPRICED)
    (message,) = await conversation.append(answered("hello", call_id))
    assert message.cost is None
    async with conversation.service() as service:
        (total,) = (await service.usage(conversation.id)).totals
    assert (total.calls, total.unpriced_calls, total.cost) == (1, 1, Decimal(0))


async def test_a_call_is_booked_on_one_message_only(conversation: Conversation) -> None:
    """LED-7: exactly one."""
    call_id = await conversation.call()
    await conversation.append(answered("hello", call_id))
    with pytest.raises(DBAPIError, match="uq_messages_call_id"):
        await conversation.append(audited(call_id))


async def test_a_call_in_another_currency_is_refused(conversation: Conversation) -> None:
    """LED-8: no exchange rates, ever."""
    call_id = await conversation.call(currency="USD")
    with pytest.raises(CurrencyMismatchError, match="was made in USD, and the session is billed in CNY"):
        await conversation.append(said("hi"), answered("hello", call_id))
    async with conversation.service() as service:
        assert await service.messages(conversation.id) == []


async def test_a_call_is_booked_only_when_it_is_over_and_only_once(conversation: Conversation) -> None:
    call_id = await conversation.call()
    async with conversation.database.transaction(conversation.actor) as tx:
        await tx.connection.execute(
            text("UPDATE ai_calls SET outcome = 'running', ended_at = NULL WHERE id = :id"), {"id": call_id}
        )
    with pytest.raises(CallEndedError, match="still running"):
        await conversation.append(answered("hello", call_id))
    with pytest.raises(CallUnknownError):
        await conversation.append(answered("hello", new_id()))


@pytest.mark.parametrize(
    "change", ["input_tokens = 99", "cached_input_tokens = 0", "output_tokens = 11", "cost = 1", "cost = NULL"]
)
async def test_no_sql_books_other_figures_than_the_calls(conversation: Conversation, change: str) -> None:
    """LED-7: equal to its call's; the database compares them."""
    call_id = await conversation.call()
    figures = {"input_tokens": "100", "cached_input_tokens": "64", "output_tokens": "10", "cost": "0.000115"}
    name, _, value = change.partition(" = ")
    figures[name] = value
    with pytest.raises(DBAPIError, match="does not equal that of its call"):
        async with conversation.database.transaction(conversation.actor) as tx:
            await tx.connection.execute(
                text(
                    "INSERT INTO agent_chat_messages (id, session_id, business_id, user_id, seq, role, metadata,"
                    f" currency, call_id, {', '.join(figures)}) VALUES (gen_random_uuid(), :s, :b, :u, 1, 'assistant',"
                    f" '{{\"type\": \"assistant_output\"}}', 'CNY', :c, {', '.join(figures.values())})"
                ),
                {
                    "s": conversation.id,
                    "b": conversation.actor.business_id,
                    "u": conversation.actor.user_id,
                    "c": call_id,
                },
            )


_COSTS = st.decimals(min_value=0, max_value=99, places=12, allow_nan=False)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(costs=st.lists(st.one_of(st.none(), _COSTS), min_size=1, max_size=8))
async def test_sums_are_exact_to_the_last_digit(conversation: Conversation, costs: list[Decimal | None]) -> None:
    """LED-7: totals of a turn are queries over ai_calls."""
    turn_id = new_id()
    for cost in costs:
        source = CostSource.UNPRICED if cost is None else CostSource.CUSTOM_PRICING
        call_id = await conversation.call(turn_id=turn_id, cost=cost, cost_source=source)
        await conversation.append(audited(call_id), turn_id=turn_id)
    async with conversation.service() as service:
        report = await service.usage(conversation.id, GroupBy.TURN)
    (total,) = [total for total in report.totals if total.group == str(turn_id)]
    assert total.cost == sum((cost for cost in costs if cost is not None), Decimal(0))
    assert (total.calls, total.unpriced_calls) == (len(costs), costs.count(None))


@pytest.mark.parametrize("seed", [1, 2])
async def test_eight_writers_of_a_thousand_messages_never_collide(conversation: Conversation, seed: int) -> None:
    """LED-2, LED-4, LED-7: seq is unique and gapless per sign, status equals snapshot, sums are exact."""
    rng = random.Random(seed)
    plans = [_plan(random.Random(rng.random()), 125) for _ in range(8)]
    costs: list[Decimal] = []

    async def write(plan: list[tuple[int, bool, bool]]) -> None:
        for index, (size, bill, roll_back) in enumerate(plan):
            messages = [_message(index + offset) for offset in range(size)]
            cost = Decimal(size * 7 + index) / Decimal(10**12)
            if bill:
                messages[0] = messages[0].model_copy(update={"call_id": await conversation.call(cost=cost)})
                costs.append(cost)
            if roll_back:
                await _write_and_give_up(conversation, messages)
            await conversation.append(*messages)
            await _try_to_move(conversation, index)

    await asyncio.gather(*(write(plan) for plan in plans))
    async with conversation.database.transaction(conversation.actor) as tx:
        seqs = list(
            await tx.connection.scalars(
                text("SELECT seq FROM agent_chat_messages WHERE session_id = :s ORDER BY seq"), {"s": conversation.id}
            )
        )
    visible, audit = [s for s in seqs if s > 0], [s for s in seqs if s < 0]
    assert len(seqs) == 1000
    assert visible == list(range(1, len(visible) + 1))
    assert audit == list(range(-len(audit), 0))
    found = await conversation.view()
    assert found.state_snapshot["status"] == found.status
    async with conversation.service() as service:
        (total,) = (await service.usage(conversation.id)).totals
    assert (total.cost, total.calls) == (sum(costs), len(costs))


def _plan(rng: random.Random, messages: int) -> list[tuple[int, bool, bool]]:
    plan = []
    while messages:
        size = min(messages, rng.randint(1, 6))
        messages -= size
        plan.append((size, rng.random() < 0.3, rng.random() < 0.1))
    return plan


def _message(number: int) -> NewMessage:
    return audited() if number % 3 == 0 else said(f"message {number}")


async def _write_and_give_up(conversation: Conversation, messages: list[NewMessage]) -> None:
    with pytest.raises(WeftError, match="giving up"):
        async with conversation.service() as service:
            await service.append(conversation.id, messages)
            raise WeftError("giving up")


async def _try_to_move(conversation: Conversation, index: int) -> None:
    async with conversation.service() as service:
        mark = service.mark_completed if index % 2 else service.mark_running
        try:
            await mark(conversation.id)
        except WeftError as error:
            assert error.code == "illegal_transition"  # noqa: PT017
