"""Tools of others: the entry points of the group `weft.tools`, each a factory that is given the ports.

One that is broken is reported and left out; it stops neither the others nor a turn.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from pydantic import PydanticUserError

from weft.kit.log import get_logger
from weft.tools.ports import Ports
from weft.tools.tool import Approval, Effect, Kind, Tool, ToolInput

GROUP = "weft.tools"
LONGEST_DESCRIPTION = 2_000  # characters: every call pays for them
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
Factory = Callable[[Ports], Tool[Any] | Iterable[Tool[Any]]]
log = get_logger(__name__)


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """What is wrong with a plugin, and that it was left out."""

    plugin: str
    reason: str

    def __str__(self) -> str:
        return f"{self.plugin}: {self.reason}; it is left out"


@dataclass(slots=True)
class Plugins:
    """The factories that were found, and what was wrong with any; one a process."""

    factories: Sequence[tuple[str, Factory]] = ()
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def load(cls, points: Iterable[EntryPoint] | None = None) -> "Plugins":
        """Import what is installed; it reads files, and belongs before the event loop or beside it."""
        found = cls()
        factories: list[tuple[str, Factory]] = []
        for point in sorted(entry_points(group=GROUP) if points is None else points, key=_name_of):
            name = _name_of(point)
            factory = found.tried(name, "cannot be imported", point.load)
            if callable(factory):
                factories.append((name, factory))
            elif factory is not None:
                found.report(name, f"is a {type(factory).__name__}, not a factory that is given the ports")
        found.factories = tuple(factories)
        return found

    def tools(self, ports: Ports, taken: Iterable[str]) -> list[Tool[Any]]:
        """The tools of one run; a name that is taken stays with whoever has it."""
        names, made = set(taken), []
        for plugin, factory in self.factories:
            for tool in self.tried(plugin, "makes no tools", partial(_made, factory, ports)) or ():
                if (wrong := _what_is_wrong(tool, names)) is not None:
                    self.report(plugin, wrong)
                else:
                    names.add(tool.name)
                    made.append(tool)
        return made

    def tried(self, plugin: str, what: str, work: Callable[[], Any]) -> Any:
        """What a plugin's own code gives; None where it fails, which is reported."""
        try:
            return work()
        except Exception as error:  # anybody's code: whatever it raises, the others are used
            if self.report(plugin, f"{what}: {type(error).__name__}: {error}"):
                log.exception("tool_plugin_broken", plugin=plugin)
            return None

    def report(self, plugin: str, reason: str) -> bool:
        """Note a problem, and log it the first time; whether it is the first."""
        problem = Problem(plugin, reason[:500])
        if problem in self.problems:
            return False
        self.problems.append(problem)
        log.warning("tool_plugin_left_out", plugin=plugin, reason=problem.reason)
        return True


def _made(factory: Factory, ports: Ports) -> list[Any]:
    given = factory(ports)
    return [given] if isinstance(given, Tool) else list(given)


def _name_of(point: EntryPoint) -> str:
    package = point.dist.name if point.dist is not None else None
    return f"{point.name} ({package})" if package else point.name


def _what_is_wrong(tool: Any, names: set[str]) -> str | None:
    """What keeps it from being a tool of ours, or None."""
    if not isinstance(tool, Tool):
        return f"gives a {type(tool).__name__}, not a weft.tools.tool.Tool"
    name = getattr(tool, "name", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return f"gives a tool named {name!r:.80}; a name is of letters, digits, '_' and '-', and begins with a letter"
    if name in names:
        return f"gives a tool named {name!r}, a name that is taken"
    checks = (
        ("description", lambda each: isinstance(each, str) and 0 < len(each.strip()) <= LONGEST_DESCRIPTION),
        ("input", lambda each: inspect.isclass(each) and issubclass(each, ToolInput)),
        ("effect", lambda each: isinstance(each, Effect)),
        ("kinds", lambda each: bool(each) and all(isinstance(kind, Kind) for kind in each)),
        ("approval", lambda each: isinstance(each, Approval)),
        ("timeout", lambda each: isinstance(each, int | float) and each > 0),
        ("longest", lambda each: isinstance(each, int) and each > 0),
        ("run", inspect.iscoroutinefunction),
    )
    for attribute, holds in checks:
        if not holds(getattr(tool, attribute, None)):
            return f"gives a tool {name!r} whose {attribute} is not what weft.tools.tool.Tool says"
    try:
        tool.spec()
    except (PydanticUserError, TypeError, ValueError) as error:
        return f"gives a tool {name!r} whose input has no JSON schema: {error!s:.200}"
    if tool.changes_prompt and not tool.transactional:
        return f"gives a tool {name!r} that changes the prompt and is not transactional; it must be"
    if tool.transactional and tool.effect is Effect.EXTERNAL:
        return f"gives a tool {name!r} that is external and transactional; the world does not roll back"
    return None
