"""What can go wrong with a tool call, in words that the model can act on."""

from collections.abc import Sequence
from typing import Any

from weft.kit.errors import ConflictError, InvalidError, NotFoundError, WorldError


class ToolUnknownError(NotFoundError):
    """The model named a tool that there is not."""

    code = "tool_unknown"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"there is no tool {name[:64]!r}; there are {', '.join(known)}", field="name")


class ToolArgumentsError(InvalidError):
    """Arguments that are not of the tool's schema."""

    code = "tool_arguments_invalid"

    @classmethod
    def of(cls, tool: str, problems: Sequence[Any]) -> "ToolArgumentsError":
        """The error that names each problem, the first three of them."""
        said = [f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}" for each in problems[:3]]
        return cls(
            f"{tool}: {'; '.join(said)}. Call it again with arguments that its schema allows.", field="arguments"
        )


class ToolTimedOutError(WorldError):
    """A tool took longer than it may."""

    code = "tool_timed_out"


class NotComputedError(ConflictError):
    """The active skill computes nothing, or something else; or no skill is active."""

    code = "not_computed"
