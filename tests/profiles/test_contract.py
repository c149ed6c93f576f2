"""A `UserAgentContext` is made in one place, and the house rules report any other."""

import ast

import pytest
from tools.check_house import ROOT, constructions, sources

HOME = "src/weft/profiles/service.py"
MAKES_ONE = "from weft.context import user\n\nsomebody = {call}(1, 'Ann', None, None)\n"


def reported(path: str, code: str) -> list[str]:
    return list(constructions(ROOT / path, ast.parse(code)))


@pytest.mark.parametrize("call", ["UserAgentContext", "user.UserAgentContext", "weft.context.user.UserAgentContext"])
@pytest.mark.parametrize(
    "path",
    ["src/weft/sessions/service.py", "src/weft/context/user.py", "src/weft/profiles/endpoints.py", "tests/test_x.py"],
)
def test_context_made_elsewhere_is_reported_with_its_line(path: str, call: str) -> None:
    """PRO-5"""
    (problem,) = reported(path, MAKES_ONE.format(call=call))
    assert problem == f"{path}:3: UserAgentContext is made in {HOME} alone; ask the service for it"


def test_context_made_at_home_is_not_reported() -> None:
    """PRO-5"""
    assert reported(HOME, MAKES_ONE.format(call="UserAgentContext")) == []


@pytest.mark.parametrize("call", ["AgentContext", "print", "user.having", "(lambda *_: None)"])
def test_other_calls_are_nobodys_business(call: str) -> None:
    """PRO-5: naming the type is free, and so is the context of a turn."""
    assert reported("src/weft/sessions/service.py", MAKES_ONE.format(call=call)) == []


def test_the_tree_keeps_the_contract_and_the_service_needs_it() -> None:
    """PRO-5: nobody but the service makes one; that it does shows that the search sees such calls."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sources()}
    assert [problem for path, tree in trees.items() for problem in constructions(path, tree)] == []
    assert len(list(constructions(ROOT / "elsewhere.py", trees[ROOT / HOME]))) == 1
