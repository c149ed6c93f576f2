"""LED-7: after thousands of calls that fail, fall over and are cut off, the ledger equals the vendor's invoice."""

import asyncio
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import text

from tests.llm.routes import Routes, asking, way
from tests.people import People
from weft.calls.ledger import CallLedger
from weft.kit.actor import Actor
from weft.kit.db import Database
from weft.kit.ids import new_id
from weft.llm.errors import ModelError
from weft.llm.gateway import Gateway
from weft.llm.health import Health
from weft.llm.line import bookings_settled
from weft.llm.ports import Caller, Candidate
from weft.llm.scripted import Answer, Counts, Exchange, Fault, Refusal, ScriptedVendor
from weft.llm.types import Timeouts

CALLS = 2_000
AT_ONCE = 40
SPELLINGS = ("openai", "deepseek")
PATIENCE = Timeouts(connect=2, first=1.0, gap=0.5)


class _Moody:
    """Decides what a vendor answers, well or badly, from a seed."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def __call__(self, _exchange: Exchange) -> Answer | Refusal:
        rng = self._rng
        prompt = rng.randint(1, 5_000)
        hit = rng.randint(0, prompt // 64) * 64
        counts = Counts(prompt, hit, rng.randint(0, 900))
        answer = Answer("word " * rng.randint(1, 8), counts=counts, usage=rng.choice(SPELLINGS))  # type: ignore[arg-type]
        mood = rng.random()
        if mood < 0.12:
            return rng.choice([Refusal(500), Refusal(429), Refusal(503), Refusal(0)])
        if mood < 0.20:
            kind = rng.choice(["disconnect", "reset", "close", "error"])
            return replace(answer, fault=Fault(kind, after=rng.randint(0, 5)))
        if mood < 0.22:
            return replace(answer, fault=Fault("hang", after=rng.randint(0, 3)))
        if mood < 0.26:
            return replace(answer, usage=None)
        if mood < 0.50:
            return replace(answer, gap=0.004, by=rng.choice(["words", 2]))
        return answer


@dataclass
class _Ground:
    database: Database
    actor: Actor
    gateway: Gateway

    async def one_call(self, number: int, rng: random.Random) -> None:
        """Call, and be as patient as people are: some leave, some cancel."""
        caller = Caller("CNY", self.actor.business_id, self.actor.user_id, turn_id=UUID(int=number), purpose="invoice")
        patience = rng.random()
        if patience < 0.08:
            task = asyncio.create_task(self.gateway.complete("default", asking(str(number)), caller))
            await asyncio.sleep(rng.random() * 0.05)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return
        words = rng.randint(1, 5) if patience < 0.16 else None
        try:
            async with aclosing(self.gateway.stream("default", asking(str(number)), caller)) as deltas:
                seen = 0
                async for _ in deltas:
                    seen += 1
                    if seen == words:
                        break
        except ModelError:
            pass


async def _lines(database: Database, actor: Actor) -> dict[tuple[int, str], list[Mapping[str, Any]]]:
    """The ledger, by call and key, in the order of the tries."""
    async with database.transaction(actor) as tx:
        rows = await tx.connection.execute(
            text("SELECT * FROM ai_calls WHERE purpose = 'invoice' ORDER BY started_at, id")
        )
        lines: dict[tuple[int, str], list[Mapping[str, Any]]] = defaultdict(list)
        for row in rows.mappings():
            lines[(row["turn_id"].int, row["key"])].append(row)
    return lines


def _exchanges(vendors: Sequence[ScriptedVendor]) -> dict[tuple[int, str], list[Exchange]]:
    """The vendors' own logs, by the same."""
    log: dict[tuple[int, str], list[Exchange]] = defaultdict(list)
    for exchange in sorted((each for vendor in vendors for each in vendor.log), key=lambda each: each.received_at):
        key = (exchange.header("authorization") or "").removeprefix("Bearer sk-")
        log[(int(exchange.last_words), f"deepseek/{key}")].append(exchange)
    return log


def _invoiced(counts: Counts) -> Decimal:
    """The vendor's own arithmetic, in whole trillionths of a yuan: hit 0.2, miss 2, output 3 a million."""
    missed = counts.input - counts.cached
    return Decimal(counts.cached * 200_000 + missed * 2_000_000 + counts.output * 3_000_000).scaleb(-12)


def _ways(vendors: Sequence[ScriptedVendor], dead: str) -> list[Candidate]:
    first, second = vendors
    return [
        way(first, "a", api_key="sk-a", timeouts=PATIENCE),
        way(first, "b", api_key="sk-b", timeouts=PATIENCE),
        way(first, "dead", base_url=dead, endpoint="dead", timeouts=PATIENCE),
        way(second, "c", api_key="sk-c", timeouts=PATIENCE),
    ]


async def test_the_ledger_equals_the_invoice(database: Database, people: People) -> None:
    """LED-7, LED-8: equal to the last digit wherever usage was reported; the rest is marked as estimated."""
    actor, rng = await people.user(), random.Random(2026)
    async with ScriptedVendor() as first, ScriptedVendor() as second:
        first.decide_with(_Moody(1))
        second.decide_with(_Moody(2))
        ways = _ways((first, second), "http://127.0.0.1:9/v1")
        health = Health()
        health.cool = lambda *_: None  # type: ignore[method-assign] # nobody is spared: every way is tried all the time
        gateway = Gateway(Routes(ways), CallLedger(database), health=health, rng=rng)
        ground = _Ground(database, actor, gateway)
        numbers = iter(range(1, CALLS + 1))

        async def work() -> None:
            for number in numbers:
                await ground.one_call(number, random.Random(number))

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
        await bookings_settled()
        await first.settled()
        await second.settled()
        lines, log = await _lines(database, actor), _exchanges((first, second))

    reported = estimated = unmatched = 0
    assert {turn for turn, _ in lines} == set(range(1, CALLS + 1))
    for where, tries in lines.items():
        exchanges = log.pop(where, [])
        heard = [line for line in tries if not _never_arrived(line)]
        assert len(exchanges) <= len(tries), where
        for line in tries:
            assert line["outcome"] != "running", where
            assert (line["cost"] is None) == (line["cost_source"] == "unpriced")
        if len(exchanges) != len(heard):  # one that was cancelled, or waited for too long, before the vendor saw it
            assert any(line["outcome"] == "cancelled" or line["error_code"] == "model_timed_out" for line in tries), (
                where
            )
            unmatched += 1
            known = [(each.counts.input, each.counts.cached, each.counts.output) for each in exchanges if each.counts]
            for line in tries:
                figures = (line["input_tokens"], line["cached_input_tokens"], line["output_tokens"])
                assert line["usage_source"] == "estimated" or figures in known, where
            continue
        for line, exchange in zip(heard, exchanges, strict=True):
            if line["usage_source"] == "reported":
                reported += 1
                counts = exchange.counts
                assert counts is not None
                assert (line["input_tokens"], line["cached_input_tokens"], line["output_tokens"]) == (
                    counts.input,
                    counts.cached,
                    counts.output,
                ), where
                assert line["cost"] == _invoiced(counts), where
            else:
                estimated += 1
                assert line["outcome"] != "succeeded" or exchange.usage is None, where
    assert not log, "a call that the vendor saw is not in the ledger"
    assert unmatched < CALLS * 0.15  # 8 in 100 callers cancel, many before the vendor hears of them
    assert reported > CALLS * 0.6
    assert estimated > CALLS * 0.1


def _never_arrived(line: Mapping[str, Any]) -> bool:
    return bool(line["key"] == "deepseek/dead")


async def test_totals_are_the_sum_of_the_lines(database: Database, people: People) -> None:
    """LED-7: no running totals: what was booked is what is summed."""
    actor = await people.user()
    ledger, turn = CallLedger(database), new_id()
    async with ScriptedVendor(default=Answer("hi", counts=Counts(100, 64, 10))) as vendor:
        gateway = Gateway(Routes([way(vendor)]), ledger)
        caller = Caller("CNY", actor.business_id, actor.user_id, turn_id=turn)
        for _ in range(3):
            await gateway.complete("default", asking(), caller)
    async with database.transaction(actor) as tx:
        total = await tx.connection.scalar(text("SELECT sum(cost) FROM ai_calls WHERE turn_id = :t"), {"t": turn})
    assert total == 3 * Decimal("0.0001148")
