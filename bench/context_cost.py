"""What the contexts of a 50-turn conversation cost at deepseek-chat's prices, and what each rule of the compiler saves.

Nothing is warmed up: the cache begins empty and holds what this conversation sent before, in whole units of 64 tokens.
What counts are the bytes as a vendor receives them, tool schemas and stage switches included, and a restart half-way.
The answers cost the same whatever the context was, and are left out.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from bench._conversation import RESTART, Turn, blocks, tools, turns
from bench._ground import table
from weft.context.blocks import Block, Scope
from weft.context.compiling import Compiled, compile_context
from weft.context.conversation import Stored
from weft.context.prefix import Sent, expectation
from weft.context.recipes import PHASE_1, PHASE_2, Recipe, Slot
from weft.context.revisions import Standing
from weft.context.window import History
from weft.llm.ports import Abilities, ModelCard, Price
from weft.llm.pricing import cost_of
from weft.llm.tokens import TokenCounter
from weft.llm.types import Usage

CARD = ModelCard("deepseek-chat", "deepseek", "chat", 131_072, 8_192, Abilities(cache_unit=64))
PRICE = Price("CNY", date(2026, 3, 6), "the vendor's price list", Decimal(2), Decimal("0.2"), None, Decimal(3))
STAGES = ("intent", "execution", "execution", "organization")


@dataclass(frozen=True)
class Policy:
    """One way to build the contexts; the first is Weft's."""

    name: str
    texts: str = "stepped"  # sliding | all
    keep_turn_data: bool = False
    notes: bool = True
    late_stage: bool = True
    stamp_first: bool = False


POLICIES = (
    Policy("Weft: stepped, turn data dropped later, notes"),
    Policy("turn data kept as sent", keep_turn_data=True),
    Policy("sliding window", texts="sliding"),
    Policy("everything kept", texts="all"),
    Policy("everything kept, turn data too", texts="all", keep_turn_data=True),
    Policy("memory rewritten in place", notes=False),
    Policy("stage in the system text", late_stage=False),
    Policy("the minute at the top", stamp_first=True),
)


class Conversation:
    """Plays the transcript under one policy and books what a vendor would."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.counter = TokenCounter()
        self.rows: list[Stored] = []
        self.standing: Standing | None = None
        self.calls: list[Sent] = []
        self.usage = Usage()
        self.seconds = 0.0
        self.most = 0

    def play(self) -> None:
        for turn in turns():
            if turn.number == RESTART and self.standing is not None:
                self.counter = TokenCounter()
                self.standing = Standing.load(json.loads(json.dumps(self.standing.dump(), sort_keys=True)))
            self._play(turn)

    def _play(self, turn: Turn) -> None:
        asked, *rest = turn.stored()
        made: Compiled | None = None
        for call, stage in enumerate(STAGES if turn.result else STAGES[:1]):
            pair = turn.pair() if call > 1 else []
            made = self._call(turn, stage, [asked, *pair])
        if self.policy.keep_turn_data and made is not None:
            content = next(m["content"] for m in reversed(made.messages) if m["role"] == "user")
            asked = replace(asked, content=content)
        self.rows += [asked, *rest]

    def _call(self, turn: Turn, stage: str, now: list[Stored]) -> Compiled:
        recipe = (PHASE_1 if turn.skill == "core" else PHASE_2).for_stage(stage)
        given = blocks(turn, stage)
        if self.policy.stamp_first:
            given = [_first(block) for block in given]
            recipe = replace(recipe, slots=(Slot("now"), *recipe.slots))
        recipe, history = self._history(recipe, now)
        standing = self.standing if self.policy.notes else None
        abilities = replace(CARD.abilities, late_system_message=self.policy.late_stage)
        card = replace(CARD, abilities=abilities)
        before = time.perf_counter()
        made = compile_context(recipe, given, history, tools(), card, self.counter, standing=standing)
        self.seconds += time.perf_counter() - before
        self.standing = made.standing
        self._book(made.sent)
        return made

    def _history(self, recipe: Recipe, now: list[Stored]) -> tuple[Recipe, History]:
        if self.policy.texts == "all":
            return replace(recipe, texts=10_000), History([*self.rows, *now])
        if self.policy.texts == "sliding":
            texts = [at for at, row in enumerate(self.rows) if row.kind in ("user_input", "assistant_output")]
            start = texts[-recipe.texts] if len(texts) > recipe.texts else 0
            return replace(recipe, texts=10_000), History([*self.rows[start:], *now])
        return recipe, History([*self.rows, *now])

    def _book(self, sent: Sent) -> None:
        hit = max((expectation(sent, earlier, 64).tokens for earlier in self.calls), default=0)
        self.calls.append(sent)
        self.most = max(self.most, sent.total)
        self.usage = Usage(self.usage.input + sent.total, self.usage.cached_input + hit)


def _first(block: Block) -> Block:
    return replace(block, id="now", scope=Scope.GLOBAL) if block.id == "time" else block


def _rows(played: Sequence[Conversation]) -> Iterator[tuple[Any, ...]]:
    base = cost_of(played[0].usage, PRICE) or Decimal(1)
    for each in played:
        cost = cost_of(each.usage, PRICE) or Decimal(0)
        share = 100 * each.usage.cached_input / each.usage.input
        relative = float(cost / base)
        calls = len(each.calls)
        yield (
            each.policy.name,
            calls,
            each.usage.input,
            each.most,
            f"{share:.0f} %",
            f"{cost:.4f}",
            relative,
            each.seconds / calls * 1e3,
        )


def main(policies: Sequence[Policy] = POLICIES, show: Callable[..., None] = table) -> None:
    """Print the table; the first line is what Weft does."""
    played = [Conversation(policy) for policy in policies]
    for each in played:
        each.play()
    show(("", "calls", "input tokens", "largest", "cached", "CNY", "times ours", "ms a call"), list(_rows(played)))


if __name__ == "__main__":
    main()
