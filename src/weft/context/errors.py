"""What can be wrong with a context, and who can put it right."""

from weft.kit.errors import OperatorError


class ContextError(OperatorError):
    """The blocks that a recipe was given do not make a prompt."""

    code = "context_invalid"
    title = "The context cannot be compiled"


class DoesNotFitError(ContextError):
    """What may not be cut is larger than its budget."""

    code = "context_does_not_fit"
    title = "The context does not fit its budget"

    def __init__(self, block: str, tokens: int, budget: int, purse: str) -> None:
        super().__init__(
            f"{block} has {tokens} tokens and may not be cut; the budget of {purse} has {budget} left for it. "
            "Shorten it, or raise the budget.",
            field=block,
        )
        self.block = block
        self.tokens = tokens
        self.budget = budget
