"""What a turn and its session have used, asked of the ledger only where the operator has set a limit (SEC-4)."""

from dataclasses import dataclass
from decimal import Decimal

from weft.calls.schemas import GroupBy
from weft.calls.service import CallService
from weft.kit.actor import Actor
from weft.kit.db import Database
from weft.nodes.errors import LimitReachedError
from weft.nodes.ports import Limits
from weft.runs.repository import Owner


@dataclass(frozen=True, slots=True)
class RunBudget:
    """Implements the engine's `Budget`."""

    database: Database
    actor: Actor
    owner: Owner
    limits: Limits

    async def check(self) -> None:
        """Refuse the next call where the money or the tokens are used up; no total is kept anywhere."""
        limits = self.limits
        if (limits.cost, limits.session_cost, limits.session_tokens, limits.session_calls) == (None,) * 4:
            return
        async with self.database.transaction(self.actor) as tx:
            calls = CallService(tx)
            made = await calls.of_turn(self.owner.run_id)
            report = await calls.report(GroupBy.TOTAL, session_id=self.owner.session_id)
        spent = sum((call.cost or Decimal(0) for call in made), Decimal(0))
        _within(limits.cost, spent, f"this turn has cost {spent:f}")
        whole = sum((total.cost for total in report.totals), Decimal(0))
        _within(limits.session_cost, whole, f"this conversation has cost {whole:f}")
        asked = sum(total.calls for total in report.totals)
        _within(limits.session_calls, asked, f"this conversation has called models {asked} times")
        tokens = sum(total.input_tokens + total.output_tokens for total in report.totals)
        _within(limits.session_tokens, tokens, f"this conversation has used {tokens} tokens")


def _within(most: Decimal | int | None, used: Decimal | int, said: str) -> None:
    if most is not None and used >= most:
        raise LimitReachedError(f"{said}, and {most} is all it may; the operator sets the limit")
