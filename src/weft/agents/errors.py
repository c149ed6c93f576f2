"""What can be wrong with the agents of an installation."""

from weft.kit.errors import OperatorError


class StageModelMissingError(OperatorError):
    """A kind of agent has no model, and no turn can run without it."""

    code = "stage_model_missing"
