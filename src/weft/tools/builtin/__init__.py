"""The tools that Weft brings along, one small module each."""

from collections.abc import Sequence
from typing import Any

from weft.tools.builtin.compute import Compute
from weft.tools.builtin.edit_file import EditFile
from weft.tools.builtin.list_dir import ListDir
from weft.tools.builtin.read_file import ReadFile
from weft.tools.builtin.remember import Remember
from weft.tools.builtin.report import Report
from weft.tools.builtin.save_user_data import SaveUserData
from weft.tools.builtin.search_history import SearchHistory
from weft.tools.builtin.set_goal import SetGoal
from weft.tools.builtin.use_skill import UseSkill
from weft.tools.builtin.user_context import UserContext
from weft.tools.builtin.write_file import WriteFile
from weft.tools.ports import Ports
from weft.tools.tool import Tool

__all__ = ["NAMES", "built_in"]

_OVER_PORTS = (
    ReadFile,
    ListDir,
    WriteFile,
    EditFile,
    SearchHistory,
    Remember,
    SaveUserData,
    UserContext,
    Compute,
)
NAMES = frozenset(tool.name for tool in (UseSkill, *_OVER_PORTS, SetGoal, Report))


def built_in(ports: Ports, skills: Sequence[str]) -> list[Tool[Any]]:
    """The tools of one run; `skills` are those that can be taken on."""
    return [UseSkill(ports, skills), *(tool(ports) for tool in _OVER_PORTS), SetGoal(), Report()]
