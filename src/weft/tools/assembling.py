"""The tools of a run: those that Weft brings, those of plugins, and which of them somebody must be asked about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.kit.errors import OperatorError
from weft.tools.builtin import NAMES, built_in
from weft.tools.plugins import Plugins
from weft.tools.ports import Ports
from weft.tools.tool import Approval, Effect, Tool

_SETTING = "WEFT_TOOL_APPROVALS"
_NONE: Mapping[str, Approval] = {}


@dataclass(frozen=True, slots=True)
class ToolMaker:
    """Makes the tools of each run; one a process."""

    plugins: Plugins = field(default_factory=Plugins)
    approvals: Mapping[str, Approval] = field(default_factory=lambda: _NONE)

    def __call__(self, ports: Ports, skills: Sequence[str]) -> list[Tool[Any]]:
        """All tools; what reaches out into the world asks first, unless the operator says otherwise."""
        tools = [*built_in(ports, skills), *self.plugins.tools(ports, NAMES)]
        for tool in tools:
            wanted = self.approvals.get(tool.name, Approval.ALWAYS if tool.effect is Effect.EXTERNAL else None)
            if wanted is not None:
                tool.approval = wanted
        return tools


def load_tools(approvals: str = "") -> ToolMaker:
    """The maker with all plugins that are installed; it reads files, and belongs beside the event loop."""
    return ToolMaker(Plugins.load(), read_approvals(approvals))


def read_approvals(written: str) -> dict[str, Approval]:
    """`write_file=always, web_search=never`, as the operator wrote it."""
    read: dict[str, Approval] = {}
    for item in filter(None, (part.strip() for part in written.split(","))):
        name, equals, word = (part.strip() for part in item.partition("="))
        if not name or not equals or word not in list(Approval):
            raise OperatorError(
                f"{_SETTING}: {item[:80]!r} is no rule; write the name of a tool, '=' and always or never, "
                "for example 'write_file=always, edit_file=always'"
            )
        read[name] = Approval(word)
    return read
