"""`weft profile`: what is shown can be set and edited, and what is not valid changes nothing."""

import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Weft
from weft.cli.profile import _assign, _difference
from weft.kit.errors import InvalidError
from weft.profiles.merge import merge_patch


@pytest.fixture
def editor(tmp_path: Path) -> Any:
    """Makes an $EDITOR out of a line of Python that changes `text`."""

    def make(line: str) -> str:
        script = tmp_path / "editor"
        script.write_text(
            f"#!{sys.executable}\nimport json, pathlib, sys\nfile = pathlib.Path(sys.argv[1])\n"
            f"text = file.read_text(encoding='utf-8')\n{line}\nfile.write_text(text, encoding='utf-8')\n",
            encoding="utf-8",
        )
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return str(script)

    return make


def test_a_profile_is_set_shown_and_edited(weft: Weft, editor: Any) -> None:
    """Issue 1: `weft profile show|set|edit`; PRO-1; Chinese in, Chinese out."""
    made = weft("profile", "set", "username=小雨", "country=us", "life_context.occupation=产品经理", "--json").json()
    assert (made["username"], made["settings"]["preferences"]["country"]) == ("小雨", "US")
    shown = weft("profile", "show")
    assert (shown.code, "username: 小雨" in shown.out, "产品经理" in shown.out) == (0, True, True)

    line = "p = json.loads(text); p['bio'] = '喜欢徒步'; del p['life_context']; text = json.dumps(p)"
    edited = weft("profile", "edit", "--json", EDITOR=editor(line)).json()
    assert (edited["username"], edited["bio"], edited["life_context"]) == ("小雨", "喜欢徒步", None)
    assert weft("profile", "edit", "--json", EDITOR=editor("pass")).json() == edited

    for line in ("text = text[:-5]", "text = '[]'", "text = text.replace('Asia/Shanghai', 'CST')"):
        assert weft("profile", "edit", EDITOR=editor(line)).refused().startswith("weft: ")
    assert "'CST' is not an IANA time zone" in weft("profile", "set", "timezone=CST").refused()
    assert weft("profile", "show", "--json").json() == edited


def test_an_unknown_user_is_told(weft: Weft) -> None:
    """INFRA-5: nobody is made by asking for them."""
    assert "no business 'acme'" in weft("profile", "show", "--business", "acme", "--user", "ann").refused()


@pytest.mark.parametrize(
    ("assignment", "patch"),
    [
        ("username=小雨", {"username": "小雨"}),
        ("country=CN", {"settings": {"preferences": {"country": "CN"}}}),
        ("bio=", {"bio": None}),
        ("bio=a=b", {"bio": "a=b"}),
        ("bio=true story", {"bio": "true story"}),
        ("bio=[draft", {"bio": "[draft"}),
        ("settings.privacy.shared=true", {"settings": {"privacy": {"shared": True}}}),
        ('life_context={"goals":["早睡"]}', {"life_context": {"goals": ["早睡"]}}),
        ("username=2026", {"username": "2026"}),
    ],
)
def test_an_assignment_is_a_merge_patch(assignment: str, patch: dict[str, Any]) -> None:
    made: dict[str, Any] = {}
    _assign(made, assignment)
    assert made == patch


@pytest.mark.parametrize("assignments", [["username"], ["=x"], ["username=a", "username.first=b"], [""]])
def test_what_is_no_assignment_is_refused(assignments: list[str]) -> None:
    made: dict[str, Any] = {}
    with pytest.raises(InvalidError):
        for assignment in assignments:
            _assign(made, assignment)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": 1}, {"a": 1}),
        ({"a": 1, "b": {"c": 1, "d": 2}}, {"a": 1, "b": {"c": 1}}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}),
        ({"a": [1, 2]}, {"a": [2]}),
        ({"a": 1}, {}),
        ({}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {"a": "text"}),
    ],
)
def test_what_the_editor_leaves_is_what_is_stored(before: dict[str, Any], after: dict[str, Any]) -> None:
    """PRO-1: an edit is the smallest merge patch that makes it, so that what others wrote meanwhile stays."""
    patch = _difference(before, after)
    assert merge_patch(before, patch) == after
    assert (patch == {}) == (before == after)
