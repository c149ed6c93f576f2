"""What goes when a prompt is over its budget, in which order, and why.

One rule: among the blocks that may be cut, the one that stands last goes first. What stands last changes most often.
Losing it costs no prefix, and while it can still give way, a turn's own data never decides what the prefix holds. It is
also what the agent can have again: a case, a memory, a file is a tool call away; the persona and the policy are not.
Before that rule, each block is held to its own slot's limit. Policy, procedure and stage are never cut: where
they do not fit, somebody wrote too much, and is told so. Once nothing else can give way, the bio may lose its end, for
there are characters of several tokens each, and nobody's bio may end their conversations; and then a persona its last
lines, saying in which file they stand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from weft.context.blocks import Block
from weft.context.errors import DoesNotFitError
from weft.context.manifest import Counter, State
from weft.context.recipes import PROMPT, Cut, Recipe, Slot
from weft.context.sections import prompt_texts

SMALLEST = 48  # tokens; a block shortened to less says nothing
REMEMBERED = 1024


@dataclass(frozen=True, slots=True)
class Fitted:
    """A block as it will stand in the prompt, or as it was dropped from it."""

    block: Block
    slot: Slot
    tokens: int
    whole_tokens: int
    state: State = "whole"
    why: str = ""
    over_budget: bool = False  # cut for its purse's sake, not for being too long for its own place


def fit(
    placed: Sequence[tuple[Block, Slot]], recipe: Recipe, tool_tokens: int, counter: Counter, model: str
) -> list[Fitted]:
    """The blocks within the recipe's budgets; those dropped are still in the list, with the reason."""
    fitted = [_within_limit(block, slot, counter, model) for block, slot in placed]
    for purse, budget in recipe.budgets.items():
        fixed = tool_tokens if purse == PROMPT else 0
        _fit_purse(fitted, purse, budget, fixed, counter, model)
    return fitted


def spent(fitted: Sequence[Fitted], purse: str) -> int:
    """What the blocks of a purse cost."""
    return sum(each.tokens for each in fitted if each.slot.purse == purse and each.state != "dropped")


def _fit_purse(fitted: list[Fitted], purse: str, budget: int, fixed: int, counter: Counter, model: str) -> None:
    last_first = range(len(fitted) - 1, -1, -1)
    for index in sorted(last_first, key=lambda index: fitted[index].slot.cut is Cut.TRIM):
        over = fixed + spent(fitted, purse) - budget
        if over <= 0:
            return
        each = fitted[index]
        if each.slot.purse != purse or each.slot.cut is Cut.NEVER or each.state == "dropped":
            continue
        why = f"{purse} was {over} tokens over its {budget}"
        fitted[index] = replace(_cut(each, each.tokens - over, why, counter, model), over_budget=True)
    if (over := fixed + spent(fitted, purse) - budget) > 0:
        raise _does_not_fit(fitted, purse, budget, fixed, over)


def _does_not_fit(fitted: list[Fitted], purse: str, budget: int, fixed: int, over: int) -> DoesNotFitError:
    kept = [each for each in fitted if each.slot.purse == purse and each.state != "dropped"]
    largest = max(kept, key=lambda each: each.tokens, default=None)
    if largest is None or fixed > largest.tokens:
        return DoesNotFitError("tools", fixed, max(0, fixed - over), purse)
    return DoesNotFitError(largest.block.id, largest.tokens, max(0, largest.tokens - over), purse)


def _within_limit(block: Block, slot: Slot, counter: Counter, model: str) -> Fitted:
    tokens = counter.raw_count(model, block.text)
    whole = Fitted(block, slot, tokens, tokens)
    if slot.limit is None or tokens <= slot.limit:
        return whole
    if slot.cut is Cut.NEVER:
        raise DoesNotFitError(block.id, tokens, slot.limit, slot.id)
    return _cut(whole, slot.limit, f"{slot.id} may have {slot.limit} tokens", counter, model)


def _cut(fitted: Fitted, room: int, why: str, counter: Counter, model: str) -> Fitted:
    cut, least = fitted.slot.cut, SMALLEST if fitted.slot.cut is Cut.SHORTEN else 1
    if cut in (Cut.SHORTEN, Cut.TRIM) and fitted.block.shrinks and room >= least:
        shorter = shortened(fitted.block, room, counter, model)
        if shorter is not None:
            tokens = counter.raw_count(model, shorter.text)
            return replace(fitted, block=shorter, tokens=tokens, state="shortened", why=why)
    return fitted if cut is Cut.TRIM else replace(fitted, tokens=0, state="dropped", why=why)


@lru_cache(maxsize=REMEMBERED)
def shortened(block: Block, room: int, counter: Counter, model: str) -> Block | None:
    """As much of the block as has room, saying how much is left out; None where none of it has.

    The same block with the same room is shortened once: it is the same text in every call of a conversation.
    """
    low, high = 0, len(_parts(block))
    best: Block | None = None
    while low < high:
        middle = (low + high + 1) // 2
        tried = _first(block, middle)
        if counter.raw_count(model, tried.text) <= room:
            low, best = middle, tried
        else:
            high = middle - 1
    return best or _without_first(block, room, counter, model)


def _without_first(block: Block, room: int, counter: Counter, model: str) -> Block | None:
    """A list whose first item alone is too long: what follows may have room all the same."""
    items = _parts(block)
    if not isinstance(items, tuple) or len(items) < 2:
        return None
    return shortened(_with(block, items[1:], 1), room, counter, model)


def _parts(block: Block) -> Any:
    """What it loses one by one: characters, items, or the lines of an instruction."""
    return block.values[block.shrinks] if block.is_data else block.text.splitlines()


def _first(block: Block, count: int) -> Block:
    parts = _parts(block)
    if count == len(parts):
        return block
    if not block.is_data:
        rest = prompt_texts().rest.render(file=block.shrinks)
        return replace(block, content="\n".join([*parts[:count], rest]))
    return _with(block, parts[:count], len(parts) - count)


def _with(block: Block, parts: Any, fewer: int) -> Block:
    """With these parts of its own, saying how many are not there, those that were left out before among them."""
    unit = "characters" if isinstance(parts, str) else "items"
    before = block.values.get("left_out")
    gone = before.get(unit, 0) if isinstance(before, Mapping) else 0
    return block.having(**{block.shrinks: parts, "left_out": {unit: gone + fewer}})
