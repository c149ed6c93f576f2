"""Tools of others: loaded from entry points; what is broken is reported and stops nothing."""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from weft.kit.errors import OperatorError
from weft.tools.assembling import ToolMaker, read_approvals
from weft.tools.plugins import Plugins
from weft.tools.tool import Approval

HEAD = """
from weft.tools.tool import Approval, Effect, Tool, ToolInput, ToolResult

class Asked(ToolInput):
    city: str

class Weather(Tool):
    name = "weather"
    description = "The weather of a city, e.g. 成都."
    effect = Effect.READ
    input = Asked
    async def run(self, state):
        return ToolResult.of({"city": self.arguments(state).city})
"""


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`plugins(one="code")`: each a module with a factory `make`, as an installed package would have it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def load(**modules: str) -> Plugins:
        for name, code in modules.items():
            (tmp_path / f"plugin_{name}.py").write_text(HEAD + code)
            monkeypatch.delitem(sys.modules, f"plugin_{name}", raising=False)
        return Plugins.load([EntryPoint(name, f"plugin_{name}:make", "weft.tools") for name in modules])

    return load


def made(plugins: Plugins, **approvals: Approval) -> dict[str, Any]:
    ports: Any = object()
    return {tool.name: tool for tool in ToolMaker(plugins, approvals)(ports, ["tarot"])}


def test_a_plugin_adds_its_tools(plugins: Any) -> None:
    """TOOL-2: one or several, beside ours."""
    one = "def make(ports):\n    return Weather()\n"
    many = "class Wind(Weather):\n    name = 'wind'\ndef make(ports):\n    yield Wind()\n"
    tools = made(loaded := plugins(one=one, many=many))
    assert {"weather", "wind", "use_skill", "read_file"} <= tools.keys()
    assert tools["weather"].spec().parameters["required"] == ["city"]
    assert loaded.problems == []


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise RuntimeError('no licence')", "cannot be imported: RuntimeError: no licence"),
        ("import nothing_there", "cannot be imported: ModuleNotFoundError"),
        ("maker = 1", "cannot be imported: AttributeError"),
        ("make = 5", "is a int, not a factory"),
        ("def make():\n    return Weather()", "makes no tools: TypeError"),
        ("def make(ports):\n    return 5", "makes no tools: TypeError"),
        ("def make(ports):\n    yield Weather()\n    raise ValueError('half')", "makes no tools: ValueError: half"),
        ("def make(ports):\n    return [object()]", "gives a object, not a weft.tools.tool.Tool"),
        ("class Bad(Weather):\n    name = 'two words'\ndef make(ports):\n    return Bad()", "a name is of letters"),
        ("class Bad(Weather):\n    name = 'read_file'\ndef make(ports):\n    return Bad()", "a name that is taken"),
        ("class Bad(Weather):\n    description = ' '\ndef make(ports):\n    return Bad()", "whose description"),
        ("class Bad(Weather):\n    description = 'x' * 2001\ndef make(ports):\n    return Bad()", "whose description"),
        ("class Bad(Weather):\n    input = dict\ndef make(ports):\n    return Bad()", "whose input"),
        ("class Bad(Weather):\n    effect = 'harmless'\ndef make(ports):\n    return Bad()", "whose effect"),
        ("class Bad(Weather):\n    approval = 'maybe'\ndef make(ports):\n    return Bad()", "whose approval"),
        ("class Bad(Weather):\n    def run(self, state): ...\ndef make(ports):\n    return Bad()", "whose run"),
        ("class Bad(Weather):\n    longest = 0\ndef make(ports):\n    return Bad()", "whose longest"),
        (
            "class Odd(Weather.input):\n    model_config = {'arbitrary_types_allowed': True}\n"
            "    other: type(print)\nclass Bad(Weather):\n    input = Odd\nmake = lambda ports: Bad()",
            "has no JSON schema",
        ),
        ("class Bad(Weather):\n    changes_prompt = True\nmake = lambda ports: Bad()", "is not transactional"),
        (
            "class Bad(Weather):\n    effect = Effect.EXTERNAL\n    transactional = True\nmake = lambda ports: Bad()",
            "the world does not roll back",
        ),
    ],
)
def test_a_broken_plugin_is_reported_and_left_out(plugins: Any, code: str, reason: str) -> None:
    """TOOL-2: told once, with what would be right; every other tool is there."""
    loaded = plugins(broken=code, good="def make(ports):\n    return Weather()\n")
    for _ in range(2):
        assert "weather" in made(loaded)
    (problem,) = loaded.problems
    assert problem.plugin == "broken"
    assert reason in problem.reason
    assert str(problem).endswith("it is left out")


def test_of_two_plugins_the_first_keeps_the_name(plugins: Any) -> None:
    """TOOL-2: whichever it is, it is the same at every start."""
    code = "def make(ports):\n    return Weather()\n"
    loaded = plugins(b=code, a=code)
    made(loaded)
    assert [problem.plugin for problem in loaded.problems] == ["b"]


def test_what_reaches_out_asks_first(plugins: Any) -> None:
    """TOOL-3: unless the operator says otherwise; what only changes the workspace does not."""
    external = "class Call(Weather):\n    effect = Effect.EXTERNAL\n    approval = Approval.NEVER\n"
    loaded = plugins(out=external + "def make(ports):\n    return Call()\n")
    tools = made(loaded)
    assert tools["weather"].approval is Approval.ALWAYS
    assert tools["write_file"].approval is Approval.NEVER
    tools = made(loaded, weather=Approval.NEVER, write_file=Approval.ALWAYS)
    assert tools["weather"].approval is Approval.NEVER
    assert tools["write_file"].approval is Approval.ALWAYS
    assert made(loaded)["write_file"].approval is Approval.NEVER


def test_approvals_are_read_as_they_are_written() -> None:
    """TOOL-3"""
    written = " write_file = always,edit_file=always , weather=never,"
    assert read_approvals(written) == {
        "write_file": Approval.ALWAYS,
        "edit_file": Approval.ALWAYS,
        "weather": Approval.NEVER,
    }
    assert read_approvals("") == {}


@pytest.mark.parametrize("written", ["write_file", "write_file=sometimes", "=always", "write_file:always", "a=b=c"])
def test_a_rule_that_is_none_is_refused_at_start(written: str) -> None:
    """TOOL-3: by the setting's name, with an example."""
    with pytest.raises(OperatorError, match=r"WEFT_TOOL_APPROVALS.*write_file=always"):
        read_approvals(written)
