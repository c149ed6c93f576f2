"""The tools of a turn, as the model is told of them and as they are found by name."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from weft.llm.types import ToolSpec
from weft.tools.errors import ToolUnknownError
from weft.tools.tool import Tool

DEFAULT_OUTPUT = "report"  # where a turn ends that names no other output tool: no model has to call it


class Toolbox:
    """Tools by name, and those that the client carries out itself."""

    def __init__(self, tools: Iterable[Tool[Any]], frontend: Iterable[ToolSpec] = ()) -> None:
        self.tools: Mapping[str, Tool[Any]] = MappingProxyType({tool.name: tool for tool in tools})
        # A client's tool never stands in the place of one of ours.
        self.frontend = MappingProxyType({spec.name: spec for spec in frontend if spec.name not in self.tools})
        called = [tool.spec() for tool in self.tools.values() if tool.name != DEFAULT_OUTPUT]
        self.specs: Sequence[ToolSpec] = sorted([*called, *self.frontend.values()], key=lambda spec: spec.name)
        self.names = frozenset(spec.name for spec in self.specs)
        # Those whose bare name is a whole call.
        self.plain_names = frozenset(spec.name for spec in self.specs if not spec.parameters.get("required"))

    def get(self, name: str) -> Tool[Any]:
        """The tool of this name."""
        if (tool := self.tools.get(name)) is None:
            raise ToolUnknownError(name, sorted(self.names))
        return tool
