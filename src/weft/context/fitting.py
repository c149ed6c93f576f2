"""Holds what is settled to a recipe's budgets; what stands with earlier messages is spent already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft.context.blocks import Block
from weft.context.cutting import Fitted, fit, spent
from weft.context.errors import DoesNotFitError
from weft.context.manifest import Counter
from weft.context.recipes import PROMPT, Cut, Recipe, Slot
from weft.context.settling import Settled, turn_of


@dataclass(frozen=True, slots=True)
class Fitting:
    """Holds blocks to a recipe's budgets."""

    recipe: Recipe
    tool_tokens: int
    model: str
    counter: Counter

    def fitted(self, settled: Settled) -> tuple[list[Fitted], list[Block]]:
        """The blocks as they fit, and those that the recipe does not want."""
        placed, unwanted = self.recipe.place(settled.blocks)
        return fit(placed, self.recipe, self.fixed(settled), self.counter, self.model), unwanted

    def fixed(self, settled: Settled) -> int:
        """What of the first purse is spent already: the tools, and the cases that stand with earlier messages."""
        turn = turn_of(settled.seen)
        earlier = (each for name, given in self.standing(settled).items() if name != turn for each in given)
        return self.tool_tokens + sum(each.tokens for each in earlier if each.slot.cut is not Cut.NEVER)

    def is_crowded(self, settled: Settled) -> bool:
        """Whether something would be whole if nothing stood with earlier messages."""
        if self.fixed(settled) == self.tool_tokens:
            return False
        try:
            fitted, _ = self.fitted(settled)
        except DoesNotFitError:
            return True
        return any(each.slot.purse == PROMPT and each.over_budget for each in fitted)

    def spent(self, fitted: Sequence[Fitted], settled: Settled) -> dict[str, int]:
        """What each purse has paid for."""
        fixed = {PROMPT: self.fixed(settled)}
        return {purse: spent(fitted, purse) + fixed.get(purse, 0) for purse in self.recipe.budgets}

    def standing(self, settled: Settled) -> Mapping[str, tuple[Fitted, ...]]:
        """The data that stands with messages since earlier calls."""
        return {name: tuple(map(self._as_sent, given)) for name, given in settled.earlier.items()}

    def _as_sent(self, block: Block) -> Fitted:
        position = self.recipe.slot_of(block)
        slot = self.recipe.slots[position] if position is not None else Slot(block.id)
        tokens = self.counter.raw_count(self.model, block.text)
        return Fitted(block, slot, tokens, tokens)
